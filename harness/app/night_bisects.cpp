#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/app/night_steps.h"
#include "harness/judge/alarms.h"

namespace lab::app {

namespace {

using results::Alarm;
using results::AlarmBisect;

/// The share of a bisect's time for checking whether a known culprit also explains this alarm.
constexpr double kPairShare = 0.25;

AlarmBisect answer_of(std::string text) {
  AlarmBisect answer;
  answer.answer = std::move(text);
  return answer;
}

/// The bisects of one night.
class NightBisects {
 public:
  NightBisects(NightState& state, NightEnvironment& environment, const NightTime& time)
      : state_(state), environment_(environment), time_(time) {}

  /// Continues the alarm's bisect. Returns whether there was time.
  Expected<bool> go_on(Alarm& alarm) {
    deadline_ = time_.deadline();
    if (!is_time_left(alarm)) return false;
    ++alarm.tries;  // counted first, so that a bisect that kills the night is also given up
    alarm.bisect = answer_of(results::kCutOff);
    if (const Expected<void> saved = state_.save(); !saved) return saved.error();
    Expected<std::optional<AlarmBisect>> answer = culprit_of_others(alarm);
    if (answer && !*answer && is_time_left(alarm))
      answer = ask(alarm, *alarm.commits.from, *alarm.commits.to, deadline_ - time_.now());
    if (!answer) return answer.error();
    if (*answer) alarm.bisect = **answer;
    if (const Expected<void> saved = state_.save(); !saved) return saved.error();
    return true;
  }

 private:
  bool is_time_left(const Alarm& alarm) {
    if (deadline_ - time_.now() >= kLeastSeconds) return true;
    environment_.print_line(
        fmt::format("nightly: no time is left to bisect {}: the next night continues", alarm.benchmark));
    return false;
  }

  /// One commit often makes many benchmarks slower. So before a full bisect, this compares a culprit of other alarms
  /// that lies in this alarm's range with the commit before it; both builds mostly exist. Returns that bisect's answer
  /// if the culprit also explains most of this benchmark's change, otherwise none.
  Expected<std::optional<AlarmBisect>> culprit_of_others(Alarm& alarm) {
    const std::string& from = *alarm.commits.from;
    Expected<std::vector<std::string>> within = environment_.commits({fmt::format("{}..{}", from, *alarm.commits.to)});
    if (!within) return std::optional<AlarmBisect>();  // the bisect itself will report what git lacks
    within->push_back(from);
    if (within->size() == 2) return std::optional<AlarmBisect>();  // the alarm's own bisect would be the same
    for (const Alarm& other : state_.alarms) {
      if (other.machine != alarm.machine || !other.bisect || !other.bisect->culprit) continue;
      const std::string culprit = *other.bisect->culprit;
      const auto found = std::find(within->begin(), within->end() - 1, culprit);
      if (found == within->end() - 1 || std::find(alarm.rejected_culprits.begin(), alarm.rejected_culprits.end(),
                                                  culprit) != alarm.rejected_culprits.end())
        continue;
      const double left = deadline_ - time_.now();
      if (left < kLeastSeconds) break;
      Expected<std::optional<AlarmBisect>> answer =
          ask(alarm, *(found + 1), culprit, std::max(kLeastSeconds, kPairShare * left));
      if (!answer) return answer;
      const std::string& text = (*answer)->answer;
      if (text == "culprit" && judge::explains(**answer, alarm)) return answer;
      if (text != "culprit" && text != "none" && text != "undecided") continue;  // it may succeed another night
      alarm.rejected_culprits.push_back(culprit);
      if (const Expected<void> saved = state_.save(); !saved) return saved.error();
    }
    return std::optional<AlarmBisect>();
  }

  /// The answer of a bisect of the alarm's benchmark, or the reason for none; error if interrupted.
  Expected<std::optional<AlarmBisect>> ask(const Alarm& alarm, const std::string& good, const std::string& bad,
                                           double seconds) {
    const Expected<VerbOutcome> outcome = call_verb(environment_, "bisect",
                                                    {"--good", good, "--bad", bad, "--benchmark", alarm.benchmark,
                                                     "--budget", fmt::format("{:.0f}", seconds), "--json"});
    if (!outcome && outcome.error().status == ExitStatus::kInterrupted) return outcome.error();
    if (!outcome) return std::optional(answer_of("failed: " + outcome.error().what));
    if (outcome->last_line.empty())
      return std::optional(answer_of(fmt::format("ended with exit status {}", outcome->status)));
    Expected<AlarmBisect> answer = results::parse_bisect_answer(outcome->last_line);
    return std::optional(answer ? std::move(*answer) : answer_of("failed: " + answer.error().what));
  }

  NightState& state_;
  NightEnvironment& environment_;
  const NightTime& time_;
  double deadline_ = 0;
};

}  // namespace

Expected<std::vector<std::size_t>> continue_bisects(NightState& state, const std::string& machine, bool fit,
                                                    NightEnvironment& environment, const NightTime& time) {
  std::vector<Alarm>& alarms = state.alarms;
  std::vector<std::size_t> waiting, tried;
  for (std::size_t i = 0; i < alarms.size(); ++i)
    if (alarms[i].machine == machine && judge::is_open(alarms[i]) && (fit || alarms[i].reported)) waiting.push_back(i);
  std::stable_sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(alarms[a].tries, -alarms[a].ratio) < std::tuple(alarms[b].tries, -alarms[b].ratio);
  });
  NightBisects bisects(state, environment, time);
  for (const std::size_t i : waiting) {
    if (alarms[i].commits.from == alarms[i].commits.to) {
      alarms[i].bisect = answer_of("none");
      alarms[i].bisect->reason = "one commit on both sides";
      continue;
    }
    const Expected<bool> went_on = bisects.go_on(alarms[i]);
    if (!went_on) return went_on.error();
    if (!*went_on) break;
    tried.push_back(i);
  }
  return tried;
}

}  // namespace lab::app
