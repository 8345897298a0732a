/// What nightly says: its summary line, and its JUnit file.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/night.h"
#include "harness/results/alarm.h"
#include "harness/results/result.h"

namespace lab::report {

/// Benchmarks that the summary names for one cause; junit.xml has all.
inline constexpr std::size_t kMostNamed = 5;
/// Unusual things that the summary names, the last ones, which are of the session itself; junit.xml has all of them and
/// what to do.
inline constexpr std::size_t kMostUnusual = 4;

/// What a night found.
struct NightFindings {
  std::set<std::string> benchmarks;  ///< that were measured
  std::vector<results::Failure> failures;
  judge::JudgedNight night;
  std::vector<results::Alarm> alarms;       ///< that nobody was told of yet, the greatest first
  std::vector<results::Alarm> told_before;  ///< whose bisects went on tonight
  std::size_t waiting = 0;                  ///< bisects that go on another night
};

/// "under a second", "12 s", "3 min 20 s".
std::string elapsed_text(double seconds);

/// "allocator/tlsf/churn +3.10 % [+2.60 %, +3.70 %] in 1a2b3c4d5e6f..5e6f7a8b9c0d, culprit ...": what has the same
/// culprit, or came in the same commits and has none yet, is told together.
std::string alarms_text(std::span<const results::Alarm> alarms);

/// "2 slower: ...; 12 others quiet, 3 too young to tell (4 more nights)": the summary but for verdict, time and page.
std::string night_text(const NightFindings& found);

/// A case a benchmark and one for the session. What became slower is a failure, what could not be measured an error,
/// what could not be judged is skipped; what was unusual, and what is far from its level, are properties.
std::string night_junit(const NightFindings& found);

}  // namespace lab::report
