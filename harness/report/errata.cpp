#include "harness/report/errata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "harness/judge/claim.h"
#include "harness/judge/driver_verdict.h"
#include "harness/report/atlas_census.h"
#include "harness/report/atlas_names.h"
#include "harness/report/claims.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

std::string not_here(std::string_view reason) {
  return fmt::format("not measured here: {}", reason);
}

/// "131,072 of 67,108,864 bytes, 0.1953 %"; only the value if there is no whole.
std::string share_phrase(const results::Quantity& quantity, const judge::Share& share) {
  const bool bytes = quantity.metric.ends_with("_bytes");
  const std::string part =
      share.part == std::trunc(share.part) ? thousands(fmt::format("{:.0f}", share.part)) : number(share.part);
  if (quantity.over.empty()) return part + (bytes ? " bytes" : "");
  return fmt::format("{} of {}{}, {:.4f} %", number(share.part), number(share.whole), bytes ? " bytes" : "",
                     100 * share.value());
}

/// Makes the measured figure from each kind of source: this machine's, and for a platform of an article that of each of
/// its columns, with its origin.
struct Measure {
  const results::Article& article;
  const results::Result* result;
  std::span<const results::DriverColumn> atlas;
  std::span<const results::MemoryFindings> memory;
  const judge::Fitness& fitness;

  std::string operator()(const results::Ratio& ratio) const {
    if (result == nullptr) return not_here("no benchmark has run");
    std::vector<std::string> texts, missing;
    for (const results::RatioCase& one : ratio.cases) {
      const std::optional<judge::MeasuredRatio> found =
          judge::measured_ratio(article.family, one.from, one.to, ratio.metric, ratio.workload, *result);
      if (found) {
        const std::string text = with_interval(*found) + (one.when.empty() ? "" : ", " + one.when);
        texts.push_back(found->exact ? text : marked(text, fitness));
      } else {
        const std::array both{judge::claimed_benchmark(article.family, one.from, ratio.workload),
                              judge::claimed_benchmark(article.family, one.to, ratio.workload)};
        if (std::string why = obstacle(both, ratio.metric, *result); std::ranges::find(missing, why) == missing.end())
          missing.push_back(std::move(why));
      }
    }
    return texts.empty() ? not_here(fmt::format("{}", fmt::join(missing, "; ")))
                         : fmt::format("{}", fmt::join(texts, "; "));
  }

  /// Equal figures appear once. Where the processes of a benchmark differ, the least and the most appear.
  std::string operator()(const results::Quantity& quantity) const {
    if (result == nullptr) return not_here("no benchmark has run");
    std::map<std::string, std::set<std::string>> benchmarks_of;
    for (const std::string& benchmark : judge::benchmarks_like(quantity.benchmarks, *result)) {
      const std::vector<judge::Share> shares = judge::shares(quantity, benchmark, *result);
      if (shares.empty()) continue;
      const auto [least, most] = std::ranges::minmax_element(shares, {}, &judge::Share::value);
      const std::string low = share_phrase(quantity, *least), high = share_phrase(quantity, *most);
      const std::string figure = low == high ? low : range(low, high);
      benchmarks_of[judge::is_without_noise(*result, benchmark, quantity) ? figure : marked(figure, fitness)].insert(
          benchmark);
    }
    std::vector<std::string> texts;
    for (const auto& [figure, benchmarks] : benchmarks_of)
      texts.push_back(fmt::format("{} ({})", figure, fmt::join(benchmarks, ", ")));
    if (texts.empty())
      return not_here(fmt::format("no process of {} counted {}", quantity.benchmarks, quantity.metric));
    return fmt::format("{}", fmt::join(texts, "; "));
  }

  std::string operator()(const results::SmallestImageStorage& figure) const {
    const results::Platform& platform = article.platforms.at(figure.platform);
    const std::vector<const results::DriverColumn*> columns = judge::columns_like(platform.columns, atlas);
    if (columns.empty()) return not_here(atlas.empty() ? "no driver was probed" : "no column of this driver and chip");
    return by_column(columns, "the drivers did not answer", [&](const results::DriverColumn& column) {
      const std::optional<std::uint64_t> least = judge::smallest_image_storage(column, article.sweep);
      return least ? whole(*least) : "";
    });
  }

  std::string operator()(const results::HeapShare& figure) const {
    return by_column(of_this_machine(), "no GPU of this machine answered for memory of its own",
                     [&](const results::DriverColumn& column) -> std::string {
                       const std::uint64_t heap = judge::device_heap_bytes(column);
                       if (heap == 0 || figure.parts == 0) return "";
                       return fmt::format("{} / {} = {}", whole(heap), figure.parts, whole(heap / figure.parts));
                     });
  }

  std::string operator()(const results::AllocationLimit&) const {
    return by_column(of_this_machine(), "no device of this machine was taken to its limit on allocations",
                     [&](const results::DriverColumn& column) -> std::string {
                       const auto found = std::ranges::find(memory, column.name, &results::MemoryFindings::column);
                       if (found == memory.end() || !found->limit || found->limit->result.empty()) return "";
                       return fmt::format("{} after {} of {}", found->limit->result, whole(found->limit->succeeded),
                                          whole(found->limit->reported));
                     });
  }

  std::string operator()(const results::NoFigure& figure) const { return not_here(figure.reason); }

 private:
  std::vector<const results::DriverColumn*> of_this_machine() const {
    std::vector<const results::DriverColumn*> own = judge::columns_like({"*"}, atlas);
    std::erase_if(own, [](const results::DriverColumn* column) { return !is_of_this_machine(*column); });
    return own;
  }

  /// One figure for each driver column that has it, otherwise that there is none, and why.
  template <typename Figure>
  static std::string by_column(const std::vector<const results::DriverColumn*>& columns, std::string_view none,
                               const Figure& figure) {
    std::vector<std::string> texts;
    for (const results::DriverColumn* column : columns)
      if (const std::string found = figure(*column); !found.empty())
        texts.push_back(fmt::format("{}: {}", labelled(*column), found));
    return texts.empty() ? not_here(none) : fmt::format("{}", fmt::join(texts, "; "));
  }
};

}  // namespace

Section errata_section(const std::string& family, std::span<const results::Article> articles,
                       const results::Result* result, std::span<const results::DriverColumn> atlas,
                       const judge::Fitness& fitness, std::span<const results::MemoryFindings> memory) {
  Table table{
      family.empty() ? "errata" : family + "-errata",
      "Figures of an article that contradict its other figures or a measurement",
      {{"Claim", kText}, {"Article", kText, true}, {"As printed", kText}, {"Arithmetic", kText}, {"Measured", kText}}};
  for (const results::Article& article : articles) {
    if (article.family != family) continue;
    for (const results::Erratum& erratum : article.errata)
      table.rows.push_back({erratum.claim, fmt::format("{} ({})", article.source.author, article.source.year),
                            erratum.printed, erratum.arithmetic,
                            std::visit(Measure{article, result, atlas, memory, fitness}, erratum.measured)});
  }
  Section section{family.empty() ? "errata" : "errata-" + family, "Errata"};
  section.add(std::move(table));
  return section;
}

}  // namespace lab::report
