#include "harness/results/inbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/base/hash.h"
#include "harness/base/layout.h"
#include "harness/results/result_name.h"

namespace lab::results {

namespace fs = std::filesystem;

namespace {

/// The number of entries in all folders of `folder` whose names `counts`.
std::size_t count_in(const fs::path& folder, bool (*counts)(std::string_view)) {
  std::size_t count = 0;
  std::error_code missing;
  for (fs::directory_iterator machine(folder, missing), end; !missing && machine != end; machine.increment(missing)) {
    std::error_code none;
    for (fs::directory_iterator entry(machine->path(), none); !none && entry != end; entry.increment(none))
      count += counts(entry->path().filename().string());
  }
  return count;
}

}  // namespace

std::array<std::string, 2> exhibits_of(std::string_view result) {
  return {fmt::format("{}.exhibits", result_base(result)), fmt::format("{}.exhibits.tar.zst", result_base(result))};
}

std::string second_name(std::string_view result, std::string_view content) {
  const std::string_view stem = result_base(result);
  return fmt::format("{}-{}{}", stem, content_name(content).substr(0, 8), result.substr(stem.size()));
}

bool is_temporary(std::string_view name) {
  return name.starts_with('.') || name.ends_with(".part");
}

bool is_machine_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name[0] != '.' && std::ranges::all_of(name, good) &&
         std::ranges::find(kNotMachines, name) == kNotMachines.end();
}

Unread unread_in(const fs::path& results) {
  return {count_in(results / kInbox, [](std::string_view name) { return is_result_name(name) && !is_temporary(name); }),
          count_in(results / kQuarantine, [](std::string_view name) { return !name.ends_with(kWhy); })};
}

}  // namespace lab::results
