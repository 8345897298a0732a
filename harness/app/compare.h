/// The use case compare: compares head with base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/app/compare_inputs.h"
#include "harness/base/layout.h"
#include "harness/judge/compare.h"

namespace lab::app {

struct CompareRequest {
  /// Base and head, or one session with both. Each is a path for compare_named(), or a git revision with a result of
  /// this machine. Two revisions that were measured in one session stand for that session.
  std::vector<std::string> names;
  InputSettings settings;
  std::filesystem::path root = root_dir();  ///< the checkout with the revisions and results
};

/// Error with ExitStatus::kUsage if a name is neither a file nor a revision, has no result, or cannot be read.
Expected<judge::Comparison> compare(const CompareRequest& request);

}  // namespace lab::app
