#include "harness/report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "harness/judge/exact.h"
#include "harness/judge/summary.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/results/metrics.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::ClaimVerdict;
using judge::JudgedClaim;
using judge::JudgedExact;
using judge::JudgedFormula;
using judge::JudgedOrder;
using judge::JudgedRatio;
using judge::MeasuredRatio;
using results::Article;
using results::Result;

TableCell median_cell(const std::optional<MeasuredRatio>& ratio) {
  return ratio ? number(ratio->median) : "none";
}

/// Empty for an exact metric.
std::string interval_cell(const std::optional<MeasuredRatio>& ratio) {
  return ratio && ratio->exact ? "" : interval_of(ratio);
}

/// How a ratio is said: of the second variant, by the first.
struct RatioWords {
  std::string_view up, comparative_up, down, comparative_down;
};

const RatioWords& words_of(bool time) {
  static constexpr RatioWords kTimes{"fast", "faster", "slow", "slower"},
      kOthers{"small", "smaller", "large", "larger"};
  return time ? kTimes : kOthers;
}

/// Whether there is no ratio, or one of an exact metric whose processes disagree.
bool has_obstacle(const std::optional<MeasuredRatio>& ratio) {
  return !ratio || (ratio->exact && !ratio->interval);
}

/// The ratio of an exact metric as text, in the direction of the claim.
std::string explain_exact(std::string_view times, double ratio, double effect, std::string_view not_so,
                          ClaimVerdict verdict) {
  const std::string claimed = number(effect);
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      return ratio >= effect ? fmt::format("{}: no less than the claimed {}.", times, claimed)
                             : fmt::format("{}: the claimed {} to within {:.0f} % of its effect.", times, claimed,
                                           100 * judge::kClaimTolerance);
    case ClaimVerdict::kWeaker:
      return fmt::format("{}: less than the claimed {}.", times, claimed);
    case ClaimVerdict::kRefuted:
      return fmt::format("not {}: {}.", not_so, times);
    case ClaimVerdict::kUndecided:
    case ClaimVerdict::kNotJudged:
      break;
  }
  return fmt::format("{}; the claim is of no effect.", times);
}

/// The interval as text, in the direction of the claim.
std::string explain(const JudgedRatio& ratio, const MeasuredRatio& measured, ClaimVerdict verdict) {
  if (!measured.interval)
    return fmt::format("{} measured both benchmarks; an interval needs {}.", counted(measured.count, "block"),
                       stats::least_count());
  const bool up = ratio.claimed > 1;
  const RatioWords& words = words_of(ratio.time);
  const std::string_view word = up ? words.up : words.down;
  // The effect of a slow-down is the inverse ratio.
  const double effect = up ? ratio.claimed : 1 / ratio.claimed;
  const double least = up ? measured.interval->low : 1 / measured.interval->high;
  const double most = up ? measured.interval->high : 1 / measured.interval->low;
  if (measured.exact)
    return explain_exact(fmt::format("{} times as {}", number(least), word), least, effect,
                         up ? words.comparative_up : words.comparative_down, verdict);
  const std::string between = fmt::format("between {} and {} times as {}", number(least), number(most), word);
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      if (least >= effect)
        return fmt::format("at least {} times as {}: no less than the claimed {}.", number(least), word,
                           number(effect));
      return fmt::format("{}: the claimed {} is possible.", between, number(effect));
    case ClaimVerdict::kWeaker:
      return fmt::format("{}: less than the claimed {}.", between, number(effect));
    case ClaimVerdict::kRefuted:
      if (most <= 1)
        return fmt::format("not {}: at most {} times as {}.", up ? words.comparative_up : words.comparative_down,
                           number(most), word);
      return fmt::format("at most {} times as {}: less than {:.0f} % of the claimed effect.", number(most), word,
                         100 * judge::kClaimTolerance);
    case ClaimVerdict::kNotJudged:
      return fmt::format("{}; claimed is {}.", between, number(effect));
    case ClaimVerdict::kUndecided:
      break;
  }
  if (ratio.claimed == 1) return fmt::format("{}; the claim is of no effect.", between);
  return fmt::format("{}: both no effect and the claimed {} are possible.", between, number(effect));
}

/// Whether its values are nanoseconds.
bool is_time(const results::Quantity& quantity) {
  return quantity.metric == "time" && quantity.over.empty() && quantity.exhibit.empty();
}

/// A value as the printed number, with one decimal more.
std::string as_printed(double value, const results::PrintedNumber& printed) {
  const bool percent = printed.text.ends_with('%');
  const double scale = percent ? 100 : 1;
  const auto decimals = std::max(0L, -std::lround(std::log10(printed.accuracy * scale)));
  const double shown = value * scale;
  return thousands(fmt::format("{:.{}f}", shown, shown == std::trunc(shown) ? 0 : decimals + 1)) +
         (percent ? " %" : "");
}

/// Values that a claim on them is about: times as durations, others as the claim prints its number.
std::string shown_values(const stats::Interval& values, const results::ExactClaim& claim) {
  const auto text = [&](double value) {
    return is_time(claim.quantity) ? duration(value) : as_printed(value, claim.stated);
  };
  const std::string low = text(values.low), high = text(values.high);
  return low == high ? low : range(low, high);
}

/// "buddy / linear 1.25 (1.20 to 1.30)" for each step of an order.
std::string steps_phrase(const JudgedOrder& order, const Result& result) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.steps.size(); ++i) {
    const std::optional<MeasuredRatio>& step = order.steps[i];
    texts.push_back(fmt::format(
        "{} / {} {}", order.claim->variants[i + 1], order.claim->variants[i],
        has_obstacle(step)
            ? "unknown, because " + obstacle(std::span(order.benchmarks).subspan(i, 2), order.claim->metric, result)
            : with_interval(*step)));
    // Of several steps, the reader is told which one refutes the claim.
    if (order.steps.size() > 1 && judge::does_not_grow(step)) texts.back() += " (not larger)";
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// " (time of the phase walk)": what the steps of an order compare, where it is not the whole time; else "".
std::string compared_by(const JudgedOrder& order, const Result& result) {
  const std::string& metric = order.claim->metric;
  const results::WorkloadInfo* const workload =
      order.benchmarks.empty() ? nullptr : results::find_workload(result, order.benchmarks.front());
  if (metric == "time" || workload == nullptr) return "";
  if (std::ranges::find(workload->phases, metric) != workload->phases.end())
    return fmt::format(" (time of the phase {})", metric);
  const std::optional<results::Metric> found = results::find_metric(*workload, metric);
  return found ? fmt::format(" ({})", uncapitalized(found->title)) : "";
}

/// A claim's row of the table, without verdict and wording.
struct ClaimRow {
  std::string stated = {}, from_table = {}, erratum = {}, here = {}, interval = {};
  std::map<std::string, std::optional<MeasuredRatio>> also = {};  ///< by workload
  std::string why = {};
};

std::string_view relation_words(results::ExactClaim::Relation relation) {
  constexpr std::string_view kWords[] = {"", "at least ", "at most "};
  return kWords[static_cast<std::size_t>(relation)];
}

/// Four digits, so that 1 / (4 * 128) and its printed rounding are told apart.
std::string shortest(const stats::Interval& values) {
  const std::string low = plain(values.low), high = plain(values.high);
  return low == high ? low : range(low, high);
}

/// "2^5 * 16,384": the formula with the numbers of its names; "" where processes differ in them.
std::string filled_in(const results::Formula& formula, const judge::ExactValue& value) {
  if (value.operands.size() != formula.names().size()) return "";
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const std::string& text = formula.text();
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_name) - text.begin());
    const std::string word = text.substr(at, std::max<std::size_t>(1, end - at));
    const auto name = std::ranges::find(formula.names(), word);
    filled += name == formula.names().end()
                  ? word
                  : plain(value.operands[static_cast<std::size_t>(name - formula.names().begin())]);
    at += word.size();
  }
  return filled;
}

/// What keeps the values of a benchmark from a verdict.
std::string why_undecided(const judge::ExactValue& value, const std::string& values) {
  using Source = judge::ExactValue::Source;
  if (value.source == Source::kCounter)
    return value.count < judge::kLeastToAgree
               ? fmt::format("{} has {} in one process, which proves no exact value", value.benchmark, values)
               : fmt::format("{} has different values of an exact metric, {}", value.benchmark, values);
  if (value.count < stats::least_count())
    return fmt::format("{} has {} in {}; a metric with noise needs {}", value.benchmark, values,
                       counted(value.count, "process", "processes"), stats::least_count());
  return fmt::format("{} has {}: not in every process as stated, nor beyond it with the interval of the median",
                     value.benchmark, values);
}

/// The refuted value that is farthest from what is stated; nullptr if there is none.
const judge::ExactValue* most_refuted(const std::vector<judge::ExactValue>& values) {
  const auto off = [](const judge::ExactValue& one) {
    const double most = std::max(std::abs(one.range.high - one.stated.low), std::abs(one.range.low - one.stated.high));
    const double stated = std::max(std::abs(one.stated.low), std::abs(one.stated.high));
    return stated > 0 ? most / stated : most;
  };
  const judge::ExactValue* found = nullptr;
  for (const judge::ExactValue& one : values)
    if (one.verdict == ClaimVerdict::kRefuted && (found == nullptr || off(one) > off(*found))) found = &one;
  return found;
}

/// nullptr without such a value.
const judge::ExactValue* first_with(const std::vector<judge::ExactValue>& values, ClaimVerdict verdict) {
  const auto found = std::ranges::find(values, verdict, &judge::ExactValue::verdict);
  return found == values.end() ? nullptr : &*found;
}

/// " A session makes this exhibit once." if the values are of one.
std::string once_sentence(const std::vector<judge::ExactValue>& values) {
  return values.front().source == judge::ExactValue::Source::kFigure ? " A session makes this exhibit once." : "";
}

stats::Interval range_of(const std::vector<judge::ExactValue>& values) {
  stats::Interval all = values.front().range;
  for (const judge::ExactValue& value : values)
    all = {std::min(all.low, value.range.low), std::max(all.high, value.range.high)};
  return all;
}

ClaimRow without_values(ClaimRow row, const results::Quantity& quantity) {
  row.here = "none";
  row.why = quantity.exhibit.empty() ? fmt::format("No process of {} has '{}'.", quantity.benchmarks, quantity.metric)
                                     : fmt::format("No exhibit '{}' of {} has '{}'.", quantity.exhibit,
                                                   quantity.benchmarks, quantity.metric);
  return row;
}

/// Makes the row of each kind of claim.
struct RowMaker {
  const Result& result;
  ClaimVerdict verdict;

  /// The reason for the verdict on values: the benchmark that decides, or `held` of all of them.
  template <typename Text>
  std::string reason_of(const std::vector<judge::ExactValue>& values, Text text, const std::string& held) const {
    if (verdict == ClaimVerdict::kNotJudged) return fmt::format("Found in {}.", counted(values.size(), "benchmark"));
    if (const judge::ExactValue* const wrong = most_refuted(values))
      return fmt::format("{}.{}", text(*wrong), once_sentence(values));
    if (const judge::ExactValue* const open = first_with(values, ClaimVerdict::kUndecided))
      return why_undecided(*open, text(*open, true)) + ".";
    return fmt::format("{} in {}.{}", held, counted(values.size(), "benchmark"), once_sentence(values));
  }

  ClaimRow operator()(const JudgedRatio& ratio) const {
    const std::optional<double>& stated = ratio.claim->stated;
    ClaimRow row;
    row.stated = stated ? fmt::format("{:.2f}", *stated) : "table only";
    if (ratio.one->from_table) row.from_table = fmt::format("{:.2f}", *ratio.one->from_table);
    if (ratio.misprinted) row.erratum = fmt::format("{:.2f}, not {:.2f}", ratio.claimed, *stated);
    row.here = median_cell(ratio.measured).text;
    row.interval = interval_cell(ratio.measured);
    for (std::size_t i = 0; i < ratio.also.size(); ++i) row.also[ratio.claim->also[i]] = ratio.also[i];
    row.why = has_obstacle(ratio.measured) ? obstacle(ratio.benchmarks, ratio.claim->ratio.metric, result) + "."
                                           : capitalized(explain(ratio, *ratio.measured, verdict));
    return row;
  }

  ClaimRow operator()(const JudgedExact& exact) const {
    const results::PrintedNumber& stated = exact.claim->stated;
    const bool is_bound = exact.claim->relation != results::ExactClaim::Relation::kEqual;
    ClaimRow row{.stated = std::string(relation_words(exact.claim->relation)) +
                           (is_time(exact.claim->quantity) ? duration(stated.value) : stated.text)};
    if (exact.values.empty()) return without_values(std::move(row), exact.claim->quantity);
    row.here = shown_values(range_of(exact.values), *exact.claim);
    row.why = reason_of(
        exact.values,
        [&](const judge::ExactValue& one, bool alone = false) {
          const std::string values = shown_values(one.range, *exact.claim);
          return alone ? values : fmt::format("{} has {}", one.benchmark, values);
        },
        is_bound ? "Within the bound" : "The stated number");
    return row;
  }

  ClaimRow operator()(const JudgedFormula& formula) const {
    ClaimRow row{.stated = formula.claim->stated.text()};
    if (formula.values.empty()) {
      std::vector<std::string> wanted = formula.claim->stated.names();
      for (const std::string& metric : {formula.claim->quantity.over, formula.claim->quantity.metric})
        if (!metric.empty()) wanted.insert(wanted.begin(), metric);
      row.here = "none";
      row.why = fmt::format("No process of {} has all of {}.", formula.claim->quantity.benchmarks, enumerated(wanted));
      return row;
    }
    row.here = shortest(range_of(formula.values));
    const auto given = [&](const judge::ExactValue& one) {
      const std::string filled = filled_in(formula.claim->stated, one), value = shortest(one.stated);
      return filled.empty() || filled == value ? value : fmt::format("{} = {}", filled, value);
    };
    const bool alike = std::ranges::adjacent_find(formula.values, std::not_equal_to(), &judge::ExactValue::operands) ==
                       formula.values.end();
    row.why = reason_of(
        formula.values,
        [&](const judge::ExactValue& one, bool alone = false) {
          const std::string values = shortest(one.range);
          return alone ? values : fmt::format("{} has {}; the formula gives {}", one.benchmark, values, given(one));
        },
        alike && !formula.values.front().operands.empty()
            ? fmt::format("{}, as the formula gives it", given(formula.values.front()))
            : "As the formula gives it");
    return row;
  }

  ClaimRow operator()(const JudgedOrder& order) const {
    static const std::map<ClaimVerdict, std::string_view> kFindings{
        {ClaimVerdict::kReproduced, "Each is larger than the one before it"},
        {ClaimVerdict::kRefuted, "Not each is larger than the one before it"},
        {ClaimVerdict::kUndecided, "One may not be larger than the one before it"},
        {ClaimVerdict::kNotJudged, "Each by the one before it"}};
    const bool unknown = verdict == ClaimVerdict::kUndecided && std::ranges::any_of(order.steps, has_obstacle);
    return {.stated = fmt::format("{}", fmt::join(order.claim->variants, " < ")),
            .why = fmt::format("{}{}: {}.", unknown ? "Not each is known" : kFindings.at(verdict),
                               compared_by(order, result), steps_phrase(order, result))};
  }
};

/// Why the session cannot decide the claim.
std::string unmet_sentence(const results::ClaimNeed& need, const judge::UnmetNeed& unmet) {
  return unmet.most ? fmt::format("The claim needs at least {:g} {}; this machine has {:g}.", need.least, need.metric,
                                  *unmet.most)
                    : fmt::format("The claim needs at least {:g} {}; no benchmark of it has that metric.", need.least,
                                  need.metric);
}

ClaimRow row_of(const JudgedClaim& claim, const Result& result) {
  ClaimRow row = std::visit(RowMaker{result, claim.verdict}, claim.evidence);
  if (claim.unmet) row.why = unmet_sentence(*claim.claim->need, *claim.unmet);
  return row;
}

const std::map<ClaimVerdict, Emphasis> kEmphasis{{ClaimVerdict::kReproduced, Emphasis::kGood},
                                                 {ClaimVerdict::kWeaker, Emphasis::kWeak},
                                                 {ClaimVerdict::kRefuted, Emphasis::kBad},
                                                 {ClaimVerdict::kUndecided, Emphasis::kOpen},
                                                 {ClaimVerdict::kNotJudged, Emphasis::kOpen}};

template <typename Evidence>
bool has(const std::vector<JudgedClaim>& claims) {
  return std::any_of(claims.begin(), claims.end(),
                     [](const JudgedClaim& claim) { return std::holds_alternative<Evidence>(claim.evidence); });
}

/// Whether a claim compares values of an exact metric.
bool compares_exact(const JudgedClaim& claim) {
  const auto is_exact = [](const std::optional<MeasuredRatio>& one) { return one && one->exact; };
  if (const auto* ratio = std::get_if<JudgedRatio>(&claim.evidence)) return is_exact(ratio->measured);
  const auto* order = std::get_if<JudgedOrder>(&claim.evidence);
  return order != nullptr && std::ranges::any_of(order->steps, is_exact);
}

/// What a ratio is, and with what it is compared; "" without ratios.
std::string ratio_phrase(const std::vector<JudgedClaim>& claims) {
  if (!has<JudgedRatio>(claims)) return "";
  const auto all = [&](const auto& holds) {
    return std::all_of(claims.begin(), claims.end(), [&](const JudgedClaim& claim) {
      const auto* ratio = std::get_if<JudgedRatio>(&claim.evidence);
      return ratio == nullptr || holds(*ratio);
    });
  };
  const bool times = all([](const JudgedRatio& ratio) { return ratio.time || !ratio.measured; });
  const bool tables = all([](const JudgedRatio& ratio) { return ratio.one->from_table.has_value(); });
  const bool intervals = !all([](const JudgedRatio& ratio) { return !ratio.measured || !ratio.measured->interval; });
  return fmt::format(
      " A ratio is the first variant's {} over the second's: above 1, the second {}. It is the median over blocks{}. "
      "The verdict compares it with the ratio from the article's own table{}.",
      times ? "time" : "time or other metric", times ? "is faster" : "is faster or needs less",
      intervals ? ", with a 95 % interval" : fmt::format("; an interval needs {}", stats::least_count()),
      tables ? "" : ", or with the stated one where the table has none");
}

/// Where the article measured, and how each kind of its claims is judged.
std::string method_phrase(const std::vector<JudgedClaim>& claims, const Article& article, const Result& result,
                          const judge::Fitness& fitness) {
  std::string text = fmt::format("{} ({}) {}; this machine has {}.", article.source.author, article.source.year,
                                 article.machine.empty() ? "does not name a machine" : "measured on " + article.machine,
                                 counted(static_cast<std::size_t>(result.machine.logical_cores), "logical core"));
  text += ratio_phrase(claims);
  if (!article.workload.empty())
    text += fmt::format(" The judged workload is {}, unless a claim names another.", article.workload);
  if (!article.note.empty()) text += " " + article.note;
  if (has<JudgedExact>(claims))
    text +=
        " A claim of a number is reproduced if every benchmark has it, to within one unit of the last digit that the "
        "article prints; 0 and a bound hold exactly. A counter needs two processes that agree, a metric with noise " +
        fmt::format("{} processes.", stats::least_count());
  if (has<JudgedFormula>(claims))
    text +=
        " A claim of a formula is reproduced if every benchmark's value is what the formula gives for its own metrics.";
  if (has<JudgedOrder>(claims))
    text +=
        " An order is reproduced if the ratio of each variant to the one before it is above 1 with its whole interval, "
        "and refuted if one interval is not above 1 anywhere.";
  if (std::ranges::any_of(claims, compares_exact))
    text +=
        " An exact metric has no noise: if all processes of each benchmark agree, the ratio of the two values decides, "
        "without an interval.";
  if (std::ranges::find(claims, ClaimVerdict::kNotJudged, &JudgedClaim::verdict) != claims.end())
    text += fitness.fit
                ? " Other work disturbed the session, so that no claim of a number of times is judged."
                : " The session is unfit, so that only claims about exact metrics are judged; other figures are "
                  "shown.";
  return text;
}

/// The workloads for which ratios are shown but not judged.
std::vector<std::string> also_of(const std::vector<JudgedClaim>& claims) {
  std::vector<std::string> workloads;
  for (const JudgedClaim& claim : claims)
    if (const auto* ratio = std::get_if<JudgedRatio>(&claim.evidence))
      for (const std::string& workload : ratio->claim->also)
        if (std::find(workloads.begin(), workloads.end(), workload) == workloads.end()) workloads.push_back(workload);
  return workloads;
}

std::vector<TableColumn> claim_columns(const std::vector<JudgedClaim>& claims, const std::vector<std::string>& also) {
  std::vector<TableColumn> columns{
      {"Verdict", kVerdict},
      {"Claim", kText},
      {"Stated", has<JudgedOrder>(claims) || has<JudgedFormula>(claims) ? kShort : kNumber},
      {"From its table", kNumber, true},
      {"Erratum", kShort, true},
      {"Here", kNumber},
      {"95 % interval", kNumber}};
  for (const std::string& workload : also) {
    columns.push_back({"Here, " + workload, kNumber, true});
    columns.push_back({"95 % interval", kNumber, true});
  }
  columns.push_back({"Why", kText});
  return columns;
}

TableCell claim_cell(const JudgedClaim& claim) {
  TableCell cell = wording(claim);
  cell.details = basis_of(*claim.claim);
  return cell;
}

std::vector<TableCell> claim_cells(const JudgedClaim& claim, const std::vector<std::string>& also, const Result& result,
                                   const judge::Fitness& fitness) {
  const ClaimRow row = row_of(claim, result);
  const std::string why_not = not_judged(fitness.fit ? judge::kMachineReason : fitness.reason);
  std::vector<TableCell> cells{
      TableCell(claim.verdict == ClaimVerdict::kNotJudged ? why_not : std::string(judge::to_string(claim.verdict)),
                kEmphasis.at(claim.verdict)),
      claim_cell(claim),
      row.stated,
      row.from_table,
      row.erratum,
      row.here,
      row.interval};
  for (const std::string& workload : also) {
    const auto found = row.also.find(workload);
    cells.push_back(found == row.also.end() ? "" : median_cell(found->second));
    cells.emplace_back(found == row.also.end() ? "" : interval_cell(found->second));
  }
  cells.emplace_back(row.why);
  return cells;
}

/// The claims that have a verdict, or figures that are shown without one.
Table claims_table(const std::vector<JudgedClaim>& claims, const Article& article, const Result& result,
                   const judge::Fitness& fitness) {
  const std::vector<std::string> also = also_of(claims);
  Table table{"claims-" + article.name, "The article's claims and their verdicts on this machine",
              claim_columns(claims, also)};
  for (const JudgedClaim& claim : claims) {
    table.rows.push_back(claim_cells(claim, also, result, fitness));
    table.benchmarks.push_back(claim.benchmarks);
  }
  table.drop_empty_columns();
  return table;
}

/// The claims that wait for numbers, each with the command that measures them, unless they need another machine.
Folds waiting_claims(const std::vector<JudgedClaim>& claims, const Article& article, const Result& result) {
  Folds folds{fmt::format("claims-{}-undecided", article.name),
              fmt::format("{} no verdict yet. Each has the command that measures what it lacks, where this machine can",
                          counted(claims.size(), "claim has", "claims have")),
              {std::string(judge::to_string(ClaimVerdict::kUndecided)), kEmphasis.at(ClaimVerdict::kUndecided)}};
  for (const JudgedClaim& claim : claims)
    folds.folds.push_back({wording(claim), row_of(claim, result).why,
                           claim.unmet && claim.unmet->most ? "" : deciding_command(claim), basis_of(*claim.claim)});
  return folds;
}

/// Collects the rows of a ratio chart: of each variant, its ratio here on each workload, then the article's.
class RatioRows {
 public:
  RatioRows(const results::RatioChart& chart, const Article& article, const Result& result)
      : chart_(chart), article_(article), result_(result) {}

  void add(const std::string& variant, bool is_first_of_row) {
    bool measured_here = add_measured(variant, article_.workload, true);
    for (const std::string& workload : article_.also)
      measured_here = add_measured(variant, workload, !measured_here) || measured_here;
    // The article has one figure per row, however many variants here it is about.
    if (is_first_of_row || measured_here) add_published(variant);
  }

  json::array rows;
  std::string last;    ///< the last variant with measurements
  bool bars = false;   ///< whether a ratio has an interval
  bool noisy = false;  ///< whether a ratio has noise
  std::string here;    ///< its ratio on the first workload that has one

 private:
  bool add_measured(const std::string& variant, const std::string& workload, bool is_first) {
    const std::optional<MeasuredRatio> measured =
        judge::measured_ratio(article_.family, chart_.reference, variant, chart_.metric, workload, result_);
    if (!measured) return false;
    bars = bars || (!measured->exact && measured->interval);
    noisy = noisy || !measured->exact;
    const stats::Interval point{measured->median, measured->median};
    add_row(variant, workload, "here, " + workload, measured->median, measured->interval.value_or(point),
            with_interval(*measured));
    if (is_first) {
      last = variant;
      here = measured->exact || measured->interval ? with_interval(*measured)
                                                   : number(measured->median) + " (too few processes for an interval)";
    }
    return true;
  }

  void add_published(const std::string& variant) {
    const std::optional<double> own = article_.figure(variant, chart_.metric);
    if (!own) return;
    const double ratio = *article_.figure(chart_.reference, chart_.metric) / *own;
    add_row(variant, article_.workload, fmt::format("the article, {}", article_.source.year), ratio, {ratio, ratio},
            number(ratio));
  }

  void add_row(const std::string& variant, const std::string& workload, const std::string& series, double ratio,
               const stats::Interval& interval, const std::string& shown) {
    rows.push_back(json::object{{"label", variant},
                                {"benchmark", results::benchmark_name(article_.family, variant, workload)},
                                {"series", series},
                                {"ratio", ratio},
                                {"low", interval.low},
                                {"high", interval.high},
                                {"shown", shown}});
  }

  const results::RatioChart& chart_;
  const Article& article_;
  const Result& result_;
};

}  // namespace

bool is_judged(const JudgedClaim& claim) {
  return claim.verdict != ClaimVerdict::kNotJudged && claim.has_numbers;
}

std::string deciding_command(const JudgedClaim& claim) {
  constexpr std::size_t kMostNamed = 4;
  std::set<std::string> benchmarks(claim.benchmarks.begin(), claim.benchmarks.end());
  if (const auto* exact = std::get_if<JudgedExact>(&claim.evidence); exact != nullptr && benchmarks.empty())
    benchmarks.insert(exact->claim->quantity.benchmarks);
  if (const auto* formula = std::get_if<JudgedFormula>(&claim.evidence); formula != nullptr && benchmarks.empty())
    benchmarks.insert(formula->claim->quantity.benchmarks);
  if (benchmarks.size() > kMostNamed) {
    std::set<std::string> workloads;
    for (const std::string& benchmark : benchmarks) {
      const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
      workloads.insert(results::benchmark_name(parts.family, "*", parts.workload));
    }
    benchmarks = std::move(workloads);
  }
  std::string command = "python3 make.py run";
  for (const std::string& benchmark : benchmarks) command += fmt::format(" --filter '{}'", benchmark);
  return command;
}

std::string wording(const JudgedClaim& claim) {
  const auto* ratio = std::get_if<JudgedRatio>(&claim.evidence);
  if (ratio == nullptr || ratio->one->when.empty()) return claim.claim->text;
  return fmt::format("{}; {}", claim.claim->text, ratio->one->when);
}

std::vector<std::pair<std::string, std::string>> basis_of(const results::Claim& claim) {
  const auto& [passage, decides, here] = claim.basis;
  return {{"In the article", passage}, {"What would decide it", decides}, {"Why this does", here}};
}

Table open_claims_table(const Article& article) {
  Table table{"claims-" + article.name + "-open",
              fmt::format("Claims ({}, {}) that nothing here can answer", article.source.author, article.source.year),
              {{"Claim", kText}, {"Why it is open", kText}}};
  for (const results::Claim& claim : article.claims) {
    if (!std::holds_alternative<results::TextClaim>(claim.kind)) continue;
    TableCell cell = claim.text;
    cell.details = basis_of(claim);
    std::erase_if(cell.details, [&](const auto& part) { return part.second == claim.basis.here; });
    table.rows.push_back({std::move(cell), claim.basis.here});
  }
  return table;
}

std::string with_interval(const MeasuredRatio& ratio) {
  return ratio.exact ? number(ratio.median) : with_interval(static_cast<const stats::Estimate&>(ratio));
}

std::string reason(const JudgedClaim& claim, const Result& result) {
  return row_of(claim, result).why;
}

std::string verdict_counts(const std::vector<JudgedClaim>& claims) {
  std::vector<std::string> texts;
  for (const auto& [verdict, emphasis] : kEmphasis) {
    if (verdict == ClaimVerdict::kNotJudged) continue;
    const auto count = std::count_if(claims.begin(), claims.end(),
                                     [wanted = verdict](const JudgedClaim& claim) { return claim.verdict == wanted; });
    if (count != 0) texts.push_back(fmt::format("{} {}", count, judge::to_string(verdict)));
  }
  return texts.empty() ? "none" : enumerated(texts);
}

Section claims_section(const std::vector<JudgedClaim>& claims, const Article& article, const std::string& title,
                       const Result& result, const judge::Fitness& fitness) {
  Section section{"claims-" + article.name, title};
  std::vector<Link> links;
  if (!article.source.address.empty()) links.push_back({"Read the article", article.source.address});
  section.add(Paragraph{method_phrase(claims, article, result, fitness), Emphasis::kPlain, std::move(links)});
  Charts charts;
  for (const results::RatioChart& wanted : article.charts)
    if (std::optional<Chart> chart = ratio_chart(wanted, article, result, fitness))
      charts.charts.push_back(std::move(*chart));
  section.add(std::move(charts));
  std::vector<JudgedClaim> waiting, others;
  for (const JudgedClaim& claim : claims)
    (claim.verdict == ClaimVerdict::kUndecided ? waiting : others).push_back(claim);
  section.add(claims_table(others, article, result, fitness));
  section.add(waiting_claims(waiting, article, result));
  section.add(open_claims_table(article));
  return section;
}

std::string obstacle(std::span<const std::string> benchmarks, const std::string& metric, const Result& result) {
  for (const std::string& benchmark : benchmarks) {
    const std::vector<stats::Datum> values = judge::metric_values(result, benchmark, metric);
    if (values.empty()) {
      const bool ran = std::ranges::any_of(result.processes,
                                           [&](const results::Process& one) { return one.benchmark == benchmark; });
      if (!ran) return benchmark + " has no numbers";
      return metric.empty() || metric == "time" ? benchmark + " has no judged time"
                                                : fmt::format("{} has no '{}'", benchmark, metric);
    }
    if (std::ranges::any_of(values, [](const stats::Datum& one) { return one.value <= 0; }))
      return benchmark + " has a value of 0 or less";
    if (judge::is_exact(result, benchmark, metric) && !judge::exact_value(result, benchmark, metric))
      return benchmark + (values.size() == 1 ? " has one process, which proves no exact value"
                                             : " has different values of an exact metric");
  }
  return fmt::format("{} is in no block with {}", benchmarks.front(), benchmarks.back());
}

std::optional<Chart> ratio_chart(const results::RatioChart& wanted, const Article& article, const Result& result,
                                 const judge::Fitness& fitness) {
  RatioRows made(wanted, article, result);
  for (const results::ArticleRow& row : article.table)
    for (const std::string& variant : row.variants) made.add(variant, &variant == &row.variants.front());
  if (made.last.empty()) return std::nullopt;
  const bool time =
      judge::is_time(article.family, {made.last, wanted.reference}, wanted.metric, article.workload, result);
  const std::string axis = fmt::format("times as {} as {} at {}", words_of(time).up, wanted.reference, wanted.at);
  Chart chart("article_ratios", fmt::format("{}-{}", article.family, wanted.name));
  chart.title = fmt::format("{} is {} {} here", made.last, made.here, axis);
  if (const std::optional<double> own = article.figure(made.last, wanted.metric))
    chart.title +=
        fmt::format(", {} times in the article", number(*article.figure(wanted.reference, wanted.metric) / *own));
  if (made.noisy) chart.title = marked(std::move(chart.title), fitness);
  chart.note = fmt::format("{} of {} divided by that of each variant.{} Right of the dashed line is {}.{}",
                           time ? "Time" : "Metric", wanted.reference, made.bars ? " Bars: 95 % intervals." : "",
                           words_of(time).comparative_up, wanted.note.empty() ? "" : " " + wanted.note);
  chart.text = fmt::format("Dot plot of the ratios. {}. The table of claims holds the figures.", chart.title);
  chart.data = {{"rows", std::move(made.rows)}};
  chart.words = {{"axis", axis}};
  return chart;
}

}  // namespace lab::report
