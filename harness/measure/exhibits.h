/// The exhibits of a session's benchmarks: passes of their own after the measurement, never timed. Their files go into
/// a folder beside the result.
#pragma once

#include <filesystem>

#include "harness/measure/session.h"
#include "harness/results/exhibit_archive.h"

namespace lab::measure {

/// Replays of a sequence from which a latency distribution is made: an idle machine interrupts a process for
/// milliseconds now and then, but hardly the same operation in each of six.
inline constexpr int kLatencyReplays = 6;
/// Where the time is too short for all, so many are enough: a distribution with more of other work in its tail says
/// more than none.
inline constexpr int kFewestReplays = 3;

/// Most bytes of one exhibit's file; a larger one is a failure.
using results::kMostExhibitBytes;

struct ExhibitPass {
  std::filesystem::path folder;  ///< that receives the files; created if there are any
  double seconds = 0;            ///< that it may take
};

/// Runs the exhibits of head's benchmarks that have numbers in `result`, round by round over all of them, and adds them
/// to it. A benchmark whose turns do not come within the time is named in Session::unusual. A process that fails is a
/// failure of its benchmark, whose numbers stay. An error only if a file or folder cannot be written.
Expected<void> collect_exhibits(const SessionSpec& spec, const SessionEnvironment& environment, const ExhibitPass& pass,
                                SessionEvents& events, results::Result& result);

}  // namespace lab::measure
