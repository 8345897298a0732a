#include "harness/stats/culprit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "harness/stats/culprit_fit.h"

namespace lab::stats {

namespace {

constexpr double kNull = 0.5;
constexpr double kTwo = 0.02;
constexpr double kNullConfidence = 0.98;
constexpr std::size_t kFirst = 3;         ///< first measurements of each end
constexpr std::size_t kFirstUnclear = 5;  ///< the same while the ends differ by less than kClear
constexpr double kClear = 3;              ///< sigma
/// While "none" is likelier than this, the ends are measured again before anything is built: up to so many times each.
constexpr double kDoubted = 0.5;
constexpr double kMostDoubted = 12;
/// The same as long as it takes no longer than a build of each end.
constexpr double kDoubtedOfBuilds = 0.2;
constexpr double kMostDoubtedOfBuilds = 100;
constexpr double kRoundsOfLinks = 2;
constexpr std::size_t kAnchor = 5;
constexpr std::array<double, 5> kBatches{1, 2, 4, 8, 16};
constexpr double kLeastOfInterest = 0.025;  ///< relative
constexpr double kWorthwhile = 0.2;         ///< of the uncertainty, that further measurements must be able to resolve
constexpr double kPatience = 100, kLeastPatient = 0.6;
/// Every so many measurements all steps are fitted, which takes longer than a fit of one.
constexpr std::size_t kLookForSeveral = 8;
constexpr double kSeveral = 0.5;
constexpr double kSurely = 2;  ///< standard deviations

double xlogx(double p) {
  return p > 0 ? p * std::log(p) : 0;
}

}  // namespace

double information(double p, double effect_size) {
  if (p <= 0 || p >= 1) return 0;
  constexpr int kSteps = 7;
  constexpr double kStep = 0.55;
  double sum = 0;
  double weights = 0;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double z = i * kStep;
    const double weight = std::exp(-z * z / 2);
    const double odds = std::exp(std::min(effect_size * z - effect_size * effect_size / 2, 700.0));
    const double inverse = std::exp(std::min(-effect_size * z - effect_size * effect_size / 2, 700.0));
    sum -= weight * ((1 - p) * std::log((1 - p) + p * odds) + p * std::log(p + (1 - p) * inverse));
    weights += weight;
  }
  return std::max(0.0, sum / weights);
}

CulpritSearch::CulpritSearch(std::size_t commits)
    : commits_(commits), counts_(commits + 1), builds_(commits + 1), skipped_(commits + 1), excluded_(commits + 1) {
  std::iota(builds_.begin(), builds_.end(), std::size_t{0});
  update();
}

void CulpritSearch::add(std::size_t commit, double value, std::size_t link) {
  data_.push_back({commit, std::log(value), link});
  links_.insert(link);
  ++counts_[commit];
  update();
}

void CulpritSearch::links_of_build(std::size_t count) {
  least_links_ = count;
  steps_.reset();
}

void CulpritSearch::skip(std::size_t commit) {
  skipped_[commit] = true;
  has_several_.clear();
  std::erase_if(data_, [&](const Measurement& measurement) { return measurement.commit == commit; });
  counts_[commit] = 0;
  update();
}

void CulpritSearch::same(std::size_t a, std::size_t b) {
  const auto [first, last] = std::minmax(a, b);
  has_several_.clear();
  for (std::size_t k = first + 1; k <= last; ++k) excluded_[k] = true;
  // The commits between are taken for equal, too, so that none is built in search of another layout.
  for (std::size_t k = first + 1; k <= last; ++k)
    std::ranges::replace(builds_, std::size_t{builds_[k]}, std::size_t{builds_[first]});
  update();
}

bool CulpritSearch::is_null(double confidence) const {
  return posterior_.null >= std::max(confidence, kNullConfidence) && posterior_.most < 1 + kLeastOfInterest;
}

Measurements CulpritSearch::first_measurements(std::size_t count, const std::optional<TwoLevels>& levels) const {
  std::vector<std::size_t> commits, builds;
  std::vector<double> log_values, shifts;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;  // of links of builds
  for (const Measurement& measurement : std::span(data_).first(count)) {
    commits.push_back(measurement.commit);
    const std::pair link(builds_[measurement.commit], measurement.link);
    builds.push_back(numbers.try_emplace(link, numbers.size()).first->second);
    if (levels) shifts.push_back(levels->upper[log_values.size()] ? levels->height : 0);
    log_values.push_back(measurement.log_value);
  }
  return {commits, builds, log_values, shifts};
}

double CulpritSearch::on_one_level(double value) const {
  const double log_value = std::log(value);
  return levels_ && log_value > levels_->limit ? log_value - levels_->height : log_value;
}

const StepsPosterior* CulpritSearch::steps() const {
  if (counts_[0] == 0 || counts_[commits_] == 0) return nullptr;
  if (!steps_)
    steps_ = std::make_shared<StepsPosterior>(first_measurements(data_.size(), levels_),
                                              CommitsOfSearch{counts_of_builds(), skipped_, excluded_, links()});
  return steps_.get();
}

bool CulpritSearch::has_several() const {
  const std::size_t count = data_.size() - data_.size() % kLookForSeveral;
  std::set<std::size_t> measured;
  for (const Measurement& measurement : std::span(data_).first(count)) measured.insert(measurement.commit);
  // Two commits cannot show two steps.
  if (measured.size() < 3 || !measured.contains(0) || !measured.contains(commits_)) return false;
  const auto [found, is_new] = has_several_.try_emplace(count, false);
  if (is_new)
    found->second =
        StepsPosterior(first_measurements(count, levels_), {counts_of_builds(), skipped_, excluded_, links()})
            .several() > kSeveral;
  return found->second;
}

struct CulpritSearch::Model {
  /// All culprits between two measured commits have the same likelihood: one fit for each such run.
  struct Run {
    std::size_t first, last;
    Fit fit;
  };
  double log_prior = 0;
  Fit null;
  std::vector<Run> runs;

  double log_weight(const Fit& fit) const { return log_prior + fit.log_likelihood; }
};

CulpritSearch::Model CulpritSearch::fitted(double log_prior, const Measurements& data) const {
  Model model{log_prior, fit(data, 0), {}};
  FitRival rival{model.null.log_likelihood, model.null.likeliest};
  std::optional<Fit> of_last;  // the likeliest of the last update
  const auto of = [&](std::size_t commit) {
    if (of_last && commit == likeliest_) return *of_last;
    const Fit found = fit(data, commit, rival);
    if (found.log_likelihood > rival.log_likelihood) rival = {found.log_likelihood, found.likeliest};
    return found;
  };
  std::set<std::size_t> measured;
  for (const Measurement& measurement : data_) measured.insert(measurement.commit);
  // First, because it spares the others a full fit.
  if (likeliest_ > 0 && measured.contains(likeliest_)) of_last = of(likeliest_);
  std::size_t first = 1;
  for (const std::size_t commit : measured) {
    if (first <= commit) model.runs.push_back({first, commit, commit == *measured.begin() ? model.null : of(commit)});
    first = commit + 1;
  }
  if (first <= commits_) model.runs.push_back({first, commits_, model.null});
  return model;
}

void CulpritSearch::update() {
  steps_.reset();
  std::vector<std::size_t> builds;
  std::vector<double> log_values;
  for (const Measurement& measurement : data_) {
    builds.push_back(builds_[measurement.commit]);
    log_values.push_back(measurement.log_value);
  }
  const std::optional<TwoLevels> levels = two_levels(builds, log_values);
  std::vector<Model> models{fitted(std::log(1 - kTwo), first_measurements(data_.size(), std::nullopt))};
  if (levels)
    models.push_back(fitted(std::log(kTwo) + levels->log_likelihood, first_measurements(data_.size(), levels)));
  const double two = weigh(models);
  if (levels_.has_value() != (two > 0.5)) has_several_.clear();
  levels_ = two > 0.5 ? levels : std::nullopt;
  if (levels_) {
    posterior_.levels = std::exp(levels_->height);
    posterior_.upper_share = levels_->upper_share;
  }
}

double CulpritSearch::weigh(const std::vector<Model>& models) {
  posterior_ = {};
  posterior_.culprit.assign(commits_ + 1, 0);
  double best = models.front().log_weight(models.front().null);
  for (const Model& model : models) {
    best = std::max(best, model.log_weight(model.null));
    for (const Model::Run& run : model.runs) best = std::max(best, model.log_weight(run.fit));
  }
  // Normalisation gives the share of excluded commits to all other hypotheses, the null among them.
  const double prior = (1 - kNull) / static_cast<double>(commits_);
  posterior_.null = 0;
  double total = 0, of_model = 0, effect_size = 0, farthest = 0, squares = 0;
  const Model::Run* likeliest = nullptr;
  double most = -1;
  for (const Model& model : models) {
    const double before = total;
    const double null = kNull * std::exp(model.log_weight(model.null) - best);
    posterior_.null += null;
    total += null;
    squares += null * model.null.offset * model.null.offset;
    for (const Model::Run& run : model.runs) {
      const double each = prior * std::exp(model.log_weight(run.fit) - best);
      double mass = 0;
      for (std::size_t k = run.first; k <= run.last; ++k) {
        posterior_.culprit[k] += excluded_[k] ? 0 : each;
        mass += excluded_[k] ? 0 : each;
      }
      total += mass;
      effect_size += mass * run.fit.level * run.fit.level * run.fit.precision;
      squares += mass * run.fit.offset * run.fit.offset;
      farthest += mass * (std::abs(run.fit.level) + kSurely * run.fit.level_deviation);
      if (mass > most) {
        most = mass;
        likeliest = &run;
      }
    }
    of_model = total - before;
  }
  const double suspected = total - posterior_.null;
  if (suspected > 0) {
    posterior_.effect_size = std::sqrt(effect_size / suspected);
    posterior_.most = std::exp(farthest / suspected);
  }
  if (likeliest != nullptr && total > most)
    doubtful_offset_ =
        std::sqrt(std::max(0.0, squares - most * likeliest->fit.offset * likeliest->fit.offset) / (total - most));
  posterior_.null /= total;
  for (double& probability : posterior_.culprit) probability /= total;
  likeliest_ = likeliest != nullptr ? likeliest->last : 0;
  if (likeliest != nullptr) {
    posterior_.offset = likeliest->fit.offset;
    posterior_.ratio = std::exp(likeliest->fit.level);
    posterior_.noise = 1 / std::sqrt(likeliest->fit.precision);
  }
  for (std::size_t k = 1; k <= commits_; ++k) {
    if (excluded_[k] || (k > 1 && skipped_[k - 1] && !excluded_[k - 1])) continue;  // belongs to the previous group
    const SuspectRange group = group_of(k);
    if (group.probability > posterior_.likeliest.probability) posterior_.likeliest = group;
  }
  return models.size() > 1 ? of_model / total : 0;
}

SuspectRange CulpritSearch::group_of(std::size_t commit) const {
  SuspectRange group{commit, commit, 0};
  while (group.first > 1 && skipped_[group.first - 1]) --group.first;
  while (group.last < commits_ && skipped_[group.last]) ++group.last;
  for (std::size_t k = group.first; k <= group.last; ++k) group.probability += posterior_.culprit[k];
  while (group.first < group.last && excluded_[group.first]) ++group.first;
  while (group.first < group.last && excluded_[group.last]) --group.last;
  return group;
}

std::vector<double> CulpritSearch::counts_of_builds() const {
  std::vector<double> of_builds(commits_ + 1), counts;
  for (std::size_t k = 0; k <= commits_; ++k) of_builds[builds_[k]] += static_cast<double>(counts_[k]);
  for (const std::size_t build : builds_) counts.push_back(of_builds[build]);
  return counts;
}

double CulpritSearch::known(double count) const {
  if (count <= 0) return 0;
  const double links = std::min(count, this->links());
  return links / (doubtful_offset_ * doubtful_offset_ + links / count);
}

double CulpritSearch::most_known() const {
  return links() / (doubtful_offset_ * doubtful_offset_);
}

bool CulpritSearch::is_exhausted() const {
  if (counts_[0] + counts_[commits_] < 2 * kFirstUnclear || doubtful_offset_ <= 0) return false;
  // Ends that hardly differ, each in all its layouts: what is left between them may be layout, and no end shows more.
  if (links() > 1 && posterior_.null > kDoubted && posterior_.most < 1 + kLeastOfInterest &&
      static_cast<double>(std::min(counts_[0], counts_[commits_])) >= std::max(kMostDoubted, kRoundsOfLinks * links()))
    return true;
  const std::vector<double> counts = counts_of_builds();
  const double effect_size = std::max(posterior_.effect_size, std::log(posterior_.most) / posterior_.noise);
  double rest = 0, below = 0, group = 0, entropy = -xlogx(posterior_.null);
  for (std::size_t commit = 1; commit <= commits_; ++commit) {
    below += posterior_.culprit[commit];
    group += posterior_.culprit[commit];
    if (skipped_[commit]) continue;  // which of the commits that cannot be measured is no question
    entropy -= xlogx(std::exchange(group, 0));
    if (commit < commits_) rest += information(below, effect_size * std::sqrt(most_known() - known(counts[commit])));
  }
  const double patience = std::max(1.0, static_cast<double>(data_.size()) / kPatience);
  return rest < std::min(kWorthwhile * patience, kLeastPatient) * entropy;
}

std::size_t CulpritSearch::lesser_end() const {
  if (counts_[0] != counts_[commits_]) return counts_[0] < counts_[commits_] ? 0 : commits_;
  // Repeat the end that was measured last: the order A B B A cancels a linear drift.
  for (std::size_t i = data_.size(); i > 0; --i)
    if (data_[i - 1].commit == 0 || data_[i - 1].commit == commits_) return data_[i - 1].commit;
  return 0;
}

std::size_t CulpritSearch::next(std::span<const double> build_seconds, double measure_seconds) const {
  const std::size_t ends = counts_[0] + counts_[commits_];
  const std::size_t first = posterior_.effect_size < kClear ? kFirstUnclear : kFirst;
  if (ends < 2 * first || (data_.size() + 1) % kAnchor == 0) return lesser_end();
  const double dearest = *std::ranges::max_element(build_seconds);
  const double most_of_end = std::min(dearest / measure_seconds, kMostDoubtedOfBuilds);
  const auto of_end = static_cast<double>(ends) / 2;
  if ((posterior_.null > kDoubted && of_end < kMostDoubted) ||
      (posterior_.null > kDoubtedOfBuilds && of_end < most_of_end))
    return lesser_end();
  const double effect_size = std::clamp(posterior_.effect_size, 0.3, 30.0);
  const std::vector<double> counts = counts_of_builds();
  double most = -1;
  std::size_t best = lesser_end();
  double below = 0;
  for (std::size_t commit = 1; commit <= commits_; ++commit) {
    below += posterior_.culprit[commit];
    if (skipped_[commit]) continue;
    for (const double batch : kBatches) {
      if (batch > 1 && build_seconds[commit] <= 0) break;
      const double gain =
          information(below, effect_size * std::sqrt(known(counts[commit] + batch) - known(counts[commit]))) /
          (build_seconds[commit] + batch * measure_seconds);
      if (gain > most) {
        most = gain;
        best = commit == commits_ ? lesser_end() : commit;
      }
    }
  }
  return best;
}

}  // namespace lab::stats
