#include "harness/report/night_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/base/fit.h"
#include "harness/judge/alarms.h"
#include "harness/report/history_text.h"
#include "harness/report/junit.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

using results::Alarm;

std::string short_name(const std::optional<std::string>& commit) {
  return commit ? results::short_commit(*commit) : "no git";
}

std::string range_text(const Alarm& alarm) {
  return fmt::format("{}..{}", short_name(alarm.commits.from), short_name(alarm.commits.to));
}

/// "family/variant/workload +3.10 % [+2.60 %, +3.70 %]"
std::string slower_text(const Alarm& alarm) {
  const std::string text = fmt::format("{} {}", alarm.benchmark, change_text(alarm.ratio));
  if (!alarm.low || !alarm.high) return text;
  return fmt::format("{} [{}, {}]", text, change_text(*alarm.low), change_text(*alarm.high));
}

/// "culprit 5e6f7a8b9c0d (99.4 %)", or the state of its bisect.
std::string bisect_text(const Alarm& alarm) {
  if (!alarm.bisect) return "not bisected yet";
  const results::AlarmBisect& found = *alarm.bisect;
  if (found.answer == "culprit")
    return fmt::format("culprit {} ({:.1f} %)", short_name(found.culprit), 100 * found.probability);
  if (found.answer == "candidates") return fmt::format("one of {} commits", found.candidates.size());
  if (found.answer == "none") return fmt::format("bisect: {}", found.reason.value_or("the ends do not differ"));
  if (alarm.tries >= judge::kMostTries) return fmt::format("bisect {}, given up", found.answer);
  return fmt::format("bisect {}, try {} of {}", found.answer, alarm.tries, judge::kMostTries);
}

double probability(const Alarm& alarm) {
  return alarm.bisect ? alarm.bisect->probability : 0;
}

/// Alarms with one cause.
std::string cause_text(const std::vector<const Alarm*>& alarms) {
  std::vector<std::string> names;
  std::set<std::string> ranges;
  for (const Alarm* const alarm : alarms) {
    if (names.size() < kMostNamed) names.push_back(slower_text(*alarm));
    ranges.insert(range_text(*alarm));
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (names.size() < alarms.size()) text += fmt::format(" and {} more", alarms.size() - names.size());
  if (ranges.size() == 1) text += " in " + *ranges.begin();
  const Alarm* const least_sure = *std::min_element(
      alarms.begin(), alarms.end(), [](const Alarm* a, const Alarm* b) { return probability(*a) < probability(*b); });
  return fmt::format("{}, {}", text, bisect_text(*least_sure));
}

/// "12 without a new regression, 3 too young to tell (4 more nights)": the benchmarks measured tonight.
std::string unchanged_text(const NightFindings& found, bool are_others) {
  std::set<std::string> without_alarm = found.benchmarks;
  for (const Alarm& alarm : found.alarms) without_alarm.erase(alarm.benchmark);
  UnchangedCounts unchanged;
  for (const judge::YoungBenchmark& one : found.night.too_young) {
    without_alarm.erase(one.benchmark);
    unchanged.add(one.judged);
  }
  const std::string young = young_text(unchanged, "");
  if (without_alarm.empty() && !young.empty()) return young;
  const std::string count = are_others ? counted(without_alarm.size(), "other") : whole(without_alarm.size());
  return fmt::format("{} without a new regression{}{}", count, young.empty() ? "" : ", ", young);
}

/// "; unusual: the load average is 3.1; ...", or "" if nothing was unusual. Cuts each sentence before its advice.
std::string unusual_text(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  const std::size_t first = sentences.size() - std::min(sentences.size(), kMostUnusual);
  std::vector<std::string> shown;
  for (std::size_t i = first; i < sentences.size(); ++i)
    shown.push_back(sentences[i].substr(0, sentences[i].find(": ")));
  return fmt::format("; unusual: {}{}", fmt::join(shown, "; "),
                     first > 0 ? fmt::format("; and {} more in junit.xml", first) : "");
}

}  // namespace

std::string alarms_text(std::span<const Alarm> alarms) {
  std::vector<std::pair<std::string, std::vector<const Alarm*>>> causes;
  for (const Alarm& alarm : alarms) {
    const std::string cause = alarm.bisect && alarm.bisect->culprit
                                  ? *alarm.bisect->culprit
                                  : fmt::format("{} {}", range_text(alarm), bisect_text(alarm));
    auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& one) { return one.first == cause; });
    if (found == causes.end()) found = causes.insert(causes.end(), {cause, {}});
    found->second.push_back(&alarm);
  }
  std::vector<std::string> texts;
  for (const auto& [cause, those] : causes) texts.push_back(cause_text(those));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string night_text(const NightFindings& found) {
  std::vector<std::string> parts;
  const std::string failed =
      found.failures.empty() ? ""
                             : fmt::format("{} failed: {}", found.failures.size(), found.failures.front().benchmark);
  if (!found.benchmarks.empty() && !found.night.fit) {
    if (!failed.empty()) parts.push_back(failed);
    parts.insert(parts.end(), found.night.sentences.begin(), found.night.sentences.end());
  } else if (!found.alarms.empty()) {
    parts.push_back(fmt::format("{} slower: {}", found.alarms.size(), alarms_text(found.alarms)));
    parts.push_back(unchanged_text(found, true));
    if (!failed.empty()) parts.push_back(failed);
  } else if (!failed.empty() || found.benchmarks.empty()) {
    parts.push_back(failed.empty() ? "nothing ran" : failed);
  } else {
    parts.push_back(unchanged_text(found, false));
  }
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  for (const std::string& note : found.night.notes) text += "; " + note;
  text += unusual_text(found.night.unusual);
  if (!found.reported_before.empty()) text += "; already reported: " + alarms_text(found.reported_before);
  if (!found.without_turn.empty())
    text +=
        fmt::format("; {} for another night", counted(found.without_turn.size(), "benchmark waits", "benchmarks wait"));
  if (found.waiting > 0) text += fmt::format("; {} unfinished", counted(found.waiting, "bisect"));
  return text;
}

std::string night_junit(const NightFindings& found) {
  using Outcome = std::pair<JunitCase::Outcome, std::string>;
  const judge::NightFitness& night = found.night;
  Outcome usual{JunitCase::kPassed, ""};
  if (!night.fit) usual = {JunitCase::kSkipped, fmt::format("unfit: {}", fmt::join(night.sentences, "; "))};
  std::map<std::string, Outcome> cases;
  for (const std::string& name : found.benchmarks) cases[name] = usual;
  for (const std::string& name : found.without_turn)
    cases[name] = {JunitCase::kSkipped, "waits for another night, because this one was too short"};
  cases["nightly/session"] = usual;
  if (night.fit)
    for (const judge::YoungBenchmark& one : night.too_young)
      cases[one.benchmark] = {JunitCase::kSkipped, missing_text(one.judged)};
  std::set<std::string> failed;
  for (const results::Failure& failure : found.failures)
    if (failed.insert(failure.benchmark).second)
      cases[failure.benchmark] = {JunitCase::kError, fmt::format("{}: {}", failure.kind, failure.detail)};
  for (const Alarm& alarm : found.alarms)
    cases[alarm.benchmark] = {JunitCase::kFailed, "slower: " + alarms_text({&alarm, 1})};

  JunitSuite suite{"nightly", {}, {}};
  for (const std::string& sentence : night.unusual) suite.properties.emplace_back("unusual", sentence);
  for (const std::string& sentence : night.notes) suite.properties.emplace_back("note", sentence);
  for (const judge::Outlier& one : night.outliers)
    suite.properties.emplace_back("outlier", fmt::format("{}: {:.2f} times its level", one.benchmark, one.ratio));
  for (auto& [name, outcome] : cases) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    suite.cases.push_back({name.substr(0, slash), name.substr(std::min(slash + 1, name.size())), outcome.first,
                           std::move(outcome.second)});
  }
  return junit_xml(suite);
}

}  // namespace lab::report
