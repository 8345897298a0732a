/// `probe --advise`: from a program and a driver's answers to the advice. The drivers of this machine are asked, or a
/// column that was asked before is read.
#pragma once

#include <vector>

#include "harness/base/error.h"
#include "harness/probe/advice.h"
#include "harness/probe/probe.h"
#include "harness/probe/program.h"
#include "harness/probe/sweeps.h"
#include "harness/results/advice.h"
#include "harness/results/atlas.h"

namespace lab::probe {

/// Asks the drivers that `spec` chooses for the program's resources. Its first sweep file must be the article's; others
/// are not asked.
Expected<std::vector<results::DriverColumn>> ask_for(const Program& program, ProbeSpec spec);

/// The program's resources with the answers that a column has: to `article`, whose answers are the column's own tables,
/// and to other sweeps. An error names what it was not asked.
Expected<std::vector<AdviceRequest>> answered(const Program& program, const results::DriverColumn& column,
                                              const Sweep& article);

/// The advice for a program on one driver.
Expected<results::Advice> advise(const Program& program, const results::DriverColumn& column, const Sweep& article);

}  // namespace lab::probe
