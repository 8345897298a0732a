#include "harness/app/night_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "harness/base/files.h"

namespace lab::app {

namespace {

/// The budget's share for measuring and for building earlier commits; bisects get the rest.
constexpr double kRunShare = 2.0 / 3;
/// A bisect's time without a budget.
constexpr double kBisectSeconds = 3600;

}  // namespace

void NightTime::keep_for_bisects() {
  kept_ = (1 - kRunShare) * left().value_or(0);
}

std::optional<double> NightTime::left() const {
  if (!budget_) return std::nullopt;
  return std::max(0.0, *budget_ - passed());
}

std::optional<double> NightTime::share(std::size_t sessions, double reserved) const {
  if (!budget_) return std::nullopt;
  return std::max(0.0, *left() - kept_ - reserved) / static_cast<double>(sessions);
}

double NightTime::deadline() const {
  return now() + left().value_or(kBisectSeconds);
}

Expected<NightState> NightState::open(const std::filesystem::path& path, NightEnvironment& environment) {
  NightState state;
  state.path_ = path;
  std::error_code problem;
  state.is_new = !std::filesystem::exists(path, problem);
  if (state.is_new) return state;
  Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  if (const int version = results::alarms_version(*text); version > results::kAlarmsVersion)
    return Error{fmt::format("'{}': expected a state of version {} or older, found version {}", path.string(),
                             results::kAlarmsVersion, version),
                 "use the build that wrote it, or move the file away: then old changes may be reported a second time",
                 ExitStatus::kUsage};
  Expected<std::vector<results::Alarm>> alarms = results::parse_alarms(*text, path.string());
  if (alarms) {
    state.alarms = std::move(*alarms);
    state.written_ = std::move(*text);
    return state;
  }
  const std::string aside = path.string() + ".unreadable";
  std::filesystem::rename(path, aside, problem);
  if (problem) return file_error("renaming", path, problem.value());
  environment.print_line(
      fmt::format("nightly: '{}' is not a valid state and is now {}: old changes may be reported a second time",
                  path.string(), aside));
  return state;
}

Expected<void> NightState::take_over(const std::filesystem::path& earlier, const std::string& machine) {
  std::error_code problem;
  if (!std::filesystem::exists(earlier, problem)) return {};
  const Expected<std::string> text = read_file(earlier);
  if (!text) return text.error();
  Expected<std::vector<results::Alarm>> all = results::parse_alarms(*text, earlier.string());
  if (!all) return all.error();
  std::erase_if(*all, [&](const results::Alarm& alarm) { return alarm.machine != machine; });
  alarms = std::move(*all);
  is_new = false;
  return {};
}

Expected<void> NightState::save() {
  std::string text = results::serialize(alarms);
  if (text == written_) return {};
  if (const Expected<void> written = write_file(path_, text); !written) return written.error();
  written_ = std::move(text);
  return {};
}

Expected<VerbOutcome> call_verb(NightEnvironment& environment, const std::string& verb,
                                const std::vector<std::string>& arguments) {
  Expected<VerbOutcome> outcome = environment.run_verb(verb, arguments);
  if (!outcome) return outcome;
  if (environment.interrupted() || outcome->status == static_cast<int>(ExitStatus::kInterrupted))
    return interrupted_error();
  constexpr int kUnfit = static_cast<int>(ExitStatus::kUnfit);
  if (outcome->status != 0 && outcome->status != 1 && outcome->status != kUnfit)
    return Error{outcome->status < 0 ? fmt::format("harness {} ended with signal {} ({})", verb, -outcome->status,
                                                   ::strsignal(-outcome->status))
                                     : fmt::format("harness {} ended with exit status {}", verb, outcome->status),
                 fmt::format("python3 make.py {}", verb)};
  return outcome;
}

}  // namespace lab::app
