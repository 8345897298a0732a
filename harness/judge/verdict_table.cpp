#include "harness/judge/verdict_table.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "harness/stats/quantile.h"

namespace lab::judge {

namespace {

bool is_tested(const ComparisonRow& row) {
  return row.reason == Reason::kNone;
}

/// Holm's p of the tested rows, in the family of a table of so many.
std::vector<double> holm_of_table(std::vector<double> p) {
  p.resize(family_size(p.size()), 1);
  return stats::holm(p);
}

bool is_finding(Verdict verdict) {
  return verdict == Verdict::kRegressed || verdict == Verdict::kImproved;
}

/// What is the same for all rows.
struct Terms {
  VerdictRule rule;
  double shift = 0;             ///< logarithm of the session shift
  std::size_t family = 0;       ///< number of rows that p is corrected for
  std::optional<double> noise;  ///< of the table
};

/// Why no test of the row could have found what matters; kNone if its ratio lies between the verdicts.
Reason blind_reason(const ComparisonRow& row, const TestedRow& test, const VerdictRule& rule) {
  if (!row.interval) return Reason::kNoInterval;
  if (test.least_p() * static_cast<double>(row.table) >= rule.alpha) return Reason::kTooYoung;
  const bool sees = row.detectable && *row.detectable <= std::max(kMaxDetectableChange, rule.threshold);
  return sees ? Reason::kNone : Reason::kBlind;
}

/// Whether the row would have a finding if layout had no effect, but has none.
bool is_hidden_by_layout(const ComparisonRow& row, const TestedRow& test, double p_without_layout, const Terms& terms) {
  if (row.verdict != Verdict::kUnknown) return false;
  ComparisonRow same_layout = row;
  same_layout.p = p_without_layout;
  same_layout.interval = test.interval_without_layout(terms.shift);
  return is_finding(judge(same_layout, terms.rule.alpha, terms.rule.threshold));
}

void explain_unknown(const TestedRow& test, const Terms& terms, ComparisonRow& row) {
  // A row with too few processes to estimate its noise gets the table's noise.
  const std::optional<double> own = test.noise(), noise = own ? own : terms.noise;
  if (noise) row.needed = test.needed(*noise, terms.shift, terms.rule.threshold);
  row.reason = blind_reason(row, test, terms.rule);
}

/// `unjudged`: why the test counts for nothing, if it does.
void set_verdict(const TestedRow& test, const AdjustedP& adjusted, Reason unjudged, const Terms& terms,
                 ComparisonRow& row) {
  row.p = adjusted.p;
  row.table = terms.family;
  row.interval = test.interval(terms.shift);
  row.detectable = test.detectable(terms.shift, terms.rule.threshold);
  row.verdict = judge(row, terms.rule.alpha, terms.rule.threshold);
  row.hidden_by_layout = is_hidden_by_layout(row, test, adjusted.without_layout, terms);
  row.reason = unjudged;
  if (row.reason != Reason::kNone)
    row.verdict = Verdict::kUnknown;
  else if (row.verdict == Verdict::kUnknown)
    explain_unknown(test, terms, row);
  if (row.reason != Reason::kNone && row.reason != Reason::kBlind) row.detectable.reset();
}

}  // namespace

VerdictTable::VerdictTable(const ComparedArm& base, const ComparedArm& head, const std::set<std::string>& benchmarks)
    : base_(&base), head_(&head) {
  for (const std::string& benchmark : benchmarks) rows_.push_back(started(benchmark));
}

VerdictTable::Row VerdictTable::started(const std::string& benchmark) const {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.base_processes = base_->values(benchmark).size();
  row.head_processes = head_->values(benchmark).size();
  row.base_value = median_of(base_->values(benchmark));
  row.head_value = median_of(head_->values(benchmark));
  const results::Metric& metric = (head_->has(benchmark) ? head_ : base_)->metric(benchmark);
  row.unit = metric.unit;
  row.more_is_better = metric.better == bench::Better::kMore;
  row.identical = is_identical(*base_, *head_, benchmark);
  row.reason = untested_reason(*base_, *head_, benchmark);
  return {std::move(row), {}};
}

void VerdictTable::set_same_session() {
  for (Row& row : rows_) {
    row.known.identical = true;
    if (is_tested(row.known)) row.known.reason = Reason::kIdentical;
  }
}

std::size_t VerdictTable::tested() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows_, is_tested, &Row::known));
}

std::set<std::string> VerdictTable::with_other_work() const {
  std::set<std::string> benchmarks;
  for (const Row& row : rows_)
    if (row.known.reason == Reason::kSeeds || row.known.reason == Reason::kMachine)
      benchmarks.insert(row.known.benchmark);
  return benchmarks;
}

Drift VerdictTable::drift_of(const std::vector<const ComparedArm*>& sides) const {
  std::vector<Drift::Arms> benchmarks;
  for (const Row& row : rows_) {
    if (row.known.identical || !is_measured(row.known)) continue;
    Drift::Arms& arms = benchmarks.emplace_back();
    for (const ComparedArm* side : sides) arms.emplace_back(side->values(row.known.benchmark));
  }
  return Drift(benchmarks);
}

void VerdictTable::test(bool interleaved, double alpha) {
  TestMethod method{interleaved, family_size(tested()), alpha, {}, {}};
  method.base_drift = interleaved ? drift_of({base_, head_}) : drift_of({base_});
  method.head_drift = interleaved ? method.base_drift : drift_of({head_});
  for (Row& row : rows_)
    if (const std::string& name = row.known.benchmark; is_measured(row.known))
      row.test.emplace(base_->values(name), head_->values(name), method);
}

std::vector<RowMove> VerdictTable::moves() const {
  std::vector<RowMove> moves;
  for (const Row& row : rows_)
    if (row.test && row.known.reason != Reason::kSeeds && has_levels(row.known.benchmark))
      moves.push_back({row.known.benchmark, row.test->log_ratio(), row.test->standard_error(), row.known.identical});
  return moves;
}

std::optional<double> VerdictTable::noise() const {
  std::vector<double> noises;
  for (const Row& row : rows_)
    if (const auto noise = row.test ? row.test->noise() : std::nullopt) noises.push_back(*noise);
  return noises.empty() ? std::nullopt : std::optional(stats::median(noises));
}

double VerdictTable::layout_shift() const {
  std::vector<double> shifts;
  for (const Row& row : rows_)
    if (row.test && row.test->noise()) shifts.push_back(row.test->layout_shift());
  return shifts.empty() ? 0 : std::expm1(stats::median(shifts));
}

std::vector<AdjustedP> VerdictTable::adjusted(double shift) const {
  std::vector<double> p, without_layout;
  for (const Row& row : rows_) {
    if (!is_tested(row.known)) continue;
    p.push_back(row.test->p(shift));
    without_layout.push_back(row.test->p_without_layout(shift));
  }
  const std::vector<double> with = holm_of_table(p), without = holm_of_table(without_layout);
  std::vector<AdjustedP> adjusted;
  for (std::size_t i = 0; i < p.size(); ++i) adjusted.push_back({with[i], without[i]});
  return adjusted;
}

Reason VerdictTable::unjudged_reason(const ComparisonRow& row, const VerdictRule& rule) const {
  if (rule.unjudged != Reason::kNone) return rule.unjudged;
  if (rule.blind.contains(results::benchmark_parts(row.benchmark).family)) return Reason::kUnfit;
  if (rule.needs_levels && !has_levels(row.benchmark)) return Reason::kDisturbed;
  const bool warming_up = base_->is_warming_up(row.benchmark) || head_->is_warming_up(row.benchmark);
  return warming_up ? Reason::kWarmingUp : Reason::kNone;
}

std::vector<ComparisonRow> VerdictTable::verdicts(const VerdictRule& rule) const {
  const Terms terms{rule, std::log1p(rule.session_shift), family_size(tested()), noise()};
  const std::vector<AdjustedP> p = adjusted(terms.shift);
  auto next = p.begin();
  std::vector<ComparisonRow> rows;
  for (const Row& row : rows_) {
    ComparisonRow& made = rows.emplace_back(row.known);
    if (row.test) {
      made.ratio = std::exp(row.test->log_ratio());
      made.layout = row.test->layout();
    }
    if (is_tested(row.known)) set_verdict(*row.test, *next++, unjudged_reason(made, rule), terms, made);
  }
  std::ranges::sort(rows, {}, [](const ComparisonRow& row) {
    return std::tuple(row.verdict, !row.p, -std::abs(std::log(row.ratio)), std::string_view(row.benchmark));
  });
  return rows;
}

}  // namespace lab::judge
