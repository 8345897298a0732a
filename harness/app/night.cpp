#include "harness/app/night.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "harness/app/history.h"
#include "harness/app/keep.h"
#include "harness/app/night_steps.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/lock.h"
#include "harness/base/terminal.h"
#include "harness/base/utc.h"
#include "harness/judge/alarms.h"
#include "harness/judge/farm.h"
#include "harness/judge/fitness.h"
#include "harness/report/fitness_text.h"
#include "harness/report/history_text.h"
#include "harness/report/night_text.h"
#include "harness/report/notices.h"
#include "harness/results/result.h"
#include "harness/results/told.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// "20260802T231500Z"
std::string folder_name(std::time_t seconds) {
  std::string name = utc(seconds);
  std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
  return name;
}

/// Whether `name` has the format of folder_name().
bool is_report(const std::string& name) {
  constexpr std::string_view kForm = "ddddddddTddddddZ";
  return std::equal(name.begin(), name.end(), kForm.begin(), kForm.end(),
                    [](char c, char form) { return form == 'd' ? c >= '0' && c <= '9' : c == form; });
}

ExitStatus verdict_of(const report::NightFindings& found) {
  const bool nothing_ran = found.benchmarks.empty();
  if (!nothing_ran && !found.night.fit) return found.failures.empty() ? ExitStatus::kUnfit : ExitStatus::kFailed;
  if (!found.alarms.empty()) return ExitStatus::kRegression;
  return nothing_ran || !found.failures.empty() ? ExitStatus::kFailed : ExitStatus::kOk;
}

/// Removes the oldest reports, never results.
void prune(const fs::path& folder, int keep) {
  std::set<fs::path> reports;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (is_report(entry.path().filename().string())) reports.insert(entry.path());
  while (reports.size() > static_cast<std::size_t>(keep)) {
    fs::remove_all(*reports.begin(), ignored);
    reports.erase(reports.begin());
  }
}

void print_error(const Error& error, NightEnvironment& environment) {
  environment.print_line(fmt::format("harness: error: {}", error.what));
  if (!error.hint.empty()) environment.print_line(fmt::format("hint: {}", error.hint));
}

/// A second session must be at least this share of the first: a shorter one would hardly be fit.
constexpr double kLeastAgain = 0.4;

/// One night in one results folder.
class NightRun {
 public:
  NightRun(const NightRequest& request, NightEnvironment& environment, const std::string& machine)
      : request_(request),
        environment_(environment),
        machine_(machine),
        time_(request, environment),
        folder_(request.results / "nightly" / machine),
        report_(folder_ / folder_name(environment.now() - static_cast<std::time_t>(request.spent_seconds))) {}

  Expected<ExitStatus> run(const std::function<void(const NightSummary&)>& summary) {
    Expected<NightSummary> judgement = measure_and_judge();
    if (!judgement) {
      if (judgement.error().status == ExitStatus::kInterrupted) return judgement.error();
      alarms_.clear();  // this summary cannot name them; the next night's will
      print_error(judgement.error(), environment_);
      judgement = NightSummary{ExitStatus::kFailed, judgement.error().what};
    }
    if (const Expected<void> done = deliver(*judgement); !done) return done.error();
    tell_others(*judgement);
    if (environment_.interrupted()) return interrupted_error();
    prune(folder_, request_.keep);
    std::error_code problem;
    const auto made = [&](const char* name) {
      return fs::exists(report_ / name, problem) ? report_ / name : fs::path();
    };
    judgement->machine = machine_;
    judgement->sessions = sessions_;
    judgement->report = made("index.html");
    judgement->history = made("history.txt");
    judgement->junit = made("junit.xml");
    judgement->seconds = time_.passed();
    for (const std::size_t i : alarms_) judgement->regressions.push_back(state_.alarms[i]);
    for (const std::size_t i : over_) judgement->recoveries.push_back(state_.alarms[i]);
    judgement->line = fmt::format("nightly: {}: {}; {}{}", name_of(judgement->verdict), judgement->line,
                                  duration_text(judgement->seconds),
                                  judgement->report.empty() ? "" : "; " + judgement->report.string());
    summary(*judgement);
    mark_reported();
    tidy();
    return judgement->verdict;
  }

 private:
  /// Also what earlier nights could not deliver. An error only if interrupted.
  Expected<void> deliver(NightSummary& judgement) {
    if (request_.deliver_to.empty()) return {};
    const Expected<VerbOutcome> done = call_verb(environment_, "deliver", {"--to", request_.deliver_to});
    if (!done && done.error().status == ExitStatus::kInterrupted) return done.error();
    if (!done) print_error(done.error(), environment_);
    if (done && done->status == 0) return {};
    judgement.line += "; not delivered";
    if (judgement.verdict == ExitStatus::kOk) judgement.verdict = ExitStatus::kFailed;
    return {};
  }

  /// Also what earlier nights could not tell. Nothing if the night ended before it knew the machine's alarms.
  void tell_others(NightSummary& judgement) {
    if (!request_.notify || !is_judged_) return;
    const Expected<Telling> telling = tell_of_night();
    const std::string remark = telling ? telling->remark : "--notify: nothing is told: " + telling.error().what;
    if (remark.empty()) return;
    environment_.print_line("nightly: " + remark);
    judgement.line += "; not all told";
    if (judgement.verdict == ExitStatus::kOk) judgement.verdict = ExitStatus::kFailed;
  }

  Expected<Telling> tell_of_night() {
    Expected<results::Told> told = results::Told::open(folder_);
    if (!told) return told.error();
    if (told->is_first())
      if (const Expected<void> added = told->add(known_before()); !added) return added.error();
    std::vector<report::Notice> due;
    const auto add = [&](results::NoticeKind kind, const auto& is_due) {
      // As the summary has them: one notice for each cause.
      std::map<std::pair<std::string, std::string>, std::vector<results::Alarm>> groups;
      for (std::size_t i = 0; i < state_.alarms.size(); ++i) {
        const results::Alarm& alarm = state_.alarms[i];
        if (alarm.machine != machine_ || !is_due(i, alarm) || told->has(kind, report::item_of(alarm))) continue;
        groups[{alarm.ended.value_or(""), report::cause_of(alarm)}].push_back(alarm);
      }
      for (const auto& [cause, alarms] : groups) {
        const results::Alarm& first = alarms.front();
        const auto started = started_.find(first.session);
        const report::NightWords words{alarms, started == started_.end() ? first.session : started->second, hardware_,
                                       commit_count(first.commits)};
        due.push_back(kind == results::NoticeKind::kAlarm ? report::alarm_notice(words)
                                                          : report::recovery_notice(words));
      }
    };
    add(results::NoticeKind::kAlarm,
        [&](std::size_t i, const results::Alarm& alarm) { return !alarm.ended && is_in_a_summary(i); });
    add(results::NoticeKind::kRecovery,
        [&](std::size_t, const results::Alarm& alarm) { return alarm.ended.has_value(); });
    return tell(std::move(due), *told, *request_.notify, environment_.stop_file());
  }

  bool is_in_a_summary(std::size_t alarm) const {
    return state_.alarms[alarm].reported || std::ranges::find(alarms_, alarm) != alarms_.end();
  }

  /// What earlier nights, which told nobody, have reported.
  std::vector<results::ToldRecord> known_before() const {
    std::vector<results::ToldRecord> known{first_record()};
    const std::set<std::size_t> tonight(over_.begin(), over_.end());
    for (std::size_t i = 0; i < state_.alarms.size(); ++i) {
      const results::Alarm& alarm = state_.alarms[i];
      if (alarm.machine != machine_) continue;
      if (alarm.reported) known.push_back({utc_now(), results::NoticeKind::kAlarm, "", "", {report::item_of(alarm)}});
      if (alarm.ended && !tonight.contains(i))
        known.push_back({utc_now(), results::NoticeKind::kRecovery, "", "", {report::item_of(alarm)}});
    }
    return known;
  }

  /// 0 if git does not say.
  std::size_t commit_count(const results::CommitRange& commits) const {
    if (!commits.from || !commits.to) return 0;
    const Expected<std::vector<std::string>> between =
        environment_.commits({fmt::format("{}..{}", *commits.from, *commits.to)});
    return between ? between->size() : 0;
  }

  Expected<NightSummary> measure_and_judge() {
    time_.keep_for_bisects();
    std::string_view before = "building";
    if (request_.backfill > 0) {
      const Expected<bool> earlier = measure_missing(request_, environment_, time_);
      if (!earlier) return earlier.error();
      if (*earlier) before = "building and earlier commits";
    }
    std::vector<std::string> arguments{"--fixed"};
    if (const std::optional<double> seconds = time_.share(1)) {
      if (*seconds < 1)
        return Error{
            fmt::format("{} used all of the {}; nothing was measured", before, duration_text(*request_.budget_seconds)),
            "use a larger --budget; the build is kept in the checkout"};
      arguments.insert(arguments.end(), {"--budget", fmt::format("{:.0f}", *seconds)});
    }
    Expected<VerbOutcome> session = call_verb(environment_, "run", arguments);
    if (!session) return session.error();
    if (session->last_line.empty()) return NightSummary{ExitStatus::kFailed, "no result"};
    sessions_.push_back(session->last_line);
    const Expected<VerbOutcome> again = measure_again(session->last_line);
    if (!again) return again.error();
    if (!again->last_line.empty()) {
      session = again;
      sessions_.push_back(session->last_line);
    }
    return report_of(session->last_line, session->status);
  }

  /// A second session if this one is unfit and there is time: what disturbed it may be over. It gets what was kept for
  /// bisects: those wait for the next night, because a verdict comes first. Without a second session, the outcome is
  /// empty.
  Expected<VerbOutcome> measure_again(const std::string& session) {
    const Expected<results::Result> result = results::load_result(session);
    if (!result) return VerbOutcome{};  // report_of() says why
    const judge::Fitness fitness = judge::level_fitness(*result);
    if (fitness.fit || result->session.state == "interrupted") return VerbOutcome{};
    time_.keep_nothing_for_bisects();
    std::vector<std::string> arguments{"--fixed"};
    if (const std::optional<double> seconds = time_.share(1)) {
      if (*seconds < kLeastAgain * result->session.wall_seconds || *seconds < 1) return VerbOutcome{};
      arguments.insert(arguments.end(), {"--budget", fmt::format("{:.0f}", *seconds)});
    }
    environment_.print_line(fmt::format("nightly: measured again: {}", report::unfit_sentences(fitness).front()));
    return call_verb(environment_, "run", arguments);
  }

  /// Judges the session and writes its report, even if judging failed.
  Expected<NightSummary> report_of(const std::string& session, int status) {
    Expected<NightSummary> judgement = judge(session);
    if (!judgement) {
      if (judgement.error().status == ExitStatus::kInterrupted) return judgement;
      print_error(judgement.error(), environment_);
      judgement = NightSummary{ExitStatus::kFailed, judgement.error().what};
    }
    const Expected<VerbOutcome> page = call_verb(environment_, "report", {session, "--out", report_.string()});
    if (!page && page.error().status == ExitStatus::kInterrupted) return page.error();
    if (!page) environment_.print_line(fmt::format("nightly: no report: {}", page.error().what));
    const Expected<bool> history = write_history();
    if (!history) return history.error();
    const auto failed = [](int one) { return one != 0 && one != static_cast<int>(ExitStatus::kUnfit); };
    if (judgement->verdict == ExitStatus::kOk && (failed(status) || !page || failed(page->status)))
      return NightSummary{ExitStatus::kFailed, judgement->line + "; the session or its report failed"};
    if (judgement->verdict == ExitStatus::kOk && !*history)
      return NightSummary{ExitStatus::kFailed, judgement->line + "; the table of changes failed"};
    return judgement;
  }

  /// Writes history.txt; false if `history` did not end well, which the file then says, too.
  Expected<bool> write_history() {
    const HistoryText history = environment_.history_text();
    if (environment_.interrupted()) return interrupted_error();
    std::string text = history.text;
    if (!history.problem.empty()) {
      environment_.print_line(fmt::format("nightly: no table of changes: {}", history.problem));
      text += history.problem + "\n";
    }
    if (const Expected<void> written = write_file(report_ / "history.txt", text); !written) return written.error();
    return history.problem.empty();
  }

  Expected<NightSummary> judge(const std::string& session) {
    const Expected<results::Result> result = results::load_result(session);
    if (!result) return result.error();
    const HistoryObserver observer{
        .on_remark = [&](const std::string& sentence) { environment_.print_line("history: " + sentence); }};
    const Expected<std::vector<judge::SeriesHistory>> all =
        machine_history(request_.results, result->machine.id, observer);
    if (!all) return all.error();
    judge::NightFitness night = judge::judge_night(*all, *result);
    Expected<NightState> state = NightState::open(folder_ / "state.json", environment_);
    if (state && state->is_new)
      if (const Expected<void> taken = state->take_over(folder_.parent_path() / "state.json", result->machine.id);
          !taken)
        return taken.error();
    if (!state) return state.error();
    state_ = std::move(*state);
    if (const Expected<void> added = add_new_alarms(*all, night); !added) return added.error();
    const std::vector<std::size_t> alarms = night.fit ? unreported(night.machine) : std::vector<std::size_t>();
    const Expected<std::vector<std::size_t>> tried =
        continue_bisects(state_, night.machine, night.fit, environment_, time_);
    if (!tried) return tried.error();
    if (const Expected<void> saved = state_.save(); !saved) return saved.error();
    const report::NightFindings found = findings(*result, std::move(night), alarms, *tried);
    if (const Expected<void> written = write_file(report_ / "junit.xml", report::night_junit(found)); !written)
      return written.error();
    alarms_ = alarms;
    is_judged_ = true;
    hardware_ = judge::hardware_of(judge::condense(*result).environment);
    for (const results::Alarm& alarm : state_.alarms)
      for (const judge::SeriesHistory& one : *all)
        if (one.series.benchmark == alarm.benchmark && one.series.version == alarm.version) {
          const auto point = std::ranges::find(one.points, alarm.session, &results::SeriesPoint::session);
          if (point != one.points.end()) started_[alarm.session] = point->started;
        }
    NightSummary summary{verdict_of(found), report::night_text(found)};
    summary.unfit = report::night_sentences(found.night).unfit;
    return summary;
  }

  Expected<void> add_new_alarms(const std::vector<judge::SeriesHistory>& all, const judge::NightFitness& night) {
    for (const judge::SeriesHistory& history : all) {
      for (results::Alarm& alarm : judge::new_alarms(history, night, state_.alarms, state_.is_new))
        state_.alarms.push_back(std::move(alarm));
      if (night.fit) tell_good_news(history, night);
    }
    return state_.save();
  }

  /// What is over, what was the machine, and what became better: each once, because the state keeps the first and one
  /// night finds the second. What was over before the first night is no news.
  void tell_good_news(const judge::SeriesHistory& history, const judge::NightFitness& night) {
    for (const judge::EndedAlarm& ended : judge::ended_alarms(history, state_.alarms)) {
      results::Alarm& alarm = state_.alarms[ended.alarm];
      alarm.ended = ended.since;
      over_.push_back(ended.alarm);
      if (!state_.is_new)
        environment_.print_line(
            fmt::format("nightly: {} is back to normal since {}", alarm.benchmark, ended.since.substr(0, 10)));
    }
    for (const judge::WithdrawnAlarm& one : judge::withdrawn_alarms(history, state_.alarms)) {
      results::Alarm& alarm = state_.alarms[one.alarm];
      alarm.ended = history.points.back().started;
      alarm.withdrawn = one.evidence;
      over_.push_back(one.alarm);
      alarm.bisect.emplace();
      alarm.bisect->answer = "none";
      alarm.bisect->reason = one.evidence;
      environment_.print_line(
          fmt::format("nightly: {} is withdrawn, it was the machine: {}", alarm.benchmark, one.evidence));
    }
    for (const judge::LevelChange& change : judge::new_improvements(history, night))
      environment_.print_line(fmt::format("nightly: {} improved by {} in {}", history.series.benchmark,
                                          report::change_text(change.ratio), report::commits_text(change.commits)));
  }

  /// The machine's alarms that no summary has named, the largest first.
  std::vector<std::size_t> unreported(const std::string& machine) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < state_.alarms.size(); ++i)
      if (state_.alarms[i].machine == machine && !state_.alarms[i].reported) places.push_back(i);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return state_.alarms[a].ratio > state_.alarms[b].ratio; });
    return places;
  }

  report::NightFindings findings(const results::Result& result, judge::NightFitness night,
                                 const std::vector<std::size_t>& alarms, const std::vector<std::size_t>& tried) const {
    report::NightFindings found;
    for (const results::Process& process : result.processes)
      if (process.arm == results::kHead) found.benchmarks.insert(process.benchmark);
    for (const results::Waiting& one : result.session.waiting) found.without_turn.insert(one.benchmark);
    found.failures = result.failures;
    found.waiting = static_cast<std::size_t>(std::ranges::count_if(
        state_.alarms, [&](const auto& alarm) { return alarm.machine == night.machine && judge::is_open(alarm); }));
    found.night = std::move(night);
    for (const std::size_t i : alarms) found.alarms.push_back(state_.alarms[i]);
    for (const std::size_t i : tried)
      if (std::find(alarms.begin(), alarms.end(), i) == alarms.end()) found.reported_before.push_back(state_.alarms[i]);
    return found;
  }

  /// Call after the summary: the next night will not repeat tonight's alarms.
  void mark_reported() {
    if (alarms_.empty()) return;
    for (const std::size_t i : alarms_) state_.alarms[i].reported = true;
    if (const Expected<void> saved = state_.save(); !saved)
      environment_.print_line(fmt::format("nightly: the state is not written ({}): its changes will be reported again",
                                          saved.error().what));
  }

  /// Packs older results, and removes what the request says. Nothing of it decides the night.
  void tidy() {
    const auto tell = [&](const std::string& problem) { environment_.print_line("nightly: " + problem); };
    std::error_code none;
    if (!fs::is_directory(request_.results / machine_, none)) return;
    const Expected<Packing> packed = pack({request_.results, machine_});
    if (!packed) return tell(packed.error().what);
    std::ranges::for_each(packed->problems, tell);
    if (!request_.samples_days && !request_.exhibits_days) return;
    const Expected<Keeping> kept = app::keep(
        {request_.results, machine_, request_.samples_days, request_.exhibits_days, true, environment_.now()});
    if (!kept) return tell(kept.error().what);
    std::ranges::for_each(kept->problems, tell);
    if (!kept->removed.empty())
      tell(fmt::format("samples or exhibits removed of {}", counted(kept->removed.size(), "result")));
  }

  const NightRequest& request_;
  NightEnvironment& environment_;
  std::string machine_;
  NightTime time_;
  fs::path folder_;
  fs::path report_;  ///< tonight's
  NightState state_;
  std::vector<std::size_t> alarms_;  ///< indices (in the state) of the alarms in tonight's summary
  std::vector<std::size_t> over_;    ///< the same of those that tonight found to be over
  bool is_judged_ = false;
  std::string hardware_;
  std::map<std::string, std::string> started_;  ///< by session, of those that alarms name
  std::vector<fs::path> sessions_;
};

}  // namespace

std::string_view name_of(ExitStatus verdict) {
  if (verdict == ExitStatus::kOk) return "fine";
  if (verdict == ExitStatus::kRegression) return "regression";
  return verdict == ExitStatus::kUnfit ? "unfit" : "failed";
}

Expected<ExitStatus> run_night(const NightRequest& request, NightEnvironment& environment,
                               const std::function<void(const NightSummary&)>& summary) {
  const auto fail = [&](const Error& error) {
    print_error(error, environment);
    summary({ExitStatus::kFailed, fmt::format("nightly: {}: {}", name_of(ExitStatus::kFailed), error.what)});
    return ExitStatus::kFailed;
  };
  const Expected<std::string> machine = environment.machine();
  if (!machine) return fail(machine.error());
  const Expected<File> lock = lock_file(request.results / "nightly" / *machine / "lock", LockKind::kTryExclusive);
  if (!lock) return fail(lock.error());
  if (lock->get() < 0)
    return fail({fmt::format("another nightly run measures as '{}'", *machine),
                 "give each host a name of its own with LAB_MACHINE"});
  return NightRun(request, environment, *machine).run(summary);
}

}  // namespace lab::app
