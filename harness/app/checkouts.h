/// Finds the builds named by `run --revision` and `--against`: a build folder, a checkout with one, or a revision,
/// which is built first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/revisions.h"
#include "harness/measure/session_events.h"
#include "harness/results/result.h"

namespace lab::app {

struct Checkout {
  std::filesystem::path build_dir;
  std::filesystem::path root;  ///< the checkout of build_dir
  /// For a revision: keeps its worktree during the lifetime of this object.
  std::optional<measure::Revisions> keeper;
};

/// Builds the chosen variants of `revision` in the checkout `root`, with the revision's own make.py and the options of
/// `build`. Errors contain the option's name: kUsage if it is not a revision, kFailed with the log's path if the build
/// fails, kInterrupted.
Expected<Checkout> build_revision(std::string_view option, const std::string& revision,
                                  const std::filesystem::path& root, const results::Build& build,
                                  const measure::VariantChoice& choice, const Runner& run,
                                  measure::SessionEvents& events);

/// Finds the base of --against. An existing folder is a build (it holds variants.json and build_info.json) or a
/// checkout, whose build with our build's name is used. Any other name is a revision. Errors as above; kUsage if it is
/// none of these.
Expected<Checkout> find_base(const std::string& named, const std::filesystem::path& root,
                             const std::filesystem::path& build_dir, const results::Build& build,
                             const measure::VariantChoice& choice, const Runner& run, measure::SessionEvents& events);

/// Checks that --against names a base, without a build. Errors as for find_base().
Expected<void> check_base(const std::string& named, const std::filesystem::path& root,
                          const std::filesystem::path& build_dir, const Runner& run);

}  // namespace lab::app
