#include "harness/judge/bisect.h"

#include <algorithm>
#include <numeric>

namespace lab::judge {

using results::BisectEntry;
using results::BisectQuestion;
using results::Suspect;

namespace {

/// Assumed cost of preparing and measuring a commit until one was measured, in seconds.
constexpr double kAssumedPreparing = 60;
constexpr double kAssumedMeasuring = 1;
constexpr double kTooDear = 1e12;  ///< seconds to build what there is no time for

/// The most likely commits, most likely first: the fewest that together hold `share` of the probability.
std::vector<std::size_t> credible_set(const std::vector<double>& culprit, double share) {
  std::vector<std::size_t> order(culprit.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return culprit[a] > culprit[b]; });
  double held = 0;
  std::size_t count = 0;
  while (count < order.size() && held < share && culprit[order[count]] > 0) held += culprit[order[count++]];
  order.resize(count);
  return order;
}

}  // namespace

BisectEvidence::BisectEvidence(const BisectQuestion& question, const std::vector<BisectEntry>& entries)
    : question_(question), estimate_(question.commits.size() - 1) {
  for (std::size_t i = 0; i < question.commits.size(); ++i) place_[question.commits[i].sha] = i;
  for (const BisectEntry& entry : entries)
    if (!entry.again) take(entry);
}

void BisectEvidence::take(const BisectEntry& entry) {
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
    // A record of an older build, or a metric that is measured in one layout, has several measurements of one.
    std::set<int>& layouts = layouts_[commit];
    has_more_layouts_ =
        has_more_layouts_ && entry.layout > 0 &&
        layouts.size() == std::min<std::size_t>(estimate_.measurements(commit), results::kLayoutsOfCommit);
    estimate_.links_of_build(has_more_layouts_ ? results::kLayoutsOfCommit : 1);
    estimate_.add(commit, *entry.value, static_cast<std::size_t>(entry.layout));
    layouts.insert(entry.layout);
  }
}

const stats::StepsPosterior* BisectEvidence::all_steps(double required) const {
  std::size_t measured = 0;
  for (std::size_t i = 0; i < question_.commits.size(); ++i) measured += estimate_.measurements(i) > 0;
  if (measured < 3) return nullptr;
  if (estimate_.has_several()) return estimate_.steps();
  if (!estimate_.has_culprit(required) && !estimate_.is_exhausted()) return nullptr;
  const stats::StepsPosterior* const steps = estimate_.steps();
  // Where one culprit could not be named, sets of steps are no reason to measure on, unless they name one.
  return estimate_.has_culprit(required) || !steps->named(required).empty() ? steps : nullptr;
}

BisectEvidence::Beliefs BisectEvidence::current() const {
  Beliefs beliefs{estimate_.posterior().null, estimate_.posterior().culprit};
  const stats::StepsPosterior* steps = estimate_.has_several() ? estimate_.steps() : nullptr;
  if (steps == nullptr) return beliefs;
  beliefs.several = steps;
  beliefs.null = steps->null();
  double sum = 0;
  for (std::size_t k = 1; k < beliefs.culprit.size(); ++k) sum += beliefs.culprit[k] = steps->step(k);
  for (double& probability : beliefs.culprit) probability *= (1 - beliefs.null) / std::max(sum, 1e-300);
  return beliefs;
}

std::optional<BisectEvidence::Choice> BisectEvidence::next(double required,
                                                           const std::function<bool(const std::string& sha)>& is_ready,
                                                           double seconds_left) const {
  const double measuring = std::max(again_.value_or(first_.value_or(kAssumedMeasuring)), 1e-6);
  const double preparing = std::max(0.0, first_.value_or(kAssumedPreparing) - measuring);
  std::vector<double> build_seconds(question_.commits.size()), affordable(question_.commits.size());
  for (std::size_t i = 0; i < build_seconds.size(); ++i) {
    if (estimate_.measurements(i) == 0 && !is_ready(question_.commits[i].sha)) build_seconds[i] = preparing;
    // Without an example nobody knows what it costs.
    const bool is_dear = first_.count > 0 && build_seconds[i] > seconds_left;
    affordable[i] = is_dear ? kTooDear : build_seconds[i];
  }
  std::optional<std::size_t> chosen;
  if (const stats::StepsPosterior* steps = all_steps(required))
    chosen = steps->next(required, affordable, measuring);
  else if (!estimate_.is_null(required) && !estimate_.has_culprit(required) && !estimate_.is_exhausted())
    chosen = estimate_.next(affordable, measuring);
  if (!chosen) return std::nullopt;
  return Choice{*chosen, first_.count > 0 ? build_seconds[*chosen] : 0};
}

void BisectEvidence::add_steps(const stats::StepsPosterior& steps, double required, BisectVerdict& verdict) const {
  const std::vector<stats::FoundStep> named = steps.named(required);
  if (named.empty()) return;
  const auto sha = [&](std::size_t k) { return question_.commits[k].sha; };
  std::size_t worst = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i].ratio > named[worst].ratio) worst = i;
    BisectCulprit& culprit = verdict.culprits.emplace_back();
    for (std::size_t k = named[i].commits.first; k <= named[i].commits.last; ++k) culprit.commits.push_back(sha(k));
    culprit.probability = named[i].commits.probability;
    culprit.ratio = named[i].ratio;
    if (named[i].taken_back) culprit.taken_back = sha(named[*named[i].taken_back].commits.last);
  }
  for (const stats::StepSide& side : steps.sides(named))
    verdict.sides.push_back({sha(side.from), sha(side.to), side.other, side.most, side.is_tested});
  const stats::SuspectRange& range = named[worst].commits;
  verdict.outcome = range.first == range.last ? BisectVerdict::Outcome::kCulprit : BisectVerdict::Outcome::kSuspects;
  verdict.probability = range.probability;
  verdict.ratio = named[worst].ratio;
  verdict.suspects.clear();
  for (std::size_t k = range.first; k <= range.last; ++k) verdict.suspects.push_back({sha(k), steps.step(k)});
}

BisectVerdict BisectEvidence::verdict(double required) const {
  const stats::Posterior& posterior = estimate_.posterior();
  const Beliefs beliefs = current();
  const stats::StepsPosterior* steps = all_steps(required);
  BisectVerdict verdict;
  verdict.null = beliefs.null;
  verdict.ratio = posterior.ratio;
  verdict.most = posterior.most;
  verdict.noise = beliefs.several != nullptr ? beliefs.several->noise() : posterior.noise;
  verdict.layout = verdict.noise * (beliefs.several != nullptr ? beliefs.several->offset() : posterior.offset);
  verdict.levels = posterior.levels;
  verdict.upper_share = posterior.upper_share;
  verdict.measurements = estimate_.measurements();
  verdict.seconds = seconds_;
  for (std::size_t i = 0; i < question_.commits.size(); ++i) verdict.measured_commits += estimate_.measurements(i) > 0;
  for (const auto& [commit, reason] : reasons_) verdict.skipped.push_back({question_.commits[commit].sha, reason});
  const auto suspect = [&](std::size_t k) {
    verdict.suspects.push_back({question_.commits[k].sha, beliefs.culprit[k]});
  };
  if (steps != nullptr) add_steps(*steps, required, verdict);
  if (!verdict.culprits.empty()) return verdict;
  if (steps == nullptr && estimate_.is_null(required)) {
    verdict.outcome = BisectVerdict::Outcome::kNone;
    verdict.probability = posterior.null;
  } else if (steps == nullptr && estimate_.has_culprit(required)) {
    const stats::SuspectRange& group = posterior.likeliest;
    verdict.outcome = group.first == group.last ? BisectVerdict::Outcome::kCulprit : BisectVerdict::Outcome::kSuspects;
    verdict.probability = group.probability;
    for (std::size_t k = group.first; k <= group.last; ++k) suspect(k);
    BisectCulprit& culprit = verdict.culprits.emplace_back();
    for (const Suspect& each : verdict.suspects) culprit.commits.push_back(each.commit);
    culprit.probability = group.probability;
    culprit.ratio = posterior.ratio;
  } else {
    verdict.hidden_by_layout = steps != nullptr ? steps->is_exhausted() : estimate_.is_exhausted();
    if (verdict.hidden_by_layout) verdict.outcome = BisectVerdict::Outcome::kSuspects;
    for (const std::size_t k : credible_set(beliefs.culprit, required * (1 - beliefs.null))) suspect(k);
    for (const Suspect& each : verdict.suspects) verdict.probability += each.probability;
  }
  return verdict;
}

std::vector<Suspect> BisectEvidence::likeliest(double share) const {
  const Beliefs beliefs = current();
  std::vector<Suspect> suspects;
  for (const std::size_t k : credible_set(beliefs.culprit, share))
    suspects.push_back({question_.commits[k].sha, beliefs.culprit[k]});
  return suspects;
}

void BisectEvidence::identify(std::size_t commit, const std::string& identity) {
  const auto [at, fresh] = first_by_identity_.try_emplace(identity, commit);
  if (!fresh && at->second != commit) estimate_.same(at->second, commit);
}

BisectVerdict conclude(const BisectQuestion& question, const std::vector<BisectEntry>& entries, double required) {
  return BisectEvidence(question, entries).verdict(required);
}

}  // namespace lab::judge
