/// The use case bisect: finds the commit that made a benchmark slower, or any number worse.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/app/bisect_search.h"
#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/bisect.h"
#include "harness/results/bisect_record.h"

namespace lab::app {

struct BisectRequest {
  std::string good = {}, bad = {};  ///< revisions; good is an ancestor of bad
  /// Exactly one: family/variant/workload, or a command for `sh -c` in a commit's tree.
  std::string benchmark = {}, command = {};
  std::optional<std::filesystem::path> malloc = {};  ///< of a benchmark with a preloaded library
  std::filesystem::path repository = root_dir();     ///< if not the checkout's: its worktrees are removed at the end
  BisectGoal goal = {};
  std::optional<double> timeout_seconds = {};  ///< per measurement; none: 60 for a benchmark, 3600 for a command
  std::uint64_t seed = 1;                      ///< of the workload
  bool restart = false;                        ///< discards earlier measurements for the same ends
  std::filesystem::path root = root_dir();     ///< the checkout; its results hold the record
  std::filesystem::path build_dir = lab::build_dir();  ///< commits are built with the same options as this build
  int stop_file = -1;  ///< when readable, the search ends with ExitStatus::kInterrupted; -1: none
};

struct BisectOutcome {
  judge::BisectVerdict verdict;
  results::BisectQuestion question;
  std::filesystem::path record;
};

/// Resumes from an existing record of the same request. Errors as for search(); kUsage if an end is not a revision or
/// cannot be measured. After an error the record holds all completed work.
Expected<BisectOutcome> bisect(const BisectRequest& request, BisectEvents& events);

}  // namespace lab::app
