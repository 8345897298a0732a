#include "harness/app/bisect_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "harness/base/terminal.h"
#include "harness/results/commit.h"
#include "harness/stats/culprit.h"

namespace lab::app {

namespace {

/// BisectStep::credible_set_size counts the commits that hold this share of the probability.
constexpr double kCredibleShare = 0.9;

class BisectSearch {
 public:
  BisectSearch(const BisectGoal& goal, measure::Meter& meter, results::BisectRecord& record, const SearchClock& clock,
               BisectEvents& events)
      : goal_(goal),
        meter_(meter),
        record_(record),
        clock_(clock),
        events_(events),
        known_(record.question(), record.entries()),
        start_(clock.now()) {}

  Expected<judge::BisectVerdict> to_the_end() {
    if (const Expected<void> done = ends(); !done && !is_cut_off(done.error())) return done.error();
    while (unfinished_.empty()) {
      const auto next = known_.next(
          goal_.confidence, [this](const std::string& commit) { return meter_.is_ready(commit); }, seconds_left());
      if (!next || !in_time(*next)) break;
      results::BisectEntry entry;
      entry.commit = record_.question().commits[next->commit].sha;
      entry.pair = next->pair;
      entry.against = next->against;
      if (const Expected<void> done = fill(entry); !done) {
        if (is_cut_off(done.error())) break;
        return done.error();
      }
      if (const Expected<void> kept = keep(std::move(entry)); !kept) return kept.error();
    }
    judge::BisectVerdict verdict = known_.verdict(goal_.confidence);
    verdict.unfinished = unfinished_;
    return verdict;
  }

 private:
  /// Equal executables at both ends are an answer. Also, errors at an end are reported before any measurement.
  Expected<void> ends() {
    for (const results::Commit* end : {&record_.question().commits.back(), &record_.question().commits.front()}) {
      if (known_.is_null(goal_.confidence)) break;
      results::BisectEntry entry;
      entry.commit = end->sha;
      if (const Expected<void> done = prepare(entry); !done) return done.error();
      if (entry.identity.empty()) {
        unrecorded_[entry.commit] = entry.prepare_seconds;
        continue;
      }
      if (const Expected<void> kept = keep(std::move(entry)); !kept) return kept.error();
    }
    return {};
  }

  double seconds_left() const {
    if (goal_.budget_seconds <= 0) return std::numeric_limits<double>::infinity();
    return goal_.budget_seconds - (clock_.now() - start_);
  }

  bool in_time(const judge::BisectEvidence::Choice& next) {
    const double left = seconds_left();
    if (known_.measurements() >= kMostMeasurements)
      unfinished_ = fmt::format("{} measurements did not decide", kMostMeasurements);
    else if (left <= 0)
      unfinished_ = "the budget is spent";
    else if (next.preparing > left)
      unfinished_ = fmt::format("{} of the budget is left, and preparing a commit takes about {}", duration_text(left),
                                duration_text(next.preparing));
    return unfinished_.empty();
  }

  /// Whether `error` only says that the budget ended, which stops what runs (app::bisect).
  bool is_cut_off(const Error& error) {
    if (error.status != ExitStatus::kInterrupted || seconds_left() > 0) return false;
    unfinished_ = fmt::format("the budget ended while {} was {}", results::short_commit(current_),
                              prepared_.contains(current_) ? "measured" : "prepared");
    return true;
  }

  bool is_end(const std::string& sha) const {
    const auto& commits = record_.question().commits;
    return sha == commits.front().sha || sha == commits.back().sha;
  }

  Expected<void> fill(results::BisectEntry& entry) {
    if (!prepared_.contains(entry.commit)) {
      if (const Expected<void> done = prepare(entry); !done) return done.error();
      // Equality with another commit is an entry without a measurement; after it, the search chooses again.
      const bool measured = known_.measurements(known_.place(entry.commit)) > 0;
      if (!entry.skip.empty() || (!entry.identity.empty() && !measured)) return {};
    }
    entry.prepare_seconds += std::exchange(unrecorded_[entry.commit], 0);
    return measure(entry);
  }

  Expected<void> prepare(results::BisectEntry& entry) {
    current_ = entry.commit;
    events_.on_prepare(entry.commit);
    const double before = clock_.now();
    const Expected<measure::PreparedCommit> prepared = meter_.prepare(entry.commit);
    entry.prepare_seconds = clock_.now() - before;
    if (!prepared) return prepared.error();
    if (!prepared->later.empty()) return later(entry, *prepared);
    later_ = 0;
    entry.identity = prepared->identity;
    if (!prepared->skip.empty()) return skip(entry, prepared->skip, prepared->hint);
    prepared_.insert(entry.commit);
    return {};
  }

  Expected<void> measure(results::BisectEntry& entry) {
    current_ = entry.commit;
    std::string failure;
    const auto turn = static_cast<int>(known_.measurements(known_.place(entry.commit)));
    for (int tried = 0; tried < kTries; ++tried) {
      const double before = clock_.now();
      const Expected<measure::MeterReading> reading = meter_.measure(entry.commit, turn);
      entry.measure_seconds += clock_.now() - before;
      if (!reading) return reading.error();
      if (!reading->skip.empty()) return skip(entry, reading->skip, "");
      if (reading->failure.empty()) {
        entry.value = reading->value;
        entry.layout = reading->layout;
        return {};
      }
      failure = reading->failure;
      events_.on_failure(entry.commit, failure);
    }
    return skip(entry, fmt::format("{}, {} times", failure, kTries), "");
  }

  Expected<void> skip(results::BisectEntry& entry, const std::string& reason, const std::string& hint) {
    if (is_end(entry.commit))
      return Error{fmt::format("the {} end, {}, cannot be measured: {}",
                               entry.commit == record_.question().commits.front().sha ? "good" : "bad",
                               results::short_commit(entry.commit), reason),
                   hint.empty() ? "choose an end that can be measured" : hint, ExitStatus::kUsage};
    entry.skip = reason;
    return {};
  }

  Expected<void> later(results::BisectEntry& entry, const measure::PreparedCommit& prepared) {
    if (is_end(entry.commit) || ++later_ >= kLaterInARow) return Error{prepared.later, prepared.hint};
    entry.again = true;
    entry.skip = prepared.later;
    return {};
  }

  Expected<void> keep(results::BisectEntry entry) {
    known_.take(entry);
    entry.at = clock_.utc();
    entry.null = known_.null();
    entry.most = known_.likeliest(1);
    entry.most.resize(std::min(entry.most.size(), results::kKeptSuspects));
    if (const Expected<void> kept = record_.append(entry); !kept) return kept.error();
    events_.on_step(
        {entry, known_.verdict(goal_.confidence), known_.likeliest(kCredibleShare * (1 - entry.null)).size()});
    return {};
  }

  const BisectGoal& goal_;
  measure::Meter& meter_;
  results::BisectRecord& record_;
  const SearchClock& clock_;
  BisectEvents& events_;
  judge::BisectEvidence known_;
  std::set<std::string> prepared_;
  std::map<std::string, double> unrecorded_;  ///< seconds of preparing that no entry has
  std::string current_;                       ///< the commit that is prepared or measured
  std::string unfinished_;                    ///< BisectVerdict::unfinished
  int later_ = 0;
  double start_;
};

}  // namespace

Expected<judge::BisectVerdict> search(const BisectGoal& goal, measure::Meter& meter, results::BisectRecord& record,
                                      const SearchClock& clock, BisectEvents& events) {
  return BisectSearch(goal, meter, record, clock, events).to_the_end();
}

}  // namespace lab::app
