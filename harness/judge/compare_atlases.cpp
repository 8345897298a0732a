// Two atlases: driver columns are paired, and every answer of a driver is an exact metric.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/judge/compare.h"

namespace lab::judge {

namespace {

using results::DriverColumn;

/// One metric of a driver column. `need`: its bytes if a larger value is worse; none otherwise.
struct Requirement {
  std::string metric;
  std::string value;
  std::optional<std::uint64_t> need;  ///< 0: refused
};

/// The metrics of one driver column, in a fixed order.
class Requirements {
 public:
  explicit Requirements(const DriverColumn& column) {
    for (const results::SweepAnswers& sweep : column.sweeps) add_sweep(sweep);
    for (const results::ImageRow& row : column.images) {
      const std::string what = fmt::format("image {}x{}", row.width, row.height);
      add_size(what, row.size, row.alignment);
      add_text(what + " memory_type_bits", fmt::format("{}", row.memory_type_bits));
    }
    for (const results::BufferRow& row : column.buffers)
      add_size(fmt::format("buffer {}", row.length), row.size, row.alignment);
    add_memory(column);
    for (const auto& limit : column.limits)
      add_text(fmt::format("limit {}", std::string_view(limit.key())), boost::json::serialize(limit.value()));
    for (const auto& [name, value] : column.environment) add_text("environment " + name, value);
  }

  std::vector<Requirement> take() { return std::move(all_); }

 private:
  void add_bytes(std::string metric, std::uint64_t value) {
    all_.push_back({std::move(metric), fmt::format("{}", value), value});
  }
  void add_text(std::string metric, std::string value) { all_.push_back({std::move(metric), std::move(value), {}}); }

  void add_size(const std::string& what, std::uint64_t size, std::uint64_t alignment) {
    add_bytes(what + " size", size);
    add_bytes(what + " alignment", alignment);
  }

  void add_needs(const std::string& what, const results::SweepAnswers& sweep, const results::Needs& row) {
    add_size(what, row.size, row.alignment);
    add_text(what + " memory_type_bits", fmt::format("{}", row.memory_type_bits));
    add_text(what + " dedicated", names_of(row.dedicated)[static_cast<std::size_t>(row.dedicated)]);
    add_text(what + " refused", sweep.refusals[row.refusal]);
  }

  void add_sweep(const results::SweepAnswers& sweep) {
    for (const results::ImageTable& table : sweep.images)
      for (const results::ImageAnswer& row : table.rows)
        add_needs(fmt::format("{}: {}", sweep.name, describe(table.kind, row.width, row.height, row.depth)), sweep,
                  row.needs);
    for (const results::BufferTable& table : sweep.buffers)
      for (const results::BufferAnswer& row : table.rows)
        add_needs(fmt::format("{}: {}", sweep.name, describe(table.kind, row.length)), sweep, row.needs);
  }

  void add_memory(const DriverColumn& column) {
    for (std::size_t i = 0; i < column.heaps.size(); ++i)
      add_text(fmt::format("heap {}", i),
               fmt::format("{} bytes, {}", column.heaps[i].size, fmt::join(column.heaps[i].flags, " + ")));
    for (std::size_t i = 0; i < column.memory_types.size(); ++i)
      add_text(fmt::format("memory type {}", i),
               fmt::format("heap {}, {}", column.memory_types[i].heap, fmt::join(column.memory_types[i].flags, " + ")));
  }

  std::vector<Requirement> all_;
};

void compare_columns(const DriverColumn& base, const DriverColumn& head, std::vector<ExactChange>& found) {
  const std::string name = base.name == head.name ? base.name : fmt::format("{} -> {}", base.name, head.name);
  const std::vector<Requirement> before = Requirements(base).take(), after = Requirements(head).take();
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

const DriverColumn* find(const std::vector<DriverColumn>& columns, const std::string& name) {
  const auto at = std::ranges::find(columns, name, &DriverColumn::name);
  return at == columns.end() ? nullptr : &*at;
}

/// The columns whose names the other atlas does not have.
std::vector<const DriverColumn*> unmatched(const std::vector<DriverColumn>& columns,
                                           const std::vector<DriverColumn>& others) {
  std::vector<const DriverColumn*> left;
  for (const DriverColumn& column : columns)
    if (find(others, column.name) == nullptr) left.push_back(&column);
  return left;
}

}  // namespace

Expected<Comparison> compare_atlases(const std::vector<DriverColumn>& base, const std::vector<DriverColumn>& head) {
  Comparison comparison;
  comparison.exact_only = true;
  std::vector<std::pair<const DriverColumn*, const DriverColumn*>> pairs;
  for (const DriverColumn& column : base)
    if (const DriverColumn* match = find(head, column.name)) pairs.emplace_back(&column, match);
  const std::vector<const DriverColumn*> left_base = unmatched(base, head);
  std::vector<const DriverColumn*> left_head = unmatched(head, base);
  for (const DriverColumn* column : left_base) {
    const DriverColumn* match = only_one(left_head, device_of(*column));
    if (match != nullptr && only_one(left_base, device_of(*column)) == column) {
      pairs.emplace_back(column, match);
      std::erase(left_head, match);
    } else {
      comparison.only_base.push_back({column->name});
    }
  }
  for (const DriverColumn* column : left_head) comparison.only_head.push_back({column->name});
  if (pairs.empty())
    return Error{fmt::format("no driver column in common: base has {}, head has {}", base.size(), head.size()),
                 "python3 make.py probe", ExitStatus::kUsage};
  for (const auto& [before, after] : pairs) compare_columns(*before, *after, comparison.exact);
  return comparison;
}

}  // namespace lab::judge
