/// The builds that `run --revision` and `--against` name: a build folder, a checkout with one, or a revision, which is
/// built first.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/revisions.h"
#include "harness/results/result.h"

namespace lab::app {

/// What is told of a revision's build.
struct BuildObserver {
  /// Before it is built, where it is not yet.
  std::function<void(const std::string& revision, const std::string& sha, const std::filesystem::path& log)> on_build =
      {};
  std::function<void(const std::string& revision)> on_begin = {};
  measure::Listener on_output = {};
  std::function<void()> on_end = {};  ///< whatever came of it
};

struct Checkout {
  std::filesystem::path build_dir;
  std::filesystem::path root;  ///< what build_dir belongs to
  /// Of a revision: its worktree stays while this lives.
  std::optional<measure::Revisions> keeper;
};

/// `revision` of the checkout `root`, of which the chosen variants are built by its own make.py as `build` says. Errors
/// bear the option's name: kUsage where it is no revision, kFailed with the log's path where it does not build,
/// kInterrupted.
Expected<Checkout> build_revision(std::string_view option, const std::string& revision,
                                  const std::filesystem::path& root, const results::Build& build,
                                  const measure::Choice& choice, const Runner& run, const BuildObserver& observer);

/// What --against names: a folder that exists is a build (it holds variants.json and build_info.json) or a checkout,
/// whose build named as ours is taken; anything else is a revision. Errors as above; kUsage where it is none of these.
Expected<Checkout> find_base(const std::string& named, const std::filesystem::path& root,
                             const std::filesystem::path& build_dir, const results::Build& build,
                             const measure::Choice& choice, const Runner& run, const BuildObserver& observer);

/// Whether --against names a base, without building it: errors as find_base's.
Expected<void> check_base(const std::string& named, const std::filesystem::path& root,
                          const std::filesystem::path& build_dir, const Runner& run);

}  // namespace lab::app
