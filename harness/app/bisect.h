/// The use case bisect: which commit made a benchmark, or any number, slower.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/app/bisect_search.h"
#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/bisect.h"
#include "harness/measure/revisions.h"
#include "harness/results/bisect_record.h"

namespace lab::app {

struct BisectRequest {
  std::string good = {}, bad = {};  ///< revisions; good is an ancestor of bad
  std::string benchmark = {},
              command = {};  ///< one of them: family/variant/workload, or what `sh -c` runs in a commit's tree
  std::filesystem::path repository = root_dir();  ///< one other than the checkout's is left without worktrees
  Aim aim = {};
  std::optional<double> timeout_seconds = {};  ///< of one measurement; none: 60 of a benchmark, 3600 of a command
  std::uint64_t seed = 1;                      ///< of the workload
  bool restart = false;                        ///< forgets what was measured for the same ends
  std::filesystem::path root = root_dir();     ///< the checkout, in whose results the record lies
  std::filesystem::path build_dir = lab::build_dir();  ///< commits are built as this one is
  int stop_file = -1;  ///< once it is readable the search ends with ExitStatus::kInterrupted; -1: none
};

struct BisectObserver {
  std::function<void(const results::Record&)> on_open = {};  ///< before the search
  measure::Listener on_build_output = {};
  Observer search = {};
  std::function<void(const results::Record&, bool answered)> on_end = {};  ///< after the search, whatever came of it
};

struct BisectAnswer {
  judge::BisectVerdict verdict;
  results::Cell cell;
  std::filesystem::path record;
};

/// Goes on from the record of the same question. Errors as search()'s; kUsage where an end is no revision or cannot be
/// measured. The record then holds all that was done.
Expected<BisectAnswer> bisect(const BisectRequest& request, const BisectObserver& observer = {});

}  // namespace lab::app
