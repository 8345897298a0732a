#include "harness/probe/memory/samples.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace lab::probe {

namespace {

std::string type_text(const results::MemoryTiming& row) {
  return row.memory_type ? fmt::format("memory type {}", *row.memory_type) : "host memory";
}

}  // namespace

int repetitions(const MemoryDevice& device) {
  return device.request().quick ? 3 : 21;
}

std::vector<double> samples(const MemoryDevice& device, const std::function<double()>& measure) {
  std::vector<double> all;
  measure();
  for (int i = 0; i < repetitions(device); ++i) all.push_back(measure());
  return all;
}

void time_in_turns(const MemoryDevice& device, std::vector<TimedRow> rows) {
  for (int i = 0; i <= repetitions(device); ++i)
    for (std::size_t k = 0; k < rows.size(); ++k) {
      TimedRow& row = rows[i % 2 == 0 ? k : rows.size() - 1 - k];
      // Each row once, so that a crash names it; then only a sign of life for each repetition.
      if (i == 0)
        device.events().doing(fmt::format("timing '{}', {}", row.row.what, type_text(row.row)));
      else if (k == 0)
        device.events().doing(fmt::format("repetition {} of '{}' and other rows", i, rows[0].row.what));
      const double ns = row.measure();
      if (i > 0) row.row.samples_ns.push_back(ns);
    }
  for (TimedRow& row : rows) device.events().timing(std::move(row.row));
}

}  // namespace lab::probe
