#include "harness/report/errata.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "harness/judge/claim.h"
#include "harness/judge/driver_claim.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

/// An erratum's figure and the data to measure it with.
struct FigureRequest {
  const results::FigureSource& source;
  const results::Published& published;
  const results::Result* result;
  std::span<const results::DriverColumn> atlas;
};

std::string not_here(std::string_view reason) {
  return fmt::format("not measured here: {}", reason);
}

std::string claimed_ratio(const FigureRequest& request) {
  if (request.result == nullptr) return not_here("no benchmark has run");
  const results::CommandBuckets& buckets = request.published.buckets;
  const auto& [source, published, result, atlas] = request;
  std::vector<std::string> texts;
  for (const std::string& order : buckets.orders(source.from, source.to)) {
    const std::optional<stats::Estimate> found =
        judge::measured_ratio(buckets, buckets.version(source.from, order), buckets.version(source.to, order),
                              source.phase, buckets.workload, *result);
    if (found)
      texts.push_back(with_interval(*found) +
                      (order.empty() ? "" : fmt::format(", packets freed in the order of {}", order)));
  }
  if (texts.empty()) return not_here("one of the two versions has no numbers");
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The ratio of two counters, for every benchmark that has both. Counters are exact, so equal ratios appear once.
std::string share(const FigureRequest& request) {
  if (request.result == nullptr) return not_here("no benchmark has run");
  std::map<std::string, std::set<std::string>> benchmarks_of;
  for (const results::Process& process : request.result->processes) {
    if (::fnmatch(request.source.benchmarks.c_str(), process.benchmark.c_str(), 0) != 0) continue;
    if (process.arm != results::kHead) continue;
    const auto part = process.counters.find(request.source.part);
    const auto all = process.counters.find(request.source.whole);
    if (part == process.counters.end() || all == process.counters.end() || all->second <= 0) continue;
    benchmarks_of[fmt::format("{} of {} bytes, {:.4f} %", number(part->second), number(all->second),
                              100 * part->second / all->second)]
        .insert(process.benchmark);
  }
  std::vector<std::string> texts;
  for (const auto& [figure, benchmarks] : benchmarks_of)
    texts.push_back(fmt::format("{} ({})", figure, fmt::join(benchmarks, ", ")));
  if (texts.empty())
    return not_here(fmt::format("no process of {} counted {}", request.source.benchmarks, request.source.part));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// One figure for each driver column of the erratum.
std::string by_column(const FigureRequest& request,
                      const std::function<std::string(const results::DriverColumn&)>& figure) {
  const std::vector<const results::DriverColumn*> columns = judge::columns_like(request.atlas, request.source.columns);
  if (columns.empty())
    return not_here(request.atlas.empty() ? "no driver was probed" : "no such driver on this machine");
  std::vector<std::string> texts;
  for (const results::DriverColumn* column : columns)
    if (const std::string found = figure(*column); !found.empty())
      texts.push_back(fmt::format("{}: {}", column->name, found));
  return texts.empty() ? not_here("the drivers did not answer") : fmt::format("{}", fmt::join(texts, "; "));
}

std::string smallest_storage(const FigureRequest& request) {
  return by_column(request, [&](const results::DriverColumn& column) {
    const std::optional<std::uint64_t> least = judge::smallest_image_storage(column, request.published.vulkan);
    return least ? whole(*least) : "";
  });
}

std::string storages(const FigureRequest& request) {
  return by_column(request, [&](const results::DriverColumn& column) -> std::string {
    std::vector<std::string> texts;
    for (const results::ImageSize& size : request.source.images) {
      const results::ImageRow* row = judge::image(column, size);
      if (row == nullptr) return "";
      texts.push_back(whole(row->size));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  });
}

std::string heap_share(const FigureRequest& request) {
  const std::uint64_t parts = request.source.parts;
  return by_column(request, [&](const results::DriverColumn& column) -> std::string {
    std::uint64_t largest = 0;
    for (const results::MemoryHeap& heap : column.heaps) largest = std::max(largest, heap.size);
    return largest == 0 ? "" : fmt::format("{} / {} = {}", whole(largest), parts, whole(largest / parts));
  });
}

std::string measured(const FigureRequest& request) {
  static const std::map<std::string_view, std::string (*)(const FigureRequest&)> table{
      {"claim", claimed_ratio},
      {"share", share},
      {"smallest image storage", smallest_storage},
      {"storages", storages},
      {"heap share", heap_share},
      {"none", [](const FigureRequest& none) { return not_here(none.source.reason); }},
  };
  return table.at(request.source.kind)(request);
}

}  // namespace

Section errata_section(const results::Published& published, const results::Result* result,
                       std::span<const results::DriverColumn> atlas) {
  using enum TableColumn::Kind;
  Table table{"errata",
              "Figures of an article that contradict its other figures or a measurement",
              {{"Claim", kText}, {"Article", kText}, {"As printed", kText}, {"Arithmetic", kText}, {"Measured", kText}},
              {}};
  for (const results::Erratum& erratum : published.errata)
    table.rows.push_back({erratum.claim, fmt::format("{} ({})", erratum.article.author, erratum.article.year),
                          erratum.printed, erratum.arithmetic, measured({erratum.measured, published, result, atlas})});
  return {"errata", "Errata of the articles", {std::move(table)}, {}};
}

}  // namespace lab::report
