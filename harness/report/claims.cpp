#include "harness/report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>

#include "harness/judge/summary.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::ClaimVerdict;
using stats::Estimate;

std::string shown(const Estimate& estimate) {
  if (!estimate.interval) return ratio(estimate.median);
  return fmt::format("{} ({})", ratio(estimate.median),
                     range(ratio(estimate.interval->low), ratio(estimate.interval->high)));
}

TableCell median_cell(const std::optional<Estimate>& estimate) {
  return estimate ? ratio(estimate->median) : "none";
}

TableCell interval_cell(const std::optional<Estimate>& estimate) {
  if (!estimate || !estimate->interval) return "none";
  return range(ratio(estimate->interval->low), ratio(estimate->interval->high));
}

/// The reason for a missing ratio: the version without numbers.
std::string missing(const SpeedClaim& claim, const CommandBuckets& published, const results::Result& result) {
  for (const int number : {claim.from, claim.to}) {
    const std::string benchmark = published.benchmark(published.version(number, claim.freed), published.workload);
    if (judge::process_times(result, benchmark, claim.phase).empty())
      return fmt::format("{} has no numbers.", benchmark);
  }
  return "No block holds both versions.";
}

/// The interval as text, in the direction of the claim: faster or slower.
std::string explain(double claimed, const Estimate& measured, ClaimVerdict verdict) {
  if (!measured.interval)
    return fmt::format("{} measured both; an interval takes {}.", counted(measured.count, "block"),
                       stats::least_count());
  const bool faster = claimed > 1;
  const std::string word = faster ? "fast" : "slow";
  // The effect of a slow-down is the inverse ratio.
  const double least = faster ? measured.interval->low : 1 / measured.interval->high;
  const double most = faster ? measured.interval->high : 1 / measured.interval->low;
  const std::string effect = ratio(faster ? claimed : 1 / claimed);
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      if (least >= (faster ? claimed : 1 / claimed))
        return fmt::format("at least {} times as {}: no less than the claimed {}.", ratio(least), word, effect);
      return fmt::format("at least {} times as {}, and up to {}: room for the claimed {}.", ratio(least), word,
                         ratio(most), effect);
    case ClaimVerdict::kWeaker:
      return fmt::format("at least {} times as {}, but at most {}: short of {}.", ratio(least), word, ratio(most),
                         effect);
    case ClaimVerdict::kRefuted:
      if (most <= 1) return fmt::format("not {}er at all: at most {} times as {}.", word, ratio(most), word);
      return fmt::format("at most {} times as {}: no room for even {:.0f} % of the claimed effect.", ratio(most), word,
                         100 * judge::kClaimTolerance);
    case ClaimVerdict::kUndecided:
      break;
  }
  return fmt::format("between {} and {} times as {}: both no effect and the claimed {} are possible.", ratio(least),
                     ratio(most), word, effect);
}

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

JudgedClaim judge(const SpeedClaim& claim, const CommandBuckets& published, const results::Result& result) {
  JudgedClaim judged{&claim, published.from_table(claim), {}, {}, ClaimVerdict::kUndecided, ""};
  judged.measured = measured_ratio(claim, published.workload, published, result);
  for (const std::string& workload : published.also)
    judged.also.push_back(measured_ratio(claim, workload, published, result));
  judged.verdict = judge::judge_claim(judged.from_table, judged.measured ? judged.measured->interval : std::nullopt);
  judged.why = judged.measured ? sentence(explain(judged.from_table, *judged.measured, judged.verdict))
                               : missing(claim, published, result);
  return judged;
}

/// Whether any variant with the claim's order of freeing has numbers.
bool order_was_measured(const SpeedClaim& claim, const CommandBuckets& published, const results::Result& result) {
  return std::any_of(published.versions.begin(), published.versions.end(), [&](const PublishedVersion& version) {
    return version.freed == claim.freed &&
           !judge::process_times(result, published.benchmark(version, published.workload), claim.phase).empty();
  });
}

std::optional<Estimate> ratio_of_versions(const PublishedVersion& from, const PublishedVersion& to,
                                          const std::string& phase, const std::string& workload,
                                          const CommandBuckets& published, const results::Result& result) {
  const auto times = [&](const PublishedVersion& version) {
    return judge::process_times(result, published.benchmark(version, workload), phase);
  };
  return stats::estimate_ratio(times(from), times(to));
}

}  // namespace

std::string wording(const SpeedClaim& claim) {
  if (claim.freed.empty()) return claim.claim;
  return fmt::format("{}; packets freed in the order of {}", claim.claim, claim.freed);
}

std::optional<Estimate> measured_ratio(const SpeedClaim& claim, const std::string& workload,
                                       const CommandBuckets& published, const results::Result& result) {
  return ratio_of_versions(published.version(claim.from, claim.freed), published.version(claim.to, claim.freed),
                           claim.phase, workload, published, result);
}

std::vector<JudgedClaim> judge_claims(const CommandBuckets& published, const results::Result& result) {
  std::vector<JudgedClaim> judged;
  for (const SpeedClaim& claim : published.claims)
    if (claim.freed == published.orders(claim.from, claim.to).front() || order_was_measured(claim, published, result))
      judged.push_back(judge(claim, published, result));
  return judged;
}

std::string erratum_of(const SpeedClaim& claim, double from_table) {
  // Printed figures are truncated or rounded to two decimals.
  constexpr double kPrinted = 0.01;
  if (!claim.stated || std::abs(*claim.stated - from_table) < kPrinted) return "";
  return fmt::format("{:.2f}, not {:.2f}", from_table, *claim.stated);
}

Emphasis emphasis_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      return Emphasis::kGood;
    case ClaimVerdict::kWeaker:
      return Emphasis::kWeak;
    case ClaimVerdict::kRefuted:
      return Emphasis::kBad;
    case ClaimVerdict::kUndecided:
      break;
  }
  return Emphasis::kOpen;
}

std::string verdict_counts(const std::vector<JudgedClaim>& claims) {
  constexpr std::array kOrder{ClaimVerdict::kReproduced, ClaimVerdict::kWeaker, ClaimVerdict::kRefuted,
                              ClaimVerdict::kUndecided};
  std::vector<std::string> texts;
  for (const ClaimVerdict verdict : kOrder) {
    const auto count =
        std::count_if(claims.begin(), claims.end(), [&](const JudgedClaim& claim) { return claim.verdict == verdict; });
    if (count != 0) texts.push_back(fmt::format("{} {}", count, judge::to_string(verdict)));
  }
  if (texts.size() < 2) return texts.empty() ? "none" : texts.front();
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

Section claims_section(const std::vector<JudgedClaim>& claims, const CommandBuckets& published,
                       const results::Result& result) {
  using enum TableColumn::Kind;
  Section section{"claims", "Claims about command buckets", {}, {}};
  section.blocks.emplace_back(Paragraph{fmt::format(
      "{} ({}) measured on an {}; this machine has {}. A ratio is the first version's time over the second's, above 1 "
      "is "
      "faster; it is taken within each block, with a 95 % interval over blocks. Judged is what the article's own table "
      "gives, with as much artificial work a command as the article had ({}).",
      published.author, published.year, published.machine,
      counted(static_cast<std::uint64_t>(result.machine.logical_cores), "logical core"), published.workload)});
  Table table{"claims",
              "Each step of the article and what became of it here",
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
    std::vector<TableCell> row{TableCell(std::string(judge::to_string(claim.verdict)), emphasis_of(claim.verdict)),
                               wording(*claim.claim),
                               claim.claim->stated ? fmt::format("{:.2f}", *claim.claim->stated) : "times only",
                               fmt::format("{:.2f}", claim.from_table),
                               erratum_of(*claim.claim, claim.from_table),
                               median_cell(claim.measured),
                               interval_cell(claim.measured)};
    for (const std::optional<Estimate>& estimate : claim.also) {
      row.push_back(median_cell(estimate));
      row.push_back(interval_cell(estimate));
    }
    row.emplace_back(claim.why);
    table.rows.push_back(std::move(row));
    table.benchmarks.push_back(benchmarks_of(*claim.claim, published));
  }
  if (std::optional<Chart> chart = speedup_chart(published, result))
    section.blocks.emplace_back(Charts{{std::move(*chart)}});
  table.drop_empty_columns();
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::optional<Chart> speedup_chart(const CommandBuckets& published, const results::Result& result) {
  Chart chart("speedup", published.family + "-speedup");
  const PublishedVersion& first = published.versions.front();
  std::vector<std::string> workloads{published.workload};
  workloads.insert(workloads.end(), published.also.begin(), published.also.end());
  const std::string in_article = fmt::format("the article, {}", published.year);
  json::array rows;
  const PublishedVersion* last = nullptr;
  std::string here;
  for (const PublishedVersion& version : published.versions) {
    bool measured_here = false;
    for (const std::string& workload : workloads) {
      const std::optional<Estimate> measured = ratio_of_versions(first, version, "add", workload, published, result);
      if (!measured) continue;
      measured_here = true;
      const stats::Interval point{measured->median, measured->median};
      rows.push_back(json::object{{"label", version.variant},
                                  {"benchmark", published.benchmark(version, workload)},
                                  {"series", "here, " + workload},
                                  {"ratio", measured->median},
                                  {"low", measured->interval.value_or(point).low},
                                  {"high", measured->interval.value_or(point).high},
                                  {"shown", shown(*measured)}});
      if (last != &version) here = shown(*measured);
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
                                {"shown", ratio(stated)}});
  }
  if (last == nullptr) return std::nullopt;
  const double stated = first.ms.at("add") / last->ms.at("add");
  chart.title = fmt::format("{} adds {} times as fast as {} here, {} times in the article", last->variant, here,
                            first.variant, ratio(stated));
  chart.note = fmt::format(
      "Time to add commands, {} over each version; bars: 95 % intervals. Right of the dashed line is faster.",
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
