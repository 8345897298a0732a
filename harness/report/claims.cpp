#include "harness/report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "harness/judge/summary.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::ClaimVerdict;
using judge::JudgedClaim;
using results::CommandBuckets;
using results::PublishedVersion;
using results::Result;
using results::SpeedClaim;
using stats::Estimate;

TableCell median_cell(const std::optional<Estimate>& estimate) {
  return estimate ? number(estimate->median) : "none";
}

/// The reason for a missing ratio: the version without numbers.
std::string missing(const SpeedClaim& claim, const CommandBuckets& published, const Result& result) {
  for (const int version : {claim.from, claim.to}) {
    const std::string benchmark = published.benchmark(published.version(version, claim.freed), published.workload);
    if (judge::process_times(result, benchmark, claim.phase).empty())
      return fmt::format("{} has no numbers.", benchmark);
  }
  return "No block holds both versions.";
}

/// The interval as text, in the direction of the claim: faster or slower.
std::string explain(double claimed, const Estimate& measured, ClaimVerdict verdict) {
  if (!measured.interval)
    return fmt::format("{} measured both versions; an interval needs {}.", counted(measured.count, "block"),
                       stats::least_count());
  const bool faster = claimed > 1;
  const std::string word = faster ? "fast" : "slow";
  // The effect of a slow-down is the inverse ratio.
  const double effect = faster ? claimed : 1 / claimed;
  const double least = faster ? measured.interval->low : 1 / measured.interval->high;
  const double most = faster ? measured.interval->high : 1 / measured.interval->low;
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
      if (most <= 1) return fmt::format("not {}er: at most {} times as {}.", word, number(most), word);
      return fmt::format("at most {} times as {}: less than {:.0f} % of the claimed effect.", number(most), word,
                         100 * judge::kClaimTolerance);
    case ClaimVerdict::kUndecided:
      break;
  }
  return fmt::format("{}: both no effect and the claimed {} are possible.", between, number(effect));
}

const std::map<ClaimVerdict, Emphasis> kEmphasis{{ClaimVerdict::kReproduced, Emphasis::kGood},
                                                 {ClaimVerdict::kWeaker, Emphasis::kWeak},
                                                 {ClaimVerdict::kRefuted, Emphasis::kBad},
                                                 {ClaimVerdict::kUndecided, Emphasis::kOpen}};

/// The claim's benchmarks: both versions on every workload for which the claim is shown.
std::vector<std::string> benchmarks_of(const SpeedClaim& claim, const CommandBuckets& published) {
  std::vector<std::string> benchmarks;
  for (const int number : {claim.from, claim.to}) {
    const PublishedVersion& version = published.version(number, claim.freed);
    benchmarks.push_back(published.benchmark(version, published.workload));
    for (const std::string& workload : published.also) benchmarks.push_back(published.benchmark(version, workload));
  }
  return benchmarks;
}

}  // namespace

std::string wording(const SpeedClaim& claim) {
  if (claim.freed.empty()) return claim.claim;
  return fmt::format("{}; packets freed in the order of {}", claim.claim, claim.freed);
}

std::string reason(const JudgedClaim& claim, const CommandBuckets& published, const Result& result) {
  if (!claim.measured) return missing(*claim.claim, published, result);
  return capitalized(explain(claim.from_table, *claim.measured, claim.verdict));
}

std::string verdict_counts(const std::vector<JudgedClaim>& claims) {
  std::vector<std::string> texts;
  for (const auto& [verdict, emphasis] : kEmphasis) {
    const auto count = std::count_if(claims.begin(), claims.end(),
                                     [wanted = verdict](const JudgedClaim& claim) { return claim.verdict == wanted; });
    if (count != 0) texts.push_back(fmt::format("{} {}", count, judge::to_string(verdict)));
  }
  if (texts.size() < 2) return texts.empty() ? "none" : texts.front();
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

Section claims_section(const std::vector<JudgedClaim>& claims, const CommandBuckets& published, const Result& result) {
  using enum TableColumn::Kind;
  Section section{"claims", "Claims about command buckets", {}, {}};
  section.elements.emplace_back(Paragraph{fmt::format(
      "{} ({}) measured on an {}; this machine has {}. A ratio is the first version's time over the second's: above 1, "
      "the second is faster. It is the median over blocks, with a 95 % interval. The verdict compares it with the "
      "ratio "
      "from the article's own table, on the workload with as much work per command as the article had ({}).",
      published.source.author, published.source.year, published.machine,
      counted(static_cast<std::size_t>(result.machine.logical_cores), "logical core"), published.workload)});
  Table table{"claims",
              "The article's claims and their verdicts on this machine",
              {{"Verdict", kVerdict},
               {"Claim", kText},
               {"Stated", kNumber},
               {"From its table", kNumber},
               {"Erratum", kShort},
               {"Here", kNumber},
               {"95 % interval", kNumber}},
              {}};
  for (const std::string& workload : published.also) {
    table.columns.push_back({"Here, " + workload, kNumber});
    table.columns.push_back({"95 % interval", kNumber});
  }
  table.columns.push_back({"Why", kText});
  for (const JudgedClaim& claim : claims) {
    std::vector<TableCell> row{
        TableCell(std::string(judge::to_string(claim.verdict)), kEmphasis.at(claim.verdict)),
        wording(*claim.claim),
        claim.claim->stated ? fmt::format("{:.2f}", *claim.claim->stated) : "times only",
        fmt::format("{:.2f}", claim.from_table),
        claim.misprinted ? fmt::format("{:.2f}, not {:.2f}", claim.from_table, *claim.claim->stated) : "",
        median_cell(claim.measured),
        interval_of(claim.measured)};
    for (const std::optional<Estimate>& estimate : claim.also) {
      row.push_back(median_cell(estimate));
      row.push_back(interval_of(estimate));
    }
    row.emplace_back(reason(claim, published, result));
    table.rows.push_back(std::move(row));
    table.benchmarks.push_back(benchmarks_of(*claim.claim, published));
  }
  if (std::optional<Chart> chart = speedup_chart(published, result))
    section.elements.emplace_back(Charts{{std::move(*chart)}});
  table.drop_empty_columns();
  section.elements.emplace_back(std::move(table));
  return section;
}

std::optional<Chart> speedup_chart(const CommandBuckets& published, const Result& result) {
  Chart chart("speedup", published.family + "-speedup");
  const PublishedVersion& first = published.versions.front();
  std::vector<std::string> workloads{published.workload};
  workloads.insert(workloads.end(), published.also.begin(), published.also.end());
  const std::string in_article = fmt::format("the article, {}", published.source.year);
  json::array rows;
  const PublishedVersion* last = nullptr;
  std::string here;
  for (const PublishedVersion& version : published.versions) {
    bool measured_here = false;
    for (const std::string& workload : workloads) {
      const std::optional<Estimate> measured =
          judge::measured_ratio(published, first, version, "add", workload, result);
      if (!measured) continue;
      measured_here = true;
      const stats::Interval point{measured->median, measured->median};
      rows.push_back(json::object{{"label", version.variant},
                                  {"benchmark", published.benchmark(version, workload)},
                                  {"series", "here, " + workload},
                                  {"ratio", measured->median},
                                  {"low", measured->interval.value_or(point).low},
                                  {"high", measured->interval.value_or(point).high},
                                  {"shown", with_interval(*measured)}});
      if (last != &version) here = with_interval(*measured);
      last = &version;
    }
    // The article has one row per version, however many orders of freeing are measured here.
    const bool again =
        &published.version(version.version, published.orders(version.version, version.version).front()) != &version;
    if (again && !measured_here) continue;
    const double stated = first.ms.at("add") / version.ms.at("add");
    rows.push_back(json::object{{"label", version.variant},
                                {"benchmark", published.benchmark(version, published.workload)},
                                {"series", in_article},
                                {"ratio", stated},
                                {"low", stated},
                                {"high", stated},
                                {"shown", number(stated)}});
  }
  if (last == nullptr) return std::nullopt;
  const double stated = first.ms.at("add") / last->ms.at("add");
  chart.title = fmt::format("{} adds {} times as fast as {} here, {} times in the article", last->variant, here,
                            first.variant, number(stated));
  chart.note = fmt::format(
      "Time to add commands: that of {} divided by that of each version. Bars: 95 % intervals. Right of the dashed "
      "line is faster.",
      first.variant);
  if (!first.freed.empty())
    chart.note += fmt::format(" {} frees its packets in the order of {}, which the article leaves open.", first.variant,
                              first.freed);
  chart.text = fmt::format("Dot plot of speed-ups at adding. {}. The table of claims holds the figures.", chart.title);
  chart.data = {{"rows", std::move(rows)}};
  chart.words = {{"reference", first.variant}};
  return chart;
}

}  // namespace lab::report
