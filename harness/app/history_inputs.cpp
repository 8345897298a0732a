#include "harness/app/history_inputs.h"

namespace lab::app {

Expected<results::Store> open_store(const std::filesystem::path& results,
                                    const std::function<void(const results::StoreProgress&)>& progress) {
  return results::Store::open(results, judge::store_rules(), progress);
}

Expected<std::vector<judge::SeriesHistory>> load_histories(results::Store& store,
                                                           std::span<const results::SeriesKey> series,
                                                           bool with_points) {
  std::vector<judge::SeriesHistory> histories;
  for (const results::SeriesKey& one : series) {
    const Expected<std::string> findings = store.findings(one);
    if (!findings) return findings.error();
    Expected<std::vector<results::SeriesPoint>> points = std::vector<results::SeriesPoint>{};
    if (with_points) points = store.points(one);
    if (!points) return points.error();
    histories.push_back({one, judge::parse_findings(*findings), std::move(*points)});
  }
  return histories;
}

Expected<std::vector<judge::SeriesHistory>> load_machine(results::Store& store, std::string_view machine) {
  Expected<std::vector<results::SeriesKey>> series = store.series();
  if (!series) return series.error();
  std::erase_if(*series, [&](const results::SeriesKey& one) { return one.machine != machine; });
  return load_histories(store, *series, true);
}

}  // namespace lab::app
