/// Which benchmarks a session measures if its budget is too short for all: core workloads always, the others in turns
/// over the sessions of a machine. Pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json_struct.h"
#include "harness/measure/session.h"
#include "harness/results/result.h"

namespace lab::measure {

/// A benchmark that could be measured.
struct TurnCandidate {
  std::string name;
  std::string workload;  ///< "family/workload"
  bool reference = false;
  bool core = true;
  std::string last_measured = {};  ///< UTC, RFC 3339; "" if never
  double seconds = 0;              ///< of all its processes in a session: as many as an interval needs
};

struct Turns {
  std::vector<std::vector<std::string>> measured;  ///< one list per workload; the first have the first claim on time
  std::vector<std::string> waiting;                ///< sorted
};

/// Chooses what fits into `seconds` (core workloads, what fits into twice as many): core workloads first, then the
/// others; of each, the least recently measured first, then by name. All variants of a workload take their turn
/// together, because a ratio to the reference needs both in one session. A workload is as old as its least recently
/// measured variant, so one that must wait becomes the oldest and gets the next turn. One that is too large for every
/// session takes several turns, each with the reference and the least recently measured variants. At least one
/// benchmark is chosen.
Turns choose_turns(const std::vector<TurnCandidate>& candidates, double seconds);

/// What earlier sessions of a machine tell about one benchmark.
struct PastTurn {
  std::string measured = {};            ///< when its last session began; "" if never. A failure was a turn, too.
  std::optional<double> overhead = {};  ///< see overheads_of
};
LAB_JSON_STRUCT(PastTurn, measured, overhead)

using PastTurns = std::map<std::string, PastTurn>;  ///< by benchmark

/// Adds what a result tells. Of two results, the later one counts.
void remember(const results::Result& result, PastTurns& past);

/// Seconds of one process of each benchmark beyond its measuring time, estimated from the head arm. A process that is
/// asked for kLeastSeconds ends after about kLeastSeconds more than this: the overhead includes what it prepares, and
/// what its least number of repetitions takes beyond kLeastSeconds.
std::map<std::string, double> overheads_of(const results::Result& result);

/// Seconds that `processes` processes of the benchmark take, kLeastSeconds of measuring in each.
double seconds_of(const std::string& benchmark, int processes, const PastTurns& past);

/// Narrows a session to its core benchmarks. The others are added to its `waiting`.
void select_core(SessionSpec& spec);

/// Narrows a session to the benchmarks that have their turn, if its budget is too short for all, and sets its `turns`.
/// The others are added to its `waiting`.
void take_turns(SessionSpec& spec, const PastTurns& past);

}  // namespace lab::measure
