#include "harness/bisect/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/stats/culprit.h"

namespace lab::bisect {

namespace {

/// Before any commit was measured: what preparing and measuring one costs, in seconds.
constexpr double kAssumedPreparing = 60;
constexpr double kAssumedMeasuring = 1;
constexpr double kMostlyHeld = 0.9;

/// The mean of what was added, or a guess.
struct Mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value_or(double guess) const { return count > 0 ? sum / count : guess; }
};

/// Commits by probability, the likeliest first, as many as hold `share` of the whole together.
std::vector<std::size_t> holders(const stats::Belief& belief, double share) {
  std::vector<std::size_t> order(belief.culprit.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return belief.culprit[a] > belief.culprit[b]; });
  double held = 0;
  std::size_t count = 0;
  while (count < order.size() && held < share && belief.culprit[order[count]] > 0)
    held += belief.culprit[order[count++]];
  order.resize(count);
  return order;
}

/// The record's entries as the estimator sees them.
class Known {
 public:
  /// Of former calls; what those could not have just then is asked for anew.
  Known(const Cell& cell, const std::vector<Entry>& entries) : cell_(cell), estimate_(cell.commits.size() - 1) {
    for (std::size_t i = 0; i < cell.commits.size(); ++i) place_[cell.commits[i].sha] = i;
    for (const Entry& entry : entries)
      if (!entry.again) take(entry);
  }

  void take(const Entry& entry) {
    const auto found = place_.find(entry.commit);
    if (found == place_.end()) return;
    const std::size_t commit = found->second;
    const double seconds = entry.prepare_seconds + entry.measure_seconds;
    seconds_ += seconds;
    spent_[commit] += seconds;
    if (!entry.identity.empty()) identify(commit, entry.identity);
    if (!entry.skip.empty()) {
      reasons_[commit] = entry.skip;
      estimate_.skip(commit);
    } else if (entry.value) {
      if (estimate_.measurements(commit) == 0)
        first_.add(spent_[commit]);
      else
        again_.add(entry.measure_seconds);
      estimate_.add(commit, *entry.value);
    }
  }

  std::size_t next(const Meter& meter) const {
    const double measuring = again_.value_or(first_.value_or(kAssumedMeasuring));
    const double preparing = std::max(0.0, first_.value_or(kAssumedPreparing) - measuring);
    std::vector<double> build_seconds(cell_.commits.size());
    for (std::size_t i = 0; i < build_seconds.size(); ++i)
      if (estimate_.measurements(i) == 0 && !meter.is_ready(cell_.commits[i].sha)) build_seconds[i] = preparing;
    return estimate_.next(build_seconds, std::max(measuring, 1e-6));
  }

  const stats::CulpritSearch& estimate() const { return estimate_; }
  std::size_t place(const std::string& sha) const { return place_.at(sha); }

  bool decided(double confidence) const { return estimate_.is_null(confidence) || estimate_.has_culprit(confidence); }

  Verdict verdict(double confidence) const {
    const stats::Belief& belief = estimate_.belief();
    Verdict verdict;
    verdict.null = belief.null;
    verdict.ratio = belief.ratio;
    verdict.most = belief.most;
    verdict.noise = belief.noise;
    verdict.measurements = estimate_.measurements();
    verdict.seconds = seconds_;
    for (std::size_t i = 0; i < cell_.commits.size(); ++i) verdict.measured_commits += estimate_.measurements(i) > 0;
    for (const auto& [commit, reason] : reasons_) verdict.skipped.push_back({cell_.commits[commit].sha, reason});
    const auto suspect = [&](std::size_t k) { verdict.suspects.push_back({cell_.commits[k].sha, belief.culprit[k]}); };
    if (estimate_.is_null(confidence)) {
      verdict.answer = Verdict::Answer::kNone;
      verdict.probability = belief.null;
    } else if (estimate_.has_culprit(confidence)) {
      const stats::Suspects& group = belief.likeliest;
      verdict.answer = group.first == group.last ? Verdict::Answer::kCulprit : Verdict::Answer::kSuspects;
      verdict.probability = group.probability;
      for (std::size_t k = group.first; k <= group.last; ++k) suspect(k);
    } else {
      for (const std::size_t k : holders(belief, confidence * (1 - belief.null))) suspect(k);
      for (const Suspect& each : verdict.suspects) verdict.probability += each.probability;
    }
    return verdict;
  }

 private:
  void identify(std::size_t commit, const std::string& identity) {
    const auto [at, fresh] = twins_.try_emplace(identity, commit);
    if (!fresh && at->second != commit) estimate_.same(at->second, commit);
  }

  const Cell& cell_;
  stats::CulpritSearch estimate_;
  std::map<std::string, std::size_t> place_;
  std::map<std::string, std::size_t> twins_;
  std::map<std::size_t, std::string> reasons_;
  std::map<std::size_t, double> spent_;  ///< seconds, by commit
  Mean first_;                           ///< seconds up to a commit's first value
  Mean again_;                           ///< and of every further one
  double seconds_ = 0;
};

class Search {
 public:
  Search(const Aim& aim, Meter& meter, Record& record, const World& world, const Observer& observer)
      : aim_(aim),
        meter_(meter),
        record_(record),
        world_(world),
        observer_(observer),
        known_(record.cell(), record.entries()),
        start_(world.now()) {}

  Expected<Verdict> to_the_end() {
    // Equal executables at both ends are an answer; also, what is wrong with an end is said before anything is
    // measured.
    for (const revisions::Commit* end : {&record_.cell().commits.back(), &record_.cell().commits.front()}) {
      if (known_.decided(aim_.confidence)) break;
      Entry entry;
      entry.commit = end->sha;
      if (const Expected<void> done = prepare(entry); !done) return done.error();
      if (entry.identity.empty()) continue;
      if (const Expected<void> kept = keep(std::move(entry)); !kept) return kept.error();
    }
    while (!known_.decided(aim_.confidence) && in_time()) {
      const std::string sha = record_.cell().commits[known_.next(meter_)].sha;
      Entry entry;
      entry.commit = sha;
      if (const Expected<void> done = fill(entry); !done) return done.error();
      if (const Expected<void> kept = keep(std::move(entry)); !kept) return kept.error();
    }
    return known_.verdict(aim_.confidence);
  }

 private:
  bool in_time() const {
    return known_.estimate().measurements() < kMostMeasurements &&
           (aim_.budget_seconds <= 0 || world_.now() - start_ < aim_.budget_seconds);
  }

  bool is_end(const std::string& sha) const {
    const auto& commits = record_.cell().commits;
    return sha == commits.front().sha || sha == commits.back().sha;
  }

  Expected<void> fill(Entry& entry) {
    if (!prepared_.contains(entry.commit)) {
      if (const Expected<void> done = prepare(entry); !done) return done.error();
      // What equals another commit need not be measured to know that: first see what is left to ask.
      const bool measured = known_.estimate().measurements(known_.place(entry.commit)) > 0;
      if (!entry.skip.empty() || (!entry.identity.empty() && !measured)) return {};
    }
    return measure(entry);
  }

  Expected<void> prepare(Entry& entry) {
    if (observer_.on_start) observer_.on_start(entry.commit, true);
    const double before = world_.now();
    const Expected<Prepared> prepared = meter_.prepare(entry.commit);
    entry.prepare_seconds = world_.now() - before;
    if (!prepared) return prepared.error();
    if (!prepared->later.empty()) return later(entry, *prepared);
    later_ = 0;
    entry.identity = prepared->identity;
    if (!prepared->skip.empty()) return skip(entry, prepared->skip, prepared->hint);
    prepared_.insert(entry.commit);
    return {};
  }

  Expected<void> measure(Entry& entry) {
    std::string failure;
    for (int tried = 0; tried < kTries; ++tried) {
      if (observer_.on_start) observer_.on_start(entry.commit, false);
      const double before = world_.now();
      const Expected<Reading> reading = meter_.measure(entry.commit);
      entry.measure_seconds += world_.now() - before;
      if (!reading) return reading.error();
      if (!reading->skip.empty()) return skip(entry, reading->skip, "");
      if (reading->failure.empty()) {
        entry.value = reading->value;
        return {};
      }
      failure = reading->failure;
      if (observer_.on_failure) observer_.on_failure(entry.commit, failure);
    }
    return skip(entry, fmt::format("{}, {} times", failure, kTries), "");
  }

  Expected<void> skip(Entry& entry, const std::string& reason, const std::string& hint) {
    if (is_end(entry.commit))
      return Error{fmt::format("the {} end, {}, cannot be measured: {}",
                               entry.commit == record_.cell().commits.front().sha ? "good" : "bad",
                               entry.commit.substr(0, 12), reason),
                   hint.empty() ? "choose an end that can be measured" : hint, ExitStatus::kUsage};
    entry.skip = reason;
    return {};
  }

  Expected<void> later(Entry& entry, const Prepared& prepared) {
    if (is_end(entry.commit) || ++later_ >= kLaterInARow) return Error{prepared.later, prepared.hint};
    entry.again = true;
    entry.skip = prepared.later;
    return {};
  }

  Expected<void> keep(Entry entry) {
    known_.take(entry);
    const Verdict verdict = known_.verdict(aim_.confidence);
    const stats::Belief& belief = known_.estimate().belief();
    entry.at = world_.utc();
    entry.null = belief.null;
    for (const std::size_t k : holders(belief, 1)) {
      if (entry.most.size() == kKept) break;
      entry.most.push_back({record_.cell().commits[k].sha, belief.culprit[k]});
    }
    if (const Expected<void> kept = record_.append(entry); !kept) return kept.error();
    if (observer_.on_step) observer_.on_step({entry, verdict, holders(belief, kMostlyHeld * (1 - belief.null)).size()});
    return {};
  }

  const Aim& aim_;
  Meter& meter_;
  Record& record_;
  const World& world_;
  const Observer& observer_;
  Known known_;
  std::set<std::string> prepared_;
  int later_ = 0;
  double start_;
};

}  // namespace

Expected<Verdict> search(const Aim& aim, Meter& meter, Record& record, const World& world, const Observer& observer) {
  return Search(aim, meter, record, world, observer).to_the_end();
}

Verdict conclude(const Cell& cell, const std::vector<Entry>& entries, double confidence) {
  return Known(cell, entries).verdict(confidence);
}

}  // namespace lab::bisect
