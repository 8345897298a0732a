#include "harness/bundle/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/parallel.h"

namespace lab::bundle {

namespace fs = std::filesystem;

namespace {

/// What is wrong with a file of the bundle; "" if nothing.
std::string fault_of(const fs::path& folder, const BundledFile& file) {
  const fs::path path = folder / file.path;
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(path, problem);
  if (!fs::exists(status)) return fmt::format("expected '{}', found none", file.path);
  if (!file.link.empty()) {
    const fs::path target = fs::read_symlink(path, problem);
    return target == file.link ? "" : fmt::format("expected '{}' to be a link to '{}'", file.path, file.link);
  }
  if (!fs::is_regular_file(status)) return fmt::format("expected '{}' to be a file", file.path);
  const std::uint64_t size = fs::file_size(path, problem);
  if (!problem && size != file.size)
    return fmt::format("'{}': expected {} bytes, found {}", file.path, file.size, size);
  const Expected<std::string> content = read_file(path);
  if (!content) return content.error().what;
  if (const std::string hash = content_hash(*content); hash != file.hash)
    return fmt::format("'{}': expected content with the hash {}, found {}", file.path, file.hash, hash);
  if (file.executable && (status.permissions() & fs::perms::owner_exec) == fs::perms::none)
    return fmt::format("expected '{}' to be executable", file.path);
  return "";
}

}  // namespace

Expected<void> verify(const fs::path& folder, const Manifest& manifest) {
  // Large ones first, so that no thread begins one when the others have ended.
  std::vector<std::size_t> order(manifest.files.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return manifest.files[i].size; });
  std::vector<std::string> faults(manifest.files.size());
  in_parallel(order.size(), [&](std::size_t i) { faults[order[i]] = fault_of(folder, manifest.files[order[i]]); });

  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (!faults[i].empty()) wrong.push_back(i);
  if (wrong.empty()) return {};
  const std::size_t first = *std::ranges::min_element(wrong, {}, [&](std::size_t i) { return manifest.files[i].path; });
  const std::string more = wrong.size() == 1 ? "" : fmt::format(", and {} more are wrong", wrong.size() - 1);
  return Error{fmt::format("the bundle in '{}' is damaged: {}{}", folder.string(), faults[first], more),
               "unpack it again, into another folder: FILE unpack DIR", ExitStatus::kFailed};
}

}  // namespace lab::bundle
