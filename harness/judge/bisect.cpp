#include "harness/judge/bisect.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "harness/base/random.h"

namespace lab::judge {

using results::BisectEntry;
using results::BisectQuestion;
using results::Suspect;

namespace {

/// Assumed cost of preparing and measuring a commit until one was measured, in seconds.
constexpr double kAssumedPreparing = 60;
constexpr double kAssumedMeasuring = 1;
constexpr double kTooDear = 1e12;  ///< seconds to build what there is no time for
/// The steps that are checked share the allowed error: the first gets kFirstShare, each other kShareOfNext of the share
/// of the one before it, together all of it, so that a bisect in which many wrong steps were checked is not wrong more
/// often. Of its share, the direction that the step had before its pairs gets kShareOfDirection, the other the rest.
constexpr double kFirstShare = 0.85, kShareOfNext = 1 - kFirstShare, kShareOfDirection = 0.9;
constexpr std::size_t kMostPairs = 100;  ///< of a step, in one call
constexpr double kStillLikely = 0.5;     ///< a begun check goes on

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
  half_.reset();  // what is measured now is not the other half
  for (auto& [sides, check] : checks_) check.earlier = check.pairs.pairs();
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
    std::erase_if(values_, [&](const TimedValue& value) { return value.commit == commit; });
    half_.reset();
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
    values_.push_back({commit, std::log(*entry.value)});
    take_half_of_pair(entry);
  }
}

void BisectEvidence::take_half_of_pair(const BisectEntry& entry) {
  last_pair_ = std::max(last_pair_, entry.pair);
  if (entry.pair == 0) return;
  if (!half_ || half_->pair != entry.pair || half_->commit != entry.against) {
    half_ = entry;
    return;
  }
  const bool is_first_before = place_.at(half_->commit) < place_.at(entry.commit);
  const BisectEntry &before = is_first_before ? *half_ : entry, &after = is_first_before ? entry : *half_;
  const auto [check, is_new] = checks_.try_emplace(std::pair(place_.at(before.commit), place_.at(after.commit)));
  if (is_new) {
    check->second.number = checks_.size() - 1;
    check->second.is_up = is_up_so_far(check->first.first, check->first.second);
  }
  check->second.pairs.add(estimate_.on_one_level(*after.value) - estimate_.on_one_level(*before.value), before.layout);
  half_.reset();
}

bool BisectEvidence::is_up_so_far(std::size_t before, std::size_t after) const {
  Mean low, high;
  for (const TimedValue& value : std::span(values_).first(values_.size() - 2)) {
    if (value.commit == before) low.add(value.log_value);
    if (value.commit == after) high.add(value.log_value);
  }
  return high.value_or(0) > low.value_or(0);
}

double BisectEvidence::evidence_needed(const Check& check, bool is_up, double required) {
  const double of_direction = check.is_up == is_up ? kShareOfDirection : 1 - kShareOfDirection;
  return 1 / ((1 - required) * of_direction * kFirstShare * std::pow(kShareOfNext, static_cast<double>(check.number)));
}

std::vector<BisectEvidence::NamedStep> BisectEvidence::named_steps(double required) const {
  std::vector<stats::FoundStep> found;
  if (const stats::StepsPosterior* steps = all_steps(required))
    found = steps->named(required);
  else if (!estimate_.is_null(required) && estimate_.has_culprit(required))
    found.push_back({estimate_.posterior().likeliest, estimate_.posterior().ratio, {}});
  std::vector<NamedStep> named;
  for (std::size_t i = 0; i < found.size(); ++i) {
    NamedStep& step = named.emplace_back(NamedStep{found[i], found[i].commits.first - 1, found[i].commits.last, 0, 0});
    while (step.before > 0 && estimate_.measurements(step.before) == 0) --step.before;
    while (step.after + 1 < question_.commits.size() && estimate_.measurements(step.after) == 0) ++step.after;
    const auto check = checks_.find({step.before, step.after});
    if (check == checks_.end()) continue;
    step.pairs = check->second.pairs.pairs();
    const double log_ratio = std::log(found[i].ratio);
    const double needed = evidence_needed(check->second, log_ratio > 0, required);
    if (check->second.pairs.confirms(log_ratio, needed))
      step.probability = std::min(found[i].commits.probability,
                                  1 - (1 - required) * needed / check->second.pairs.evidence(log_ratio > 0));
  }
  return named;
}

std::optional<BisectEvidence::Choice> BisectEvidence::next_pair(const std::vector<NamedStep>& named) const {
  const NamedStep* next = nullptr;
  for (const NamedStep& step : named) {
    if (step.probability > 0) continue;
    const auto check = checks_.find({step.before, step.after});
    const std::size_t earlier = check != checks_.end() ? check->second.earlier : 0;
    if (step.pairs - earlier < kMostPairs && (next == nullptr || step.pairs < next->pairs)) next = &step;
  }
  if (next == nullptr) return std::nullopt;
  return pair_of(next->before, next->after);
}

std::optional<BisectEvidence::Choice> BisectEvidence::next_of_begun(double required) const {
  const Beliefs beliefs = current();
  for (const auto& [sides, check] : checks_) {
    double probability = 0;
    for (std::size_t k = sides.first + 1; k <= sides.second; ++k)
      probability += beliefs.several != nullptr ? beliefs.several->step(k) : beliefs.culprit[k];
    const bool is_done = check.pairs.evidence(check.is_up) >= evidence_needed(check, check.is_up, required);
    if (!is_done && probability >= kStillLikely && check.pairs.pairs() - check.earlier < kMostPairs)
      return pair_of(sides.first, sides.second);
  }
  return std::nullopt;
}

BisectEvidence::Choice BisectEvidence::pair_of(std::size_t before, std::size_t after) const {
  const int pair = last_pair_ + 1;
  const bool is_after_first =
      Random(seed_of(question_.commits.back().sha) ^ static_cast<std::uint64_t>(pair)).below(2) == 1;
  return Choice{is_after_first ? after : before, pair, question_.commits[is_after_first ? before : after].sha, 0};
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
  if (half_) return Choice{place_.at(half_->against), half_->pair, half_->commit, 0};
  if (const std::optional<Choice> pair = next_pair(named_steps(required))) return pair;
  std::optional<std::size_t> chosen;
  if (const stats::StepsPosterior* steps = all_steps(required))
    chosen = steps->next(required, affordable, measuring);
  else if (!estimate_.is_null(required) && !estimate_.has_culprit(required) && !estimate_.is_exhausted())
    chosen = estimate_.next(affordable, measuring);
  if (!chosen) return next_of_begun(required);
  return Choice{*chosen, 0, "", first_.count > 0 ? build_seconds[*chosen] : 0};
}

void BisectEvidence::add_steps(const std::vector<NamedStep>& named,
                               const std::function<double(std::size_t commit)>& probability,
                               BisectVerdict& verdict) const {
  const auto sha = [&](std::size_t k) { return question_.commits[k].sha; };
  const NamedStep* worst = nullptr;
  for (const NamedStep& step : named) {
    const auto& [commits, ratio, taken_back] = step.found;
    std::vector<std::string> shas;
    for (std::size_t k = commits.first; k <= commits.last; ++k) shas.push_back(sha(k));
    if (step.probability <= 0) {
      verdict.unconfirmed.push_back({shas, ratio, step.pairs});
      continue;
    }
    if (worst == nullptr || ratio > worst->found.ratio) worst = &step;
    BisectCulprit& culprit = verdict.culprits.emplace_back();
    culprit.commits = shas;
    culprit.probability = step.probability;
    culprit.ratio = ratio;
    if (taken_back && named[*taken_back].probability > 0)
      culprit.taken_back = sha(named[*taken_back].found.commits.last);
  }
  if (worst == nullptr) return;
  const stats::SuspectRange& range = worst->found.commits;
  verdict.outcome = range.first == range.last ? BisectVerdict::Outcome::kCulprit : BisectVerdict::Outcome::kSuspects;
  verdict.probability = worst->probability;
  verdict.ratio = worst->found.ratio;
  for (std::size_t k = range.first; k <= range.last; ++k)
    verdict.suspects.push_back({sha(k), std::min(probability(k), worst->probability)});
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
  const std::vector<NamedStep> named = named_steps(required);
  add_steps(
      named, [&](std::size_t k) { return steps != nullptr ? steps->step(k) : beliefs.culprit[k]; }, verdict);
  if (!verdict.culprits.empty()) {
    if (steps == nullptr) return verdict;
    std::vector<stats::FoundStep> confirmed;
    for (const NamedStep& step : named)
      if (step.probability > 0) confirmed.push_back(step.found);
    for (const stats::StepSide& side : steps->sides(confirmed))
      verdict.sides.push_back(
          {question_.commits[side.from].sha, question_.commits[side.to].sha, side.other, side.most, side.is_tested});
    return verdict;
  }
  if (steps == nullptr && estimate_.is_null(required)) {
    verdict.outcome = BisectVerdict::Outcome::kNone;
    verdict.probability = posterior.null;
  } else {
    verdict.hidden_by_layout = !named.empty()     ? false
                               : steps != nullptr ? steps->is_exhausted()
                                                  : estimate_.is_exhausted();
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
