/// For tests of deliver and collect: a node with small results, and a collector.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/app/collect.h"
#include "harness/app/deliver.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/night_fixture.h"

namespace lab::app {

/// A session of `machine`; `time` makes its contents differ.
inline std::string session_text(int number, double time = 100, const std::string& machine = "farm",
                                std::size_t samples = 1) {
  results::Result result = judge::fixture_night({number, 1, samples, {time}});
  result.machine.id = result.machine.name = machine;
  return results::serialize(result);
}

/// All files below `folder`, without those of locks, relative to it and sorted.
inline std::vector<std::string> files_below(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing))
    if (!entry.is_directory() && entry.path().extension() != ".lock")
      names.push_back(entry.path().lexically_relative(folder).string());
  std::ranges::sort(names);
  return names;
}

/// A host with sessions of the machine "farm", each with two exhibits, every other one also with packed ones.
class Node {
 public:
  void add(int number, double time = 100, std::size_t samples = 1) const {
    const std::string stem = fmt::format("farm/{:06}", number);
    folder_.write(stem + ".exhibits/one.json", fmt::format("exhibit of {}", number));
    folder_.write(stem + ".exhibits/inner/two", std::string(5000, 'x'));
    if (number % 2 == 0) folder_.write(stem + ".exhibits.tar.zst", "packed");
    folder_.write(stem + ".json", session_text(number, time, "farm", samples));
  }
  const std::filesystem::path& results() const { return folder_.path(); }
  std::string text(int number) const { return *read_file(folder_.path() / fmt::format("farm/{:06}.json", number)); }

  Expected<std::vector<Delivery>> deliver(const std::string& to) const {
    return app::deliver({to, folder_.path(), "farm"}, {[&](const std::string& one) { remarks.push_back(one); }});
  }
  /// "000000.json new"
  std::vector<std::string> delivered(const std::string& to) const {
    std::vector<std::string> lines;
    const Expected<std::vector<Delivery>> ends = deliver(to);
    if (!ends) return {ends.error().what};
    constexpr const char* kEnds[]{"failed", "new", "there", "second"};
    for (const Delivery& one : *ends)
      lines.push_back(fmt::format("{} {}{}", one.name.empty() ? one.file.filename().string() : one.name,
                                  kEnds[static_cast<int>(one.end)], one.problem.empty() ? "" : ": " + one.problem));
    return lines;
  }

  mutable std::vector<std::string> remarks;

 private:
  ScratchFolder folder_;
};

}  // namespace lab::app
