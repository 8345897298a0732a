/// The use case compare: compares head with base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/comparison.h"

namespace lab::app {

struct CompareRequest {
  /// Base and head, or one session with both. Each is a path for compare_files(), or a git revision with a result of
  /// this machine. Two revisions that were measured in one session stand for that session.
  std::vector<std::string> names;
  judge::CompareSettings settings;
  bool independent_repetitions = false;     ///< see compare_files()
  std::filesystem::path root = root_dir();  ///< the checkout with the revisions and results
};

/// Error with ExitStatus::kUsage if a name is neither a file nor a revision, has no result, or cannot be read.
Expected<judge::Comparison> compare(const CompareRequest& request);

/// Compares the arms of one session (one path), or two inputs of one kind: results, Google Benchmark files or atlases.
/// `independent_repetitions`: each repetition in a Google Benchmark file was a process of its own, interleaved with the
/// other file's. Error with ExitStatus::kUsage if an input is unreadable or the kinds differ.
Expected<judge::Comparison> compare_files(const std::vector<std::string>& paths, const judge::CompareSettings& settings,
                                          bool independent_repetitions);

}  // namespace lab::app
