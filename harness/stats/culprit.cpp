#include "harness/stats/culprit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

constexpr double kNull = 0.5;
constexpr double kNullConfidence = 0.98;
constexpr double kNoiseShape = 0.5;
constexpr double kNoiseScale = 5e-4;
constexpr double kDrift = 0.1;  ///< sigma, per square root of a measurement
constexpr std::size_t kWaves = 3;
constexpr std::array kEffects{1.0, 4.0};  ///< tau
constexpr double kFar = 4;
constexpr std::size_t kFirst = 3;  ///< of each end
constexpr std::size_t kAnchor = 5;
constexpr std::array<double, 5> kBatches{1, 2, 4, 8, 16};

/// 1.4826: a normal distribution's sigma from its median absolute deviation.
constexpr double kSigmaOfMad = 1 / 0.6744897501960817;

/// Intercept, level, waves.
constexpr std::size_t kColumns = 2 + kWaves;
constexpr std::size_t kLevel = kColumns - 1;  ///< last, so that null is the same matrix without its last row
using Row = std::array<double, kColumns>;

/// Sums over some of the data.
struct Sums {
  std::array<Row, kColumns> xx{};
  Row xy{};
  double yy = 0;
  double weight = 0;
};

/// A datum in the regression; the level's column is 1.
Row row_of(std::size_t index, std::size_t count) {
  Row row{};
  row[0] = 1;
  const double when = (static_cast<double>(index) + 0.5) / static_cast<double>(count);
  for (std::size_t j = 0; j < kWaves; ++j) {
    const double frequency = (static_cast<double>(j) + 0.5) * std::numbers::pi;
    row[1 + j] = std::numbers::sqrt2 * std::sin(frequency * when) / frequency;
  }
  row[kLevel] = 1;
  return row;
}

void add_to(Sums& sums, const Row& row, double y, double weight) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    for (std::size_t j = 0; j <= i; ++j) sums.xx[i][j] += weight * row[i] * row[j];
    sums.xy[i] += weight * row[i] * y;
  }
  sums.yy += weight * y * y;
  sums.weight += weight;
}

/// What one hypothesis says of the data.
struct Fit {
  double log_likelihood = 0;  ///< up to what all hypotheses share
  double level = 0;           ///< posterior mean of d
  double precision = 0;       ///< posterior mean of 1 / sigma^2
};

/// `columns`: kColumns with a change of level, one fewer without.
Fit fit(const Sums& sums, std::size_t columns, std::size_t count, double tau) {
  Row prior{};
  for (std::size_t j = 0; j < kWaves; ++j)
    prior[1 + j] = 1 / (kDrift * kDrift * static_cast<double>(std::max<std::size_t>(count, 1)));
  prior[kLevel] = 1 / (tau * tau);
  // Cholesky: L = C C'; then C z = X'Wy gives m'Lm = z'z.
  std::array<Row, kColumns> c{};
  Row z{};
  double log_determinant = 0;
  double explained = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    double rest = sums.xy[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double value = sums.xx[i][j] + (i == j ? prior[i] : 0);
      for (std::size_t k = 0; k < j; ++k) value -= c[i][k] * c[j][k];
      c[i][j] = i == j ? std::sqrt(std::max(value, 1e-300)) : value / c[j][j];
      if (j < i) rest -= c[i][j] * z[j];
    }
    z[i] = rest / c[i][i];
    explained += z[i] * z[i];
    log_determinant += 2 * std::log(c[i][i]);
  }
  const double shape = kNoiseShape + std::max(0.0, sums.weight - 1) / 2;
  const double scale = kNoiseShape * kNoiseScale * kNoiseScale + std::max(0.0, sums.yy - explained) / 2;
  Fit result;
  result.precision = shape / scale;
  result.log_likelihood = -log_determinant / 2 - shape * std::log(scale);
  if (columns < kColumns) return result;
  const double deviation = c[kLevel][kLevel];  // of the last coefficient: (L^-1)_dd = 1 / deviation^2
  result.level = z[kLevel] / deviation;
  const double moment = result.level * result.level * result.precision + 1 / (deviation * deviation);
  result.log_likelihood += std::log(moment) - 3 * std::log(tau);
  return result;
}

/// Half-sample mode (Bickel and Fruehwirth, Computational Statistics & Data Analysis 50, 2006): again and again the
/// half of the values that lies closest together. Other people's load makes processes slower, for a while more than
/// half.
double mode(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t first = 0;
  for (std::size_t count = values.size(); count > 2;) {
    const std::size_t half = (count + 1) / 2;
    std::size_t best = first;
    for (std::size_t i = first; i + half <= first + count; ++i)
      if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
    first = best;
    if (half == count) break;
    count = half;
  }
  return (values[first] + values[std::min(first + 1, values.size() - 1)]) / 2;
}

}  // namespace

double information(double p, double contrast) {
  if (p <= 0 || p >= 1) return 0;
  constexpr int kSteps = 7;
  constexpr double kStep = 0.55;
  double sum = 0;
  double weights = 0;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double z = i * kStep;
    const double weight = std::exp(-z * z / 2);
    const double odds = std::exp(std::min(contrast * z - contrast * contrast / 2, 700.0));
    const double inverse = std::exp(std::min(-contrast * z - contrast * contrast / 2, 700.0));
    sum -= weight * ((1 - p) * std::log((1 - p) + p * odds) + p * std::log(p + (1 - p) * inverse));
    weights += weight;
  }
  return std::max(0.0, sum / weights);
}

CulpritSearch::CulpritSearch(std::size_t commits)
    : commits_(commits), counts_(commits + 1), skipped_(commits + 1), innocent_(commits + 1) {
  update();
}

void CulpritSearch::add(std::size_t commit, double value) {
  data_.push_back({commit, std::log(value), 1});
  ++counts_[commit];
  weigh();
  update();
}

void CulpritSearch::skip(std::size_t commit) {
  skipped_[commit] = true;
  std::erase_if(data_, [&](const Datum& datum) { return datum.commit == commit; });
  counts_[commit] = 0;
  weigh();
  update();
}

void CulpritSearch::same(std::size_t a, std::size_t b) {
  const auto [first, last] = std::minmax(a, b);
  for (std::size_t k = first + 1; k <= last; ++k) innocent_[k] = true;
  update();
}

bool CulpritSearch::is_null(double confidence) const {
  return belief_.null >= std::max(confidence, kNullConfidence);
}

void CulpritSearch::weigh() {
  std::array<std::vector<double>, 2> ends;
  for (const Datum& datum : data_)
    if (datum.commit == 0 || datum.commit == commits_) ends[datum.commit == 0 ? 0 : 1].push_back(datum.log_value);
  for (Datum& datum : data_) datum.weight = 1;
  if (ends[0].size() < 3 || ends[1].size() < 3) return;
  const double low = mode(ends[0]);
  const double high = mode(ends[1]);
  const auto distance = [&](const Datum& datum) {
    return std::min(std::abs(datum.log_value - low), std::abs(datum.log_value - high));
  };
  std::vector<double> distances;
  for (const Datum& datum : data_) distances.push_back(distance(datum));
  const double sigma = std::max({kSigmaOfMad * median(distances), std::abs(high - low) / 4, kNoiseScale});
  for (Datum& datum : data_)
    if (const double far = distance(datum) / (kFar * sigma); far > 1) datum.weight = std::pow(far, -4);
}

void CulpritSearch::update() {
  belief_ = {};
  belief_.culprit.assign(commits_ + 1, 0);
  double mean = 0;
  for (const Datum& datum : data_) mean += datum.log_value / static_cast<double>(data_.size());
  std::vector<std::size_t> order(data_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return data_[a].commit < data_[b].commit; });
  Sums all;
  for (std::size_t i = 0; i < data_.size(); ++i)
    add_to(all, row_of(i, data_.size()), data_[i].log_value - mean, data_[i].weight);
  Sums sums = all;  // the level's row and column hold those of the new level

  // Between two measured commits all culprits explain the data alike: one fit for each such run.
  struct Run {
    std::size_t first;
    std::size_t last;
    double log_likelihood;
    double level;
    double precision;
  };
  const Fit null = fit(all, kColumns - 1, data_.size(), 1);
  std::vector<Run> runs;
  const auto close = [&](std::size_t first, std::size_t last, bool both_levels) {
    if (first > last) return;
    Run run{first, last, null.log_likelihood, 0, null.precision};
    if (both_levels) {
      std::array<Fit, kEffects.size()> fits;
      for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fit(sums, kColumns, data_.size(), kEffects[i]);
      double best = -std::numeric_limits<double>::infinity();
      double total = 0;
      for (const Fit& each : fits) best = std::max(best, each.log_likelihood);
      run.precision = 0;
      for (const Fit& each : fits) {
        const double share = std::exp(each.log_likelihood - best);
        total += share;
        run.level += share * each.level;
        run.precision += share * each.precision;
      }
      run.level /= total;
      run.precision /= total;
      run.log_likelihood = best + std::log(total / static_cast<double>(fits.size()));
    }
    runs.push_back(run);
  };
  std::size_t first = 1;
  for (std::size_t at = 0; at < order.size();) {
    const std::size_t commit = data_[order[at]].commit;
    close(first, commit, at > 0);
    for (; at < order.size() && data_[order[at]].commit == commit; ++at) {
      const Datum& datum = data_[order[at]];
      const Row row = row_of(order[at], data_.size());
      for (std::size_t j = 0; j < kColumns; ++j) sums.xx[kLevel][j] -= datum.weight * row[j];
      sums.xy[kLevel] -= datum.weight * (datum.log_value - mean);
    }
    first = commit + 1;
  }
  close(first, commits_, false);

  double best = null.log_likelihood;
  for (const Run& run : runs) best = std::max(best, run.log_likelihood);
  // What is known to be innocent leaves its share to all others, null among them.
  const double prior = (1 - kNull) / static_cast<double>(commits_);
  belief_.null = kNull * std::exp(null.log_likelihood - best);
  double total = belief_.null;
  double contrast = 0;
  const Run* likeliest = nullptr;
  double most = -1;
  for (const Run& run : runs) {
    const double each = prior * std::exp(run.log_likelihood - best);
    double mass = 0;
    for (std::size_t k = run.first; k <= run.last; ++k) {
      belief_.culprit[k] = innocent_[k] ? 0 : each;
      mass += belief_.culprit[k];
    }
    total += mass;
    contrast += mass * run.level * run.level * run.precision;
    if (mass > most) {
      most = mass;
      likeliest = &run;
    }
  }
  const double suspected = total - belief_.null;
  belief_.contrast = suspected > 0 ? std::sqrt(contrast / suspected) : 0;
  belief_.null /= total;
  for (double& probability : belief_.culprit) probability /= total;
  if (likeliest != nullptr) {
    belief_.ratio = std::exp(likeliest->level);
    belief_.noise = 1 / std::sqrt(likeliest->precision);
  }
  for (std::size_t k = 1; k <= commits_; ++k) {
    if (innocent_[k] || (k > 1 && skipped_[k - 1] && !innocent_[k - 1])) continue;  // of a group that was seen
    const Suspects group = group_of(k);
    if (group.probability > belief_.likeliest.probability) belief_.likeliest = group;
  }
}

Suspects CulpritSearch::group_of(std::size_t commit) const {
  Suspects group{commit, commit, 0};
  while (group.first > 1 && skipped_[group.first - 1]) --group.first;
  while (group.last < commits_ && skipped_[group.last]) ++group.last;
  for (std::size_t k = group.first; k <= group.last; ++k) group.probability += belief_.culprit[k];
  while (group.first < group.last && innocent_[group.first]) ++group.first;
  while (group.first < group.last && innocent_[group.last]) --group.last;
  return group;
}

std::size_t CulpritSearch::lesser_end() const {
  if (counts_[0] != counts_[commits_]) return counts_[0] < counts_[commits_] ? 0 : commits_;
  // The end measured last once more: A B B A, so that a drift over the four falls on both alike.
  for (std::size_t i = data_.size(); i > 0; --i)
    if (data_[i - 1].commit == 0 || data_[i - 1].commit == commits_) return data_[i - 1].commit;
  return 0;
}

std::size_t CulpritSearch::next(std::span<const double> build_seconds, double measure_seconds) const {
  const std::size_t ends = counts_[0] + counts_[commits_];
  if (ends < 2 * kFirst || (data_.size() + 1) % kAnchor == 0) return lesser_end();
  const double contrast = std::clamp(belief_.contrast, 0.3, 30.0);
  double most = -1;
  std::size_t best = lesser_end();
  double below = 0;
  for (std::size_t commit = 1; commit <= commits_; ++commit) {
    below += belief_.culprit[commit];
    if (skipped_[commit]) continue;
    for (const double batch : kBatches) {
      if (batch > 1 && build_seconds[commit] <= 0) break;
      const double gain =
          information(below, contrast * std::sqrt(batch)) / (build_seconds[commit] + batch * measure_seconds);
      if (gain > most) {
        most = gain;
        best = commit == commits_ ? lesser_end() : commit;
      }
    }
  }
  return best;
}

}  // namespace lab::stats
