/// A judged night: its sentences, and the output of nightly, a summary line and a JUnit file.
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

/// Maximum benchmarks that the summary names per cause; junit.xml has all.
inline constexpr std::size_t kMostNamed = 5;
/// Maximum unusual findings in the summary: the last ones, which concern the session itself. junit.xml has all, with
/// advice.
inline constexpr std::size_t kMostUnusual = 4;

struct NightSentences {
  std::vector<std::string> unfit;    ///< why it is unfit, then what to do
  std::vector<std::string> notes;    ///< further remarks
  std::vector<std::string> unusual;  ///< of the session, without its unfit_sentences()
};

NightSentences night_sentences(const judge::NightFitness& night);

/// What a night found.
struct NightFindings {
  std::set<std::string> benchmarks;  ///< all measured benchmarks
  std::vector<results::Failure> failures;
  judge::NightFitness night;
  std::vector<results::Alarm> alarms;           ///< not yet reported, the largest first
  std::vector<results::Alarm> reported_before;  ///< reported earlier; their bisects continued tonight
  std::size_t waiting = 0;                      ///< unfinished bisects, which continue another night
  std::set<std::string> without_turn = {};      ///< benchmarks for which this night had no time
};

/// "family/variant/workload +3.10 % [+2.60 %, +3.70 %] in 1a2b3c4d5e6f..5e6f7a8b9c0d, culprit ...". Groups
/// alarms with the same culprit, or with the same commits and no culprit yet.
std::string alarms_text(std::span<const results::Alarm> alarms);

/// "culprit 5e6f7a8b9c0d (99.4 %)", or the state of its bisect.
std::string bisect_text(const results::Alarm& alarm);
/// The same text for the alarms that alarms_text() groups.
std::string cause_of(const results::Alarm& alarm);

/// "2 slower: ...; 12 others without a new regression, 3 too young to tell (4 more nights)": the summary without
/// verdict, time and page.
std::string night_text(const NightFindings& found);

/// One case per benchmark and one for the session. A slower benchmark is a failure, one without a measurement is an
/// error, one without a verdict or without a turn is skipped. Unusual findings, and outliers, are properties.
std::string night_junit(const NightFindings& found);

}  // namespace lab::report
