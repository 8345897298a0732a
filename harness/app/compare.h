/// The use case compare: what head is to base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/app/compare_inputs.h"
#include "harness/base/layout.h"
#include "harness/judge/compare.h"

namespace lab::app {

struct CompareRequest {
  /// Base and head, or one session that holds both. Each is what compare_named() reads, or a git revision that has a
  /// result of this machine; two revisions that were measured in one session are that session.
  std::vector<std::string> names;
  InputSettings settings;
  std::filesystem::path root = root_dir();  ///< the checkout, whose revisions and results these are
};

/// Errors have ExitStatus::kUsage where a name is neither a file nor a revision, has no result, or cannot be read.
Expected<judge::Comparison> compare(const CompareRequest& request);

}  // namespace lab::app
