/// The time that change point detection takes.
#pragma once

#include "harness/simulate/simulate.h"

namespace lab::simulate {

/// The processor time of alarms and hindsight over many series, over a replay night by night, and over a long series.
/// A part of them is measured, which grows with the scale up to all of it; the seconds are those of all.
void report_speed(const SimulationSettings& settings, const ResultSink& report);

}  // namespace lab::simulate
