#include "harness/report/choice.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "harness/judge/claim.h"
#include "harness/judge/summary.h"
#include "harness/report/charts.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/metrics.h"
#include "harness/report/standing.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Choice;
using results::ChoiceGroup;
using results::ChoiceMetric;
using results::Result;
using results::VariantCard;
using results::WorkloadInfo;
using stats::Estimate;

/// A variant with its figures on its group's workload.
struct Candidate {
  const VariantCard* variant = nullptr;
  std::size_t group = 0;
  std::string benchmark;
  Estimate time;                               ///< ns per operation
  double page_faults = 0;                      ///< in the time of a repetition: the median, or 0
  const results::Exhibit* latency = nullptr;   ///< of the group's workload
  std::vector<std::optional<double>> metrics;  ///< in the order of Choice::metrics
  bool on_front = false;                       ///< of all on this workload
  bool on_group_front = false;                 ///< of its group

  bool has_page_faults() const { return page_faults >= kLeastPageFaults; }
  /// The metric of the plot.
  std::optional<double> memory() const { return metrics.empty() ? std::nullopt : metrics.front(); }
};

constexpr const char* kFront = "on the front";
constexpr const char* kGroupFront = "on its group's front";
constexpr const char* kNeither = "on neither";
/// In the table's column "On the front".
constexpr const char* kOfAll = "of all";
constexpr const char* kOfGroup = "of its group";
constexpr const char* kNoMemory = "no figure for memory";
/// A plot with more variants has the page's width, so that their names find room.
constexpr std::size_t kBeside = 16;
/// Ends the axis of a number of bytes.
constexpr std::string_view kBytes = ", bytes";

/// As the legend of the plot has it.
std::string kind_of(const Candidate& one, const judge::Fitness& fitness) {
  if (!one.memory()) return kNoMemory;
  if (!fitness.fit) return not_judged(fitness);
  return one.on_front ? kFront : one.on_group_front ? kGroupFront : kNeither;
}

const WorkloadInfo* workload_of(const Result& result, const std::string& family, const ChoiceGroup& group) {
  const auto found = std::ranges::find_if(
      result.workloads, [&](const WorkloadInfo& one) { return one.family == family && one.name == group.workload; });
  return found == result.workloads.end() ? nullptr : &*found;
}

std::optional<std::size_t> group_of(const Choice& choice, const VariantCard& variant) {
  for (std::size_t i = 0; i < choice.groups.size(); ++i) {
    const ChoiceGroup& group = choice.groups[i];
    const auto trait = variant.traits.find(group.trait);
    const std::string value = trait == variant.traits.end() ? "" : trait->second;
    if (group.trait.empty() || ::fnmatch(group.like.c_str(), value.c_str(), FNM_EXTMATCH) == 0) return i;
  }
  return std::nullopt;
}

/// The largest over the processes, as in the table of metrics.
std::optional<double> value_of(const Result& result, const ChoiceMetric& metric, const std::string& benchmark) {
  const auto most = [&](const std::string& name) -> std::optional<double> {
    const std::vector<stats::Datum> values = judge::metric_values(result, benchmark, name);
    if (values.empty()) return std::nullopt;
    return std::ranges::max(values, {}, &stats::Datum::value).value;
  };
  const std::optional<double> part = most(metric.metric);
  if (!part || metric.over.empty()) return part;
  const std::optional<double> whole = most(metric.over);
  return whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

std::optional<Candidate> candidate(const Choice& choice, const Result& result, const VariantCard& variant) {
  const std::optional<std::size_t> group = group_of(choice, variant);
  if (!group || workload_of(result, variant.family, choice.groups[*group]) == nullptr) return std::nullopt;
  Candidate one;
  one.variant = &variant;
  one.group = *group;
  one.benchmark = results::benchmark_name(variant.family, variant.name, choice.groups[*group].workload);
  const std::vector<stats::Datum> times = judge::process_times(result, one.benchmark);
  if (times.empty()) return std::nullopt;
  one.time = judge::estimate(times);
  for (const results::Exhibit& exhibit : result.exhibits)
    if (exhibit.benchmark == one.benchmark && exhibit.info.name == choice.latency) one.latency = &exhibit;
  const std::vector<stats::Datum> faults = judge::metric_values(result, one.benchmark, bench::kPageFaultsMetric);
  if (!faults.empty()) one.page_faults = judge::estimate(faults).median;
  for (const ChoiceMetric& metric : choice.metrics) one.metrics.push_back(value_of(result, metric, one.benchmark));
  return one;
}

/// By group, and there by time.
std::vector<Candidate> candidates_of(const std::string& family, const Choice& choice, const Result& result) {
  std::vector<Candidate> candidates;
  for (const VariantCard& variant : result.variants)
    if (variant.family == family)
      if (std::optional<Candidate> one = candidate(choice, result, variant)) candidates.push_back(std::move(*one));
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.group != b.group ? a.group < b.group : a.time.median < b.time.median;
  });
  return candidates;
}

/// Memory that differs by less than what is printed is no reason to choose a variant.
double to_three_digits(double value) {
  return value == 0 ? 0 : std::stod(fmt::format("{:.2e}", value));
}

void mark_front(const std::vector<Candidate*>& candidates, bool Candidate::*mark) {
  std::vector<std::pair<double, double>> points;
  std::vector<Candidate*> with_memory;
  for (Candidate* one : candidates)
    if (one->memory()) {
      points.emplace_back(one->time.median, to_three_digits(*one->memory()));
      with_memory.push_back(one);
    }
  for (const std::size_t at : pareto_front(points)) with_memory[at]->*mark = true;
}

TableCell quantile(const Candidate& one, const char* name) {
  if (one.latency == nullptr) return "";
  const auto found = one.latency->summary.find(name);
  return found == one.latency->summary.end() ? "" : number(found->second);
}

/// The same as a duration.
std::string quantile_text(const Candidate& one, const char* name) {
  if (one.latency == nullptr) return "";
  const auto found = one.latency->summary.find(name);
  return found == one.latency->summary.end() ? "" : duration(found->second);
}

/// "a free and an allocation" of "Time of a free and an allocation, with a read of the clock (about 20 ns)"; a title of
/// another form names no call, so its exhibit's name does: "a pair".
std::string timed_call(const bench::ExhibitInfo& info) {
  constexpr std::string_view kTimeOf = "Time of ";
  if (!info.title.starts_with(kTimeOf)) return "a " + info.name;
  return info.title.substr(kTimeOf.size(), info.title.find(',') - kTimeOf.size());
}

/// "2.12 µs for a free and an allocation"; "" without the exhibit.
std::string worst_text(const Candidate& one) {
  const std::string worst = quantile_text(one, results::kWorst);
  return worst.empty() ? "" : fmt::format("{} for {}", worst, timed_call(one.latency->info));
}

/// "does not run 3 workloads: it serves one thread at a time; 1 workload: it moves no blocks", the most frequent reason
/// first; "" if it runs all.
std::string lacks(const Result& result, const VariantCard& variant) {
  std::map<std::string, std::size_t> workloads;
  for (const results::Unsupported& one : result.unsupported)
    if (const results::BenchmarkParts parts = results::benchmark_parts(one.benchmark);
        parts.family == variant.family && parts.variant == variant.name)
      ++workloads[one.reason];
  std::vector<std::pair<std::string, std::size_t>> reasons(workloads.begin(), workloads.end());
  std::ranges::stable_sort(reasons, std::greater(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> texts;
  for (const auto& [reason, count] : reasons)
    texts.push_back(fmt::format("{}: {}", counted(count, "workload"), reason));
  return texts.empty() ? "" : fmt::format("does not run {}", fmt::join(texts, "; "));
}

/// "minimum heap 1.03 times the peak of live bytes", "packet memory 960,000 bytes": what the axis says, with the
/// figure; where the family gives none, it is the title.
std::string price_of(const ChoiceMetric& metric, double value) {
  const std::string title = uncapitalized(metric.title), figure = formatted(value, metric.format);
  if (metric.axis.ends_with(kBytes)) return fmt::format("{} {} bytes", title, figure);
  constexpr std::string_view kOver = " / ";
  if (const std::size_t over = metric.axis.find(kOver); over != std::string::npos)
    return fmt::format("{} {} times the {}", title, figure, metric.axis.substr(over + kOver.size()));
  return fmt::format("{} {}{}", title, figure, metric.axis == metric.title ? "" : " " + metric.axis);
}

/// Two sentences at most.
std::string cannot_do(const Result& result, const VariantCard& variant) {
  std::string text = capitalized(variant.weakness);
  const std::string lacked = lacks(result, variant);
  if (lacked.empty()) return text;
  if (!text.empty()) text += text.ends_with('.') ? " " : ". ";
  return text + capitalized(lacked) + ".";
}

/// The candidates that are measured on one workload: they are compared with each other.
struct Contest {
  const WorkloadInfo* workload = nullptr;
  std::vector<Candidate*> candidates;
};

class Choices {
 public:
  Choices(std::string family, const Choice& choice, const Result& result, const judge::Fitness& fitness)
      : family_(std::move(family)),
        choice_(choice),
        result_(result),
        fitness_(fitness),
        candidates_(candidates_of(family_, choice, result)),
        has_p999_(std::ranges::any_of(candidates_, [](const Candidate& one) {
          return quantile_text(one, results::kP999) != quantile_text(one, results::kWorst);
        })) {
    for (const Contest& contest : contests()) {
      if (!fitness_.fit) break;  // a front is a verdict on times
      if (std::ranges::count_if(contest.candidates, [](const Candidate* one) { return one->memory().has_value(); }) < 2)
        continue;  // one variant is on a front by itself
      std::vector<Candidate*> comparable = contest.candidates;
      std::erase_if(comparable, [&](const Candidate* one) { return !choice.groups[one->group].lacks.empty(); });
      mark_front(comparable, &Candidate::on_front);
      for (std::size_t group = 0; group < choice.groups.size(); ++group) {
        std::vector<Candidate*> of_group;
        for (Candidate* one : contest.candidates)
          if (one->group == group) of_group.push_back(one);
        mark_front(of_group, &Candidate::on_group_front);
      }
    }
  }

  /// The plot's name.
  static std::string plot_name(const std::string& family, const Contest& contest) {
    return identifier(fmt::format("{}-choice-{}", family, contest.workload->name));
  }

  std::vector<ChoiceAnswer> answers() {
    std::vector<ChoiceAnswer> answers;
    for (const Contest& contest : contests()) {
      std::string figure = plot_of(contest) ? plot_name(family_, contest) : "";
      for (std::size_t group = 0; group < choice_.groups.size(); ++group) {
        std::vector<const Candidate*> of_group;
        for (const Candidate* one : contest.candidates)
          if (one->group == group) of_group.push_back(one);
        if (!of_group.empty()) answers.push_back(answer(of_group, *contest.workload, figure));
      }
    }
    return answers;
  }

  Section section() {
    Section section{"choice-" + family_, choice_.title};
    if (candidates_.empty()) return section;
    section.add(Paragraph{how_to_read()});
    bool plotted = false;
    Charts beside;
    for (const Contest& contest : contests()) {
      std::optional<Chart> plot = plot_of(contest);
      if (!plot) continue;
      plotted = true;
      if (contest.candidates.size() > kBeside)
        section.add(Charts{{std::move(*plot)}});
      else
        beside.charts.push_back(std::move(*plot));
    }
    if (!beside.charts.empty()) section.add(std::move(beside));
    section.add(table(plotted));
    if (const std::vector<std::string> out = unmeasured(); !out.empty())
      section.add(Paragraph{fmt::format("Without a time, so not in the table: {}.", enumerated(out))});
    section.sections.push_back({"choice-" + family_ + "-columns", "What the columns mean", {meanings()}, {}, true});
    return section;
  }

 private:
  /// In the order of the groups.
  std::vector<Contest> contests() {
    std::vector<Contest> all;
    for (Candidate& one : candidates_) {
      const WorkloadInfo* const workload = workload_of(result_, family_, choice_.groups[one.group]);
      auto found = std::ranges::find(all, workload, &Contest::workload);
      if (found == all.end()) found = all.insert(all.end(), {workload, {}});
      found->candidates.push_back(&one);
    }
    return all;
  }

  /// `candidates`: of one group, the lowest median first.
  ChoiceAnswer answer(const std::vector<const Candidate*>& candidates, const WorkloadInfo& workload,
                      const std::string& figure) const {
    const Candidate& best = *candidates.front();
    ChoiceAnswer answer{.group = choice_.groups[best.group].title,
                        .variant = best.variant->name,
                        .benchmark = best.benchmark,
                        .time = fmt::format("{} per {}", duration_with_interval(best.time), workload.operation),
                        .worst = worst_text(best),
                        .cannot = cannot_do(result_, *best.variant),
                        .figure = figure};
    const VariantCard* reference = results::find_reference(result_, family_);
    std::optional<judge::MeasuredRatio> ratio;
    if (reference != nullptr && reference != best.variant)
      ratio = judge::measured_ratio(family_, reference->name, best.variant->name, "", workload.name, result_);
    std::vector<Contender> contenders;
    for (const Candidate* one : candidates)
      contenders.push_back({one->variant->name, one->time, one->variant == reference && tells_apart(ratio)});
    answer.doubt = doubt_of(contenders);
    for (std::size_t i = 0; i < choice_.metrics.size() && answer.memory.empty(); ++i)
      if (best.metrics[i]) answer.memory = price_of(choice_.metrics[i], *best.metrics[i]);
    if (!ratio || !ratio->interval) return answer;
    if (const std::string& lacks = choice_.groups[best.group].lacks; !lacks.empty()) {
      answer.against = fmt::format("without {}, so not compared with {}", lacks, reference->name);
      return answer;
    }
    answer.against = fmt::format("{} times as fast as {}{}", with_interval(*ratio), reference->name,
                                 tells_apart(ratio) ? "" : ", which shows no difference");
    answer.gain = std::max(1.0, ratio->interval->low);
    return answer;
  }

  std::string how_to_read() {
    std::string text =
        "First find the group that does what you need. Times of different groups are comparable only where the "
        "workload "
        "is the same.";
    if (!fitness_.fit) return text + fmt::format(" Times: {}. So no row is marked.", not_judged(fitness_));
    if (std::ranges::any_of(candidates_, &Candidate::on_group_front))
      text += fmt::format(
          " Rows with a mark are the sensible choices for time and memory: of all variants on its workload (\"{}\"), "
          "or of those in its group (\"{}\"), no other one has less of both the median time and {}. To each other row "
          "with figures there is one on its workload that has, to three digits of memory, no more of either and less "
          "of one. A workload on which one variant alone has both figures has no mark. Where intervals of times "
          "overlap, "
          "another session may mark another row.",
          kOfAll, kOfGroup, uncapitalized(choice_.metrics.front().title));
    return text;
  }

  List meanings() const {
    List list{
        {fmt::format("Time: the median of one operation of the group's workload, in nanoseconds{}. Less is better.",
                     has_intervals() ? ", with its 95 % interval over processes"
                                     : fmt::format("; an interval needs {} processes", stats::least_count()))}};
    if (std::ranges::any_of(candidates_, &Candidate::has_page_faults))
      list.items.push_back(fmt::format(
          "Page faults: in the time of one repetition, the median of the processes that count them. The time contains "
          "what the kernel does for each. Without a figure they are fewer than {}.",
          kLeastPageFaults));
    if (const std::string latencies = latencies_meaning(); !latencies.empty()) list.items.push_back(latencies);
    for (const ChoiceMetric& metric : choice_.metrics)
      list.items.push_back(fmt::format("{}: {}", metric.title, metric.means));
    for (const results::ChoiceTrait& trait : choice_.traits)
      list.items.push_back(fmt::format("{}: {}", trait.title, trait.means));
    list.items.push_back(std::string("What it cannot do: its weakness, in the words of its author.") +
                         (has_unsupported()
                              ? " Then the workloads of this session that it does not run, and why; the section "
                                "\"Unsupported pairs\" names them."
                              : ""));
    return list;
  }

  /// "" without a latency.
  std::string latencies_meaning() const {
    const Candidate* found = nullptr;
    int least = std::numeric_limits<int>::max(), most = 0;
    for (const Candidate& one : candidates_)
      if (one.latency != nullptr) {
        if (found == nullptr) found = &one;
        least = std::min(least, one.latency->processes);
        most = std::max(most, one.latency->processes);
      }
    if (found == nullptr) return "";
    return fmt::format(
        "{}: \"{}\". {}"
        "{} in a pass of their own{}. These times count where a frame or a deadline must not be missed.",
        has_p999_ ? "p99.9 and worst call" : "Worst call", found->latency->info.title,
        has_p999_ ? "Of 1,000 such calls, 999 end within the first time, and all within the second. " : "",
        most == 1 ? "1 process makes one sequence of calls"
                  : fmt::format("{} processes repeat one sequence of calls",
                                least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most)),
        most == 1 ? ""
                  : ", and a call's time is the least over them, so that interruptions by the machine do not count");
  }

  bool has_intervals() const {
    return std::ranges::any_of(candidates_, [](const Candidate& one) { return one.time.interval.has_value(); });
  }

  bool has_unsupported() const {
    return std::ranges::any_of(result_.variants, [&](const VariantCard& variant) {
      return variant.family == family_ && !lacks(result_, variant).empty();
    });
  }

  Table table(bool plotted) const {
    Table table{family_ + "-choice", caption(plotted), {{"Variant", kName}}};
    if (!choice_.metrics.empty()) table.columns.push_back({"On the front", kShort});
    table.columns.insert(table.columns.end(), {{"Time, ns", kNumber},
                                               {"95 % interval", kNumber, true},
                                               {"Page faults", kNumber, true},
                                               {"p99.9, ns", kNumber, true},
                                               {"Worst call, ns", kNumber}});
    for (const ChoiceMetric& metric : choice_.metrics) table.columns.push_back({metric.title, kNumber});
    for (const results::ChoiceTrait& trait : choice_.traits) table.columns.push_back({trait.title, kShort});
    table.columns.push_back({"What it cannot do", kText, false, true});
    for (const Candidate& one : candidates_) {
      if (table.groups.empty() || last_group_ != one.group)
        table.groups.push_back({table.rows.size(), group_title(one.group)});
      last_group_ = one.group;
      if (fitness_.fit && (one.on_group_front || one.variant->reference))
        table.summary_rows.push_back(table.rows.size());
      table.benchmarks.push_back({one.benchmark});
      table.rows.push_back(row(one));
    }
    table.drop_empty_columns();
    return table;
  }

  std::vector<TableCell> row(const Candidate& one) const {
    const VariantCard& card = *one.variant;
    std::vector<TableCell> cells{card.reference ? card.name + " (reference)" : card.name};
    if (!choice_.metrics.empty())
      cells.push_back(one.on_front         ? TableCell(kOfAll, Emphasis::kGood)
                      : one.on_group_front ? TableCell(kOfGroup, Emphasis::kWeak)
                                           : TableCell());
    cells.emplace_back(number(one.time.median));
    cells.emplace_back(one.time.interval ? interval_of(one.time) : "");
    cells.emplace_back(one.has_page_faults() ? formatted(one.page_faults, results::NumberFormat::kWhole) : "");
    cells.push_back(has_p999_ ? quantile(one, results::kP999) : "");
    cells.push_back(quantile(one, results::kWorst));
    for (std::size_t i = 0; i < choice_.metrics.size(); ++i)
      cells.emplace_back(one.metrics[i] ? formatted(*one.metrics[i], choice_.metrics[i].format) : "");
    for (const results::ChoiceTrait& trait : choice_.traits) {
      const auto found = card.traits.find(trait.trait);
      cells.emplace_back(found == card.traits.end() ? trait.otherwise : found->second);
    }
    cells.emplace_back(cannot_do(result_, card));
    return cells;
  }

  std::string group_title(std::size_t group) const {
    const WorkloadInfo& workload = *workload_of(result_, family_, choice_.groups[group]);
    const std::string& lacks = choice_.groups[group].lacks;
    return fmt::format("{}. Measured on {}: {}{}", choice_.groups[group].title, workload.name, workload.title,
                       lacks.empty() ? "" : fmt::format(", without {}", lacks));
  }

  std::string caption(bool plotted) const {
    return fmt::format("Variants by what they can do, the lowest median of each group first{}{}",
                       fitness_.fit ? "" : " (" + not_judged(fitness_) + ")",
                       plotted ? "; an empty cell was not measured in this session, or cannot be" : "");
  }

  std::vector<std::string> unmeasured() const {
    std::vector<std::string> names;
    for (const VariantCard& variant : result_.variants)
      if (variant.family == family_ &&
          std::ranges::none_of(candidates_, [&](const Candidate& one) { return one.variant == &variant; }))
        names.push_back(lacks(result_, variant).empty()
                            ? variant.name
                            : fmt::format("{} ({})", variant.name, lacks(result_, variant)));
    return names;
  }

  std::optional<Chart> plot_of(const Contest& contest) const;

  std::string family_;
  const Choice& choice_;
  const Result& result_;
  const judge::Fitness& fitness_;
  std::vector<Candidate> candidates_;
  bool has_p999_;  ///< false if each one is the worst call: there were too few calls
  mutable std::size_t last_group_ = 0;
};

/// A domain with room for marks at both ends.
json::array domain(double low, double high, double room) {
  return {low - room, high + room};
}

std::optional<Chart> Choices::plot_of(const Contest& contest) const {
  const auto with_memory = static_cast<std::size_t>(
      std::ranges::count_if(contest.candidates, [](const Candidate* one) { return one->memory().has_value(); }));
  if (with_memory < 2) return std::nullopt;
  const ChoiceMetric& metric = choice_.metrics.front();
  double fast = std::numeric_limits<double>::max(), slow = 0, least = fast, most = 0;
  for (const Candidate* one : contest.candidates) {
    const stats::Interval shown = one->time.interval.value_or(stats::Interval{one->time.median, one->time.median});
    fast = std::min(fast, shown.low);
    slow = std::max(slow, shown.high);
    if (const std::optional<double> memory = one->memory()) {
      least = std::min(least, *memory);
      most = std::max(most, *memory);
    }
  }
  if (!(fast > 0)) return std::nullopt;  // the axis is logarithmic
  const double room = most > least ? most - least : std::max(most, 1.0);
  const double strip = most + 0.22 * room;  // where variants without this metric stand
  json::array rows, front, bounds;
  std::vector<const Candidate*> best;
  for (const Candidate* one : contest.candidates) {
    const stats::Interval shown = one->time.interval.value_or(stats::Interval{one->time.median, one->time.median});
    const std::optional<double> memory = one->memory();
    json::object point{{"variant", one->variant->name},
                       {"benchmark", one->benchmark},
                       {"time", one->time.median},
                       {"low", shown.low},
                       {"high", shown.high},
                       {"memory", memory.value_or(strip)},
                       {"kind", kind_of(*one, fitness_)},
                       {"shown_time", duration_with_interval(one->time)},
                       {"shown_memory", memory ? formatted(*memory, metric.format) : "no figure"}};
    if (one->on_front) {
      front.push_back(point);
      best.push_back(one);
    }
    rows.push_back(std::move(point));
  }
  // What is drawn last hides nothing of the front.
  std::ranges::stable_sort(rows, {}, [](const json::value& row) { return row.at("kind") == json::value(kFront); });
  // The legend has the kinds that are drawn.
  const struct {
    std::string kind;
    const char* color;
    const char* shape;
  } known[] = {{kFront, "var(--good)", "circle"},
               {kGroupFront, "var(--weak)", "diamond"},
               {fitness_.fit ? kNeither : not_judged(fitness_), "var(--open)", "square"},
               {kNoMemory, "var(--open)", "triangle-up"}};
  json::array kinds, colors, shapes;
  for (const auto& one : known) {
    if (std::ranges::none_of(rows, [&](const json::value& row) { return row.at("kind") == json::value(one.kind); }))
      continue;
    kinds.push_back(json::value(one.kind));
    colors.push_back(one.color);
    shapes.push_back(one.shape);
  }
  if (with_memory < contest.candidates.size()) bounds.push_back(json::object{{"memory", most + 0.11 * room}});
  std::ranges::sort(front, {}, [](const json::value& point) { return point.at("time").as_double(); });
  std::ranges::sort(best, {}, [](const Candidate* one) { return one->time.median; });
  std::vector<std::string> named;
  for (const Candidate* one : best)
    named.push_back(
        fmt::format("{} ({}, {})", one->variant->name, duration(one->time.median),
                    formatted(*one->memory(), metric.format) + (metric.axis.ends_with(kBytes) ? " bytes" : "")));
  Chart chart("choice", plot_name(family_, contest));
  chart.title = fitness_.fit
                    ? fmt::format("{}: by their medians, {} of {} variants {} on the front: {}", contest.workload->name,
                                  front.size(), with_memory, front.size() == 1 ? "is" : "are", enumerated(named))
                    : fmt::format("{}: {} variants, {}", contest.workload->name, with_memory, not_judged(fitness_));
  chart.note = fmt::format(
      "Left and low is better.{}{}{}{}",
      fitness_.fit ? " The line is the Pareto front of the medians: no other variant has no more of either and less of "
                     "one. What another group's variants beat may still be the best of its group."
                   : "",
      std::ranges::any_of(contest.candidates, [](const Candidate* one) { return one->time.interval.has_value(); })
          ? " Bars: 95 % intervals of the time."
          : "",
      metric.note.empty() ? "" : " " + metric.note,
      with_memory < contest.candidates.size()
          ? fmt::format(" Above the dotted line: variants without a figure for {}.", uncapitalized(metric.title))
          : "");
  chart.text = fmt::format("Scatter plot of time against {}. {}. The table has all figures.",
                           uncapitalized(metric.title), chart.title);
  const double share = std::pow(slow / fast, 0.06);
  chart.data = {{"rows", std::move(rows)}, {"front", std::move(front)}, {"bounds", std::move(bounds)}};
  chart.values = {{"x_domain", json::array{fast / share, slow * share}},
                  {"y_domain", domain(least, with_memory < contest.candidates.size() ? strip : most, 0.08 * room)},
                  {"kinds", std::move(kinds)},
                  {"colors", std::move(colors)},
                  {"shapes", std::move(shapes)},
                  {"height", static_cast<std::int64_t>(360 + 9 * contest.candidates.size())}};
  // The axis ends below the variants without a figure.
  chart.words = {{"operation", contest.workload->operation},
                 {"axis", metric.axis},
                 {"y_title", metric.axis},
                 {"most", fmt::format("{}", most + 0.11 * room)}};
  set_unit(chart, time_axis(fast, slow));
  AxisUnit memory_unit;
  if (metric.axis.ends_with(kBytes)) {
    memory_unit = byte_axis(most, most);
    chart.words[2].second = metric.axis.substr(0, metric.axis.size() - kBytes.size()) + ", " + memory_unit.name;
  }
  set_unit(chart, memory_unit, "y_");
  return chart;
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& points) {
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return points[at]; });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t at : order) {
    const bool same = !front.empty() && points[front.back()] == points[at];
    if (points[at].second < least || same) front.push_back(at);
    least = std::min(least, points[at].second);
  }
  return front;
}

std::string lacked_by(const results::Family& described, const VariantCard& variant) {
  if (!described.choice) return "";
  const std::optional<std::size_t> group = group_of(*described.choice, variant);
  return group ? described.choice->groups[*group].lacks : "";
}

Section choice_section(const std::string& family, const results::Family& described, const Result& result,
                       const judge::Fitness& fitness) {
  if (!described.choice) return {"choice-" + family, ""};
  return Choices(family, *described.choice, result, fitness).section();
}

std::vector<ChoiceAnswer> choice_answers(const std::string& family, const results::Family& described,
                                         const Result& result, const judge::Fitness& fitness) {
  if (!described.choice || !fitness.fit) return {};
  return Choices(family, *described.choice, result, fitness).answers();
}

}  // namespace lab::report
