#include "harness/judge/compare_exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/judge/exact.h"
#include "harness/results/metrics.h"

namespace lab::judge {

namespace {

using results::DriverColumn;
using results::Process;
using results::Result;

/// Results of schema 1 do not declare their metrics: more is worse where the name ends so.
constexpr std::array<std::string_view, 3> kMoreIsWorse{"bytes", "fragmentation", "instructions"};

/// How a benchmark's exact metrics are declared on both sides.
class Declarations {
 public:
  Declarations(const Result& base, const Result& head, const std::string& benchmark)
      : workloads_{results::find_workload(head, benchmark), results::find_workload(base, benchmark)} {}

  bool is_worse(std::string_view name, double before, double after) const {
    if (const std::optional<results::Metric> metric = find(name)) return results::is_worse(*metric, before, after);
    const bool more_is_worse = std::ranges::any_of(kMoreIsWorse, [&](auto end) { return name.ends_with(end); });
    return more_is_worse && after > before;
  }

  /// Whether a metric that only one side has is a finding; `all_have`: every process of that side has it. Costly
  /// metrics are in some processes alone, or in none.
  bool counts_if_missing(std::string_view name, bool all_have) const {
    const std::optional<results::Metric> metric = find(name);
    return metric ? !metric->costly : all_have;
  }

 private:
  std::optional<results::Metric> find(std::string_view name) const {
    for (const results::WorkloadInfo* const workload : workloads_)
      if (workload != nullptr)
        if (const std::optional<results::Metric> metric = results::find_metric(*workload, name)) return metric;
    return std::nullopt;
  }

  std::array<const results::WorkloadInfo*, 2> workloads_;
};

/// Of one benchmark: each counter's value, none if processes disagree; each seed's checksum.
struct ExactValues {
  std::map<std::string, std::optional<double>> counters;
  std::map<std::string, std::size_t> processes_with;  ///< a counter
  std::size_t processes = 0;
  std::map<std::uint64_t, std::string> checksums;

  bool all_have(const std::string& counter) const {
    const auto found = processes_with.find(counter);
    return found != processes_with.end() && found->second == processes;
  }
};

std::map<std::string, ExactValues> exact_values(const Result& result, std::string_view arm) {
  std::map<std::string, ExactValues> values;
  for (auto& [benchmark, counters] : exact_counters(result, arm)) values[benchmark].counters = counters;
  for (const Process& process : result.processes)
    if (process.arm == arm) {
      ExactValues& own = values[process.benchmark];
      own.checksums.emplace(process.seed, process.checksum);
      ++own.processes;
      for (const auto& [counter, value] : process.counters) ++own.processes_with[counter];
    }
  return values;
}

void compare_checksums(const std::string& benchmark, const ExactValues& base, const ExactValues& head,
                       std::vector<ExactChange>& found) {
  for (const auto& [seed, checksum] : base.checksums)
    if (const auto other = head.checksums.find(seed); other != head.checksums.end() && other->second != checksum) {
      found.push_back({benchmark, "checksum", checksum, other->second, true});
      return;
    }
}

void compare_counters(const std::string& benchmark, const ExactValues& base, const ExactValues& head,
                      const Declarations& declared, std::vector<ExactChange>& found) {
  std::set<std::string> names;
  for (const ExactValues* values : {&base, &head})
    for (const auto& [name, value] : values->counters) names.insert(name);
  for (const std::string& name : names) {
    const auto before = base.counters.find(name), after = head.counters.find(name);
    const bool in_base = before != base.counters.end(), in_head = after != head.counters.end();
    if (!(in_base && in_head) && !declared.counts_if_missing(name, (in_base ? base : head).all_have(name))) continue;
    // A counter with noise is not exact.
    if ((in_base && !before->second) || (in_head && !after->second)) continue;
    if (in_base && in_head && *before->second == *after->second) continue;
    const auto text = [](bool there, const auto& at) { return there ? fmt::format("{}", *at->second) : std::string(); };
    found.push_back({benchmark, name, text(in_base, before), text(in_head, after),
                     in_base && in_head && declared.is_worse(name, *before->second, *after->second)});
  }
}

/// One metric of a driver column. `need`: its bytes if a larger value is worse; none otherwise.
struct Requirement {
  std::string metric;
  std::string value;
  std::optional<std::uint64_t> need;  ///< 0: refused
};

std::vector<Requirement> requirements(const DriverColumn& column) {
  std::vector<Requirement> all;
  const auto bytes = [&](std::string metric, std::uint64_t value) {
    all.push_back({std::move(metric), fmt::format("{}", value), value});
  };
  const auto text = [&](std::string metric, std::string value) {
    all.push_back({std::move(metric), std::move(value), {}});
  };
  const auto needs = [&](const std::string& what, const results::SweepAnswers& sweep, const results::Needs& row) {
    bytes(what + " size", row.size);
    bytes(what + " alignment", row.alignment);
    text(what + " memory_type_bits", fmt::format("{}", row.memory_type_bits));
    text(what + " dedicated", names_of(row.dedicated)[static_cast<std::size_t>(row.dedicated)]);
    text(what + " refused", sweep.refusals[row.refusal]);
  };
  for (const results::SweepAnswers& sweep : column.sweeps) {
    for (const results::ImageTable& table : sweep.images)
      for (const results::ImageAnswer& row : table.rows)
        needs(fmt::format("{}: {}", sweep.name, describe(table.kind, row.width, row.height, row.depth)), sweep,
              row.needs);
    for (const results::BufferTable& table : sweep.buffers)
      for (const results::BufferAnswer& row : table.rows)
        needs(fmt::format("{}: {}", sweep.name, describe(table.kind, row.length)), sweep, row.needs);
  }
  for (const results::ImageRow& row : column.images) {
    const std::string what = fmt::format("image {}x{}", row.width, row.height);
    bytes(what + " size", row.size);
    bytes(what + " alignment", row.alignment);
    text(what + " memory_type_bits", fmt::format("{}", row.memory_type_bits));
  }
  for (const results::BufferRow& row : column.buffers) {
    const std::string what = fmt::format("buffer {}", row.length);
    bytes(what + " size", row.size);
    bytes(what + " alignment", row.alignment);
  }
  for (std::size_t i = 0; i < column.heaps.size(); ++i)
    text(fmt::format("heap {}", i),
         fmt::format("{} bytes, {}", column.heaps[i].size, fmt::join(column.heaps[i].flags, " + ")));
  for (std::size_t i = 0; i < column.memory_types.size(); ++i)
    text(fmt::format("memory type {}", i),
         fmt::format("heap {}, {}", column.memory_types[i].heap, fmt::join(column.memory_types[i].flags, " + ")));
  for (const auto& limit : column.limits)
    text(fmt::format("limit {}", std::string_view(limit.key())), boost::json::serialize(limit.value()));
  for (const auto& [name, value] : column.environment) text("environment " + name, value);
  return all;
}

void compare_columns(const DriverColumn& base, const DriverColumn& head, std::vector<ExactChange>& found) {
  const std::string name = base.name == head.name ? base.name : fmt::format("{} -> {}", base.name, head.name);
  const std::vector<Requirement> before = requirements(base), after = requirements(head);
  std::map<std::string, const Requirement*> of_head;
  std::set<std::string> matched;  // a sweep may ask the same twice
  for (const Requirement& requirement : after) of_head[requirement.metric] = &requirement;
  for (const Requirement& requirement : before) {
    const auto at = of_head.find(requirement.metric);
    const Requirement* now = at == of_head.end() ? nullptr : at->second;
    if (now == nullptr) {
      found.push_back({name, requirement.metric, requirement.value, "", false});
      continue;
    }
    if (now->value != requirement.value)
      found.push_back(
          {name, requirement.metric, requirement.value, now->value,
           requirement.need && *requirement.need != 0 && (*now->need == 0 || *now->need > *requirement.need)});
    matched.insert(requirement.metric);
  }
  for (const Requirement& requirement : after)
    if (!matched.contains(requirement.metric))
      found.push_back({name, requirement.metric, "", requirement.value, false});
}

using DeviceKey = std::tuple<std::string, std::uint32_t, std::uint32_t>;

DeviceKey device_of(const DriverColumn& column) {
  return {column.driver.short_name, column.driver.vendor_id, column.driver.device_id};
}

const DriverColumn* only_one(const std::vector<const DriverColumn*>& columns, const DeviceKey& device) {
  const DriverColumn* found = nullptr;
  for (const DriverColumn* column : columns) {
    if (device_of(*column) != device) continue;
    if (found != nullptr) return nullptr;
    found = column;
  }
  return found;
}

}  // namespace

std::vector<ExactChange> exact_changes(const Result& base, std::string_view base_arm, const Result& head,
                                       std::string_view head_arm, const std::set<std::string>& uncounted) {
  const std::map<std::string, ExactValues> before = exact_values(base, base_arm), after = exact_values(head, head_arm);
  std::vector<ExactChange> found;
  for (const auto& [benchmark, values] : before) {
    const auto other = after.find(benchmark);
    if (other == after.end()) continue;
    compare_checksums(benchmark, values, other->second, found);
    if (!uncounted.contains(benchmark))
      compare_counters(benchmark, values, other->second, Declarations(base, head, benchmark), found);
  }
  return found;
}

Expected<Comparison> compare_atlases(const std::vector<DriverColumn>& base, const std::vector<DriverColumn>& head) {
  Comparison comparison;
  comparison.exact_only = true;
  std::vector<const DriverColumn*> left_base, left_head;
  std::vector<std::pair<const DriverColumn*, const DriverColumn*>> pairs;
  const auto find = [](const std::vector<DriverColumn>& columns, const std::string& name) -> const DriverColumn* {
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const DriverColumn& c) { return c.name == name; });
    return at == columns.end() ? nullptr : &*at;
  };
  for (const DriverColumn& column : base) {
    const DriverColumn* match = find(head, column.name);
    if (match != nullptr)
      pairs.emplace_back(&column, match);
    else
      left_base.push_back(&column);
  }
  for (const DriverColumn& column : head)
    if (find(base, column.name) == nullptr) left_head.push_back(&column);
  for (const DriverColumn* column : left_base) {
    const DriverColumn* match = only_one(left_head, device_of(*column));
    if (match != nullptr && only_one(left_base, device_of(*column)) == column) {
      pairs.emplace_back(column, match);
      std::erase(left_head, match);
    } else {
      comparison.only_base.push_back(column->name);
    }
  }
  for (const DriverColumn* column : left_head) comparison.only_head.push_back(column->name);
  if (pairs.empty())
    return Error{fmt::format("no driver column in common: base has {}, head has {}", base.size(), head.size()),
                 "python3 make.py probe", ExitStatus::kUsage};
  for (const auto& [before, after] : pairs) compare_columns(*before, *after, comparison.exact);
  return comparison;
}

}  // namespace lab::judge
