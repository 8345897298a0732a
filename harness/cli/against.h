/// What `run --against` names: a build, a checkout with one, or a revision, which is built first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/terminal.h"
#include "harness/exec/catalog.h"
#include "harness/results/result.h"
#include "harness/revisions/revisions.h"

namespace lab::cli {

struct Base {
  std::filesystem::path build_dir;
  std::filesystem::path root;  ///< the checkout it belongs to
  /// Of a revision: its worktree stays while this lives.
  std::optional<revisions::Revisions> keeper;
};

/// A folder that exists is a build (it holds variants.json and build_info.json) or a checkout, whose build named as
/// ours is taken; anything else is a revision of the checkout `root`, built as `build` says. Errors: kUsage where it is
/// none of these, kFailed with the log's path where it does not build, kInterrupted.
Expected<Base> find_base(const std::string& named, const std::filesystem::path& root,
                         const std::filesystem::path& build_dir, const results::Build& build, const exec::Runner& run,
                         StatusLine& line);

}  // namespace lab::cli
