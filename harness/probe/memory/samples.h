/// How often the timed operations are repeated, and in which order.
#pragma once

#include <functional>
#include <vector>

#include "harness/probe/memory/device.h"

namespace lab::probe {

/// Timed repetitions of every operation. One more comes before them and is not recorded.
int repetitions(const MemoryDevice& device);

/// The samples of one operation: what `measure` returns for each repetition but the first.
std::vector<double> samples(const MemoryDevice& device, const std::function<double()>& measure);

/// A finding without its samples, and what measures one: nanoseconds of one operation.
struct TimedRow {
  results::MemoryTiming row;
  std::function<double()> measure;
};

/// Repeats the rows in turns, forwards and backwards, so that what disturbs the machine disturbs all of them, and
/// writes them. For rows that are compared with each other.
void time_in_turns(const MemoryDevice& device, std::vector<TimedRow> rows);

}  // namespace lab::probe
