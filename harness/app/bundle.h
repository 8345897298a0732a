/// The use case bundle: packs a build with all that measuring, probing and reporting need into one file, which runs
/// where there is no Python, git, compiler or network (harness/bundle).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/layout.h"

namespace lab::app {

struct BundleRequest {
  std::filesystem::path file;              ///< written
  std::vector<std::string> variants = {};  ///< globs of "family/variant"; none: all
  /// Groups of packages.json that the build reads. Others, such as a linter's, may be active in one checkout and not in
  /// another. None: all.
  std::vector<std::string> groups = {};
  std::filesystem::path root = root_dir();
  std::filesystem::path build_dir = lab::build_dir();
};

struct BundleOutcome {
  std::size_t files = 0;
  std::size_t variants = 0;
  std::uint64_t packed = 0;             ///< bytes of the file
  std::uint64_t unpacked = 0;           ///< bytes of all files in it
  std::vector<std::string> left_out{};  ///< variants that are not built, of those that the globs match
  std::string remark;                   ///< what its results will lack: a commit, or layouts; "" if nothing
};

struct BundleObserver {
  /// `all` is 0 where it is not known how much there is to do.
  std::function<void(std::string_view doing, std::uint64_t done, std::uint64_t all)> on_progress;
};

/// Links the layouts that are missing, and packs. Equal checkouts with equal builds give equal bytes, wherever they
/// lie. Errors: a build that is no pinned release, or one that runs on this CPU or C library alone; a variant that
/// cannot be started; files that cannot be read or written. After an error `file` is as it was.
Expected<BundleOutcome> make_bundle(const BundleRequest& request, const BundleObserver& observer);

}  // namespace lab::app
