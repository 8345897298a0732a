#include "harness/report/night_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "harness/base/fit.h"
#include "harness/judge/alarms.h"
#include "harness/report/fitness_text.h"
#include "harness/report/history_text.h"
#include "harness/report/junit.h"

namespace lab::report {

namespace {

using results::Alarm;

std::string range_text(const Alarm& alarm) {
  return fmt::format("{}..{}", short_name(alarm.commits.from), short_name(alarm.commits.to));
}

/// "family/variant/workload +3.10 % [+2.60 %, +3.70 %]"
std::string slower_text(const Alarm& alarm) {
  const std::string text = fmt::format("{} {}", alarm.benchmark, change_text(alarm.ratio));
  if (!alarm.low || !alarm.high) return text;
  return fmt::format("{} [{}, {}]", text, change_text(*alarm.low), change_text(*alarm.high));
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
  const Alarm* const least_sure = std::ranges::min(alarms, {}, [](const Alarm* one) { return probability(*one); });
  return fmt::format("{}, {}", text, bisect_text(*least_sure));
}

/// "12 without a new regression, 3 too young to tell (4 more nights)": the benchmarks measured tonight.
std::string unchanged_text(const NightFindings& found, bool are_others) {
  std::set<std::string> without_alarm = found.benchmarks;
  for (const Alarm& alarm : found.alarms) without_alarm.erase(alarm.benchmark);
  for (const std::string& benchmark : found.night.without_level) without_alarm.erase(benchmark);
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

/// What to do about an unfit night, by reason. A blind control has its advice in its own sentence.
struct Advice {
  std::string_view why, sentence;
};
constexpr std::array kAdvice{
    Advice{judge::kMachineReason, "measure when nothing else runs, or on a dedicated machine"},
    Advice{"dirty source", "commit the changes or revert them"},
    Advice{"no release build", "build with --config release"},
    Advice{"interrupted session", "do not interrupt the session"},
};

/// ". In the first 15 nights ..." if an outlier is so young; else "".
std::string unseen_phrase(const judge::NightFitness& night) {
  if (!night.any_young_outlier()) return "";
  return fmt::format(". In the first {} nights of a series no change is found: use `compare` with an earlier night",
                     stats::ChangePointDetector::kFewest);
}

std::string advice_for(const judge::NightFitness& night) {
  if (night.session_fitness.fit && night.left_out.empty())
    return "a second such night is judged as a new level" + unseen_phrase(night);
  const auto found = std::ranges::find(kAdvice, night.reason.empty() ? night.left_out : night.reason, &Advice::why);
  return found == kAdvice.end() ? "" : std::string(found->sentence);
}

std::string outliers_phrase(const judge::LevelCounts& levels) {
  return fmt::format("{} of {} benchmarks have", levels.outliers(), levels.with_level);
}

std::vector<std::string> unfit_phrases(const judge::NightFitness& night) {
  if (night.fit) return {};
  std::vector<std::string> phrases;
  if (night.levels.unfit()) {
    const auto slower = std::ranges::count_if(night.outliers, [](const auto& one) { return one.ratio > 1; });
    phrases.push_back(fmt::format("{} unusual times ({} slower, {} faster)", outliers_phrase(night.levels), slower,
                                  std::ssize(night.outliers) - slower));
  }
  std::ranges::move(unfit_causes(night.session_fitness), std::back_inserter(phrases));
  if (night.is_excluded()) phrases.push_back(fmt::format("history omits this session: {}", night.left_out));
  if (std::string advice = advice_for(night); !advice.empty()) phrases.push_back(std::move(advice));
  return phrases;
}

}  // namespace

NightSentences night_sentences(const judge::NightFitness& night) {
  NightSentences sentences{unfit_phrases(night), {}, night.unusual};
  if (night.levels.many_outliers() && !night.levels.unfit())
    sentences.notes.push_back(
        fmt::format("{} the same unusual times as last night; history will judge them within {} nights{}",
                    outliers_phrase(night.levels), stats::ChangePointDetector::kPlain - 1, unseen_phrase(night)));
  std::vector<std::string> known = unfit_sentences(night.session_fitness);
  if (night.session_fitness.lacks_levels) known.push_back(disturbed_sentence(night.session_fitness));
  std::erase_if(sentences.unusual,
                [&](const std::string& sentence) { return std::ranges::find(known, sentence) != known.end(); });
  return sentences;
}

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

std::string cause_of(const Alarm& alarm) {
  return alarm.bisect && alarm.bisect->culprit ? *alarm.bisect->culprit
                                               : fmt::format("{} {}", range_text(alarm), bisect_text(alarm));
}

std::string alarms_text(std::span<const Alarm> alarms) {
  std::vector<std::pair<std::string, std::vector<const Alarm*>>> causes;
  for (const Alarm& alarm : alarms) {
    const std::string cause = cause_of(alarm);
    auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& one) { return one.first == cause; });
    if (found == causes.end()) found = causes.insert(causes.end(), {cause, {}});
    found->second.push_back(&alarm);
  }
  std::vector<std::string> texts;
  for (const auto& [cause, those] : causes) texts.push_back(cause_text(those));
  std::set<std::string> doubts;
  for (const Alarm& alarm : alarms)
    if (alarm.doubt) doubts.insert(*alarm.doubt);
  texts.insert(texts.end(), doubts.begin(), doubts.end());
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string night_text(const NightFindings& found) {
  const NightSentences sentences = night_sentences(found.night);
  std::vector<std::string> parts;
  const std::string failed =
      found.failures.empty() ? ""
                             : fmt::format("{} failed: {}", found.failures.size(), found.failures.front().benchmark);
  if (!found.benchmarks.empty() && !found.night.fit) {
    if (!failed.empty()) parts.push_back(failed);
    parts.insert(parts.end(), sentences.unfit.begin(), sentences.unfit.end());
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
  for (const std::string& note : sentences.notes) text += "; " + note;
  text += unusual_text(sentences.unusual);
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
  const NightSentences sentences = night_sentences(night);
  Outcome usual{JunitCase::kPassed, ""};
  if (!night.fit) usual = {JunitCase::kSkipped, fmt::format("unfit: {}", fmt::join(sentences.unfit, "; "))};
  std::map<std::string, Outcome> cases;
  for (const std::string& name : found.benchmarks) cases[name] = usual;
  for (const std::string& name : found.without_turn)
    cases[name] = {JunitCase::kSkipped, "waits for another night, because this one was too short"};
  cases["nightly/session"] = usual;
  if (night.fit)
    for (const std::string& name : night.without_level)
      cases[name] = {JunitCase::kSkipped, "other work disturbed its times: they are no level of this night"};
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
  for (const std::string& sentence : sentences.unusual) suite.properties.emplace_back("unusual", sentence);
  for (const std::string& sentence : sentences.notes) suite.properties.emplace_back("note", sentence);
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
