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

/// The most likely commits, most likely first: the fewest that together hold `share` of the probability.
std::vector<std::size_t> credible_set(const stats::Posterior& posterior, double share) {
  std::vector<std::size_t> order(posterior.culprit.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return posterior.culprit[a] > posterior.culprit[b]; });
  double held = 0;
  std::size_t count = 0;
  while (count < order.size() && held < share && posterior.culprit[order[count]] > 0)
    held += posterior.culprit[order[count++]];
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
    estimate_.add(commit, *entry.value, static_cast<std::size_t>(entry.layout));
  }
}

std::size_t BisectEvidence::next(const std::function<bool(const std::string& sha)>& is_ready) const {
  const double measuring = again_.value_or(first_.value_or(kAssumedMeasuring));
  const double preparing = std::max(0.0, first_.value_or(kAssumedPreparing) - measuring);
  std::vector<double> build_seconds(question_.commits.size());
  for (std::size_t i = 0; i < build_seconds.size(); ++i)
    if (estimate_.measurements(i) == 0 && !is_ready(question_.commits[i].sha)) build_seconds[i] = preparing;
  return estimate_.next(build_seconds, std::max(measuring, 1e-6));
}

BisectVerdict BisectEvidence::verdict(double probability) const {
  const stats::Posterior& posterior = estimate_.posterior();
  BisectVerdict verdict;
  verdict.null = posterior.null;
  verdict.ratio = posterior.ratio;
  verdict.most = posterior.most;
  verdict.noise = posterior.noise;
  verdict.layout = posterior.offset * posterior.noise;
  verdict.measurements = estimate_.measurements();
  verdict.seconds = seconds_;
  for (std::size_t i = 0; i < question_.commits.size(); ++i) verdict.measured_commits += estimate_.measurements(i) > 0;
  for (const auto& [commit, reason] : reasons_) verdict.skipped.push_back({question_.commits[commit].sha, reason});
  const auto suspect = [&](std::size_t k) {
    verdict.suspects.push_back({question_.commits[k].sha, posterior.culprit[k]});
  };
  if (estimate_.is_null(probability)) {
    verdict.outcome = BisectVerdict::Outcome::kNone;
    verdict.probability = posterior.null;
  } else if (estimate_.has_culprit(probability)) {
    const stats::SuspectRange& group = posterior.likeliest;
    verdict.outcome = group.first == group.last ? BisectVerdict::Outcome::kCulprit : BisectVerdict::Outcome::kSuspects;
    verdict.probability = group.probability;
    for (std::size_t k = group.first; k <= group.last; ++k) suspect(k);
  } else {
    verdict.hidden_by_layout = estimate_.is_exhausted();
    if (verdict.hidden_by_layout) verdict.outcome = BisectVerdict::Outcome::kSuspects;
    for (const std::size_t k : credible_set(posterior, probability * (1 - posterior.null))) suspect(k);
    for (const Suspect& each : verdict.suspects) verdict.probability += each.probability;
  }
  return verdict;
}

std::vector<Suspect> BisectEvidence::likeliest(double share) const {
  const stats::Posterior& posterior = estimate_.posterior();
  std::vector<Suspect> suspects;
  for (const std::size_t k : credible_set(posterior, share))
    suspects.push_back({question_.commits[k].sha, posterior.culprit[k]});
  return suspects;
}

void BisectEvidence::identify(std::size_t commit, const std::string& identity) {
  const auto [at, fresh] = first_by_identity_.try_emplace(identity, commit);
  if (!fresh && at->second != commit) estimate_.same(at->second, commit);
}

BisectVerdict conclude(const BisectQuestion& question, const std::vector<BisectEntry>& entries, double probability) {
  return BisectEvidence(question, entries).verdict(probability);
}

}  // namespace lab::judge
