#include "harness/report/errata.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <set>

#include "harness/report/claims.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace json = boost::json;

struct Asked {
  const json::object& measured;
  const Published& published;
  const results::Result* result;
  std::span<const results::DriverColumn> atlas;

  std::string text(std::string_view field) const { return std::string(measured.at(field).as_string()); }
};

std::string not_here(std::string_view reason) {
  return fmt::format("not measured here: {}", reason);
}

std::string claimed_ratio(const Asked& asked) {
  if (asked.result == nullptr) return not_here("no benchmark has run");
  const CommandBuckets& buckets = asked.published.buckets;
  SpeedClaim claim{"",
                   asked.measured.at("from").to_number<int>(),
                   asked.measured.at("to").to_number<int>(),
                   asked.text("phase"),
                   {}};
  std::vector<std::string> texts;
  for (const std::string& order : buckets.orders(claim.from, claim.to)) {
    claim.freed = order;
    const std::optional<stats::Estimate> found = measured_ratio(claim, buckets.workload, buckets, *asked.result);
    if (!found) continue;
    std::string text = ratio(found->median);
    if (found->interval) text += fmt::format(" ({})", range(ratio(found->interval->low), ratio(found->interval->high)));
    if (!order.empty()) text += fmt::format(", packets freed in the order of {}", order);
    texts.push_back(std::move(text));
  }
  if (texts.empty()) return not_here("one of the two versions has no numbers");
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The ratio of two counters, for every benchmark that has both. Counters are exact, so equal ratios appear once.
std::string share(const Asked& asked) {
  if (asked.result == nullptr) return not_here("no benchmark has run");
  std::map<std::string, std::set<std::string>> benchmarks_of;
  for (const results::Process& process : asked.result->processes) {
    if (::fnmatch(asked.text("benchmarks").c_str(), process.benchmark.c_str(), 0) != 0) continue;
    if (process.arm != results::kHead) continue;
    const auto part = process.counters.find(asked.text("part"));
    const auto all = process.counters.find(asked.text("whole"));
    if (part == process.counters.end() || all == process.counters.end() || all->second <= 0) continue;
    benchmarks_of[fmt::format("{} of {} bytes, {:.4f} %", number(part->second), number(all->second),
                              100 * part->second / all->second)]
        .insert(process.benchmark);
  }
  std::vector<std::string> texts;
  for (const auto& [figure, benchmarks] : benchmarks_of)
    texts.push_back(fmt::format("{} ({})", figure, fmt::join(benchmarks, ", ")));
  if (texts.empty())
    return not_here(fmt::format("no process of {} counted {}", asked.text("benchmarks"), asked.text("part")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// One figure for each driver column of the erratum.
std::string by_column(const Asked& asked, const std::function<std::string(const results::DriverColumn&)>& figure) {
  const std::vector<const results::DriverColumn*> columns = columns_like(asked.atlas, asked.text("columns"));
  if (columns.empty()) return not_here(asked.atlas.empty() ? "no driver was probed" : "no such driver on this machine");
  std::vector<std::string> texts;
  for (const results::DriverColumn* column : columns)
    if (const std::string found = figure(*column); !found.empty())
      texts.push_back(fmt::format("{}: {}", column->name, found));
  return texts.empty() ? not_here("the drivers did not answer") : fmt::format("{}", fmt::join(texts, "; "));
}

std::string smallest_storage(const Asked& asked) {
  return by_column(asked, [&](const results::DriverColumn& column) {
    const std::optional<std::uint64_t> least = smallest_image_storage(column, asked.published.vulkan);
    return least ? whole(*least) : "";
  });
}

std::string storages(const Asked& asked) {
  return by_column(asked, [&](const results::DriverColumn& column) -> std::string {
    std::vector<std::string> texts;
    for (const json::value& size : asked.measured.at("images").as_array()) {
      const results::ImageRow* row =
          image(column, size.at(0).to_number<std::uint64_t>(), size.at(1).to_number<std::uint64_t>());
      if (row == nullptr) return "";
      texts.push_back(whole(row->size));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  });
}

std::string heap_share(const Asked& asked) {
  const std::uint64_t parts = asked.measured.at("parts").to_number<std::uint64_t>();
  return by_column(asked, [&](const results::DriverColumn& column) -> std::string {
    std::uint64_t largest = 0;
    for (const results::MemoryHeap& heap : column.heaps) largest = std::max(largest, heap.size);
    return largest == 0 ? "" : fmt::format("{} / {} = {}", whole(largest), parts, whole(largest / parts));
  });
}

std::string measured(const Asked& asked) {
  static const std::map<std::string_view, std::string (*)(const Asked&)> table{
      {"claim", claimed_ratio},
      {"share", share},
      {"smallest image storage", smallest_storage},
      {"storages", storages},
      {"heap share", heap_share},
      {"none", [](const Asked& none) { return not_here(none.text("reason")); }},
  };
  return table.at(std::string_view(asked.measured.at("kind").as_string()))(asked);
}

}  // namespace

Section errata_section(const Published& published, const results::Result* result,
                       std::span<const results::DriverColumn> atlas) {
  using enum TableColumn::Kind;
  Table table{"errata",
              "Where an article's figures do not follow from its own",
              {{"Claim", kText}, {"Article", kText}, {"As printed", kText}, {"Arithmetic", kText}, {"Measured", kText}},
              {}};
  for (const Erratum& erratum : published.errata)
    table.rows.push_back({erratum.claim, erratum.article, erratum.printed, erratum.arithmetic,
                          measured({erratum.measured, published, result, atlas})});
  return {"errata", "Errata of the articles", {std::move(table)}, {}};
}

}  // namespace lab::report
