/// A driver's answers that cannot be true, on standard error.
#pragma once

#include "harness/results/atlas.h"

namespace lab::cli {

/// One line for each contradiction, for each rule of the specification that the column breaks, and for each unusual
/// answer. Whether there were contradictions or broken rules.
bool print_wrong_answers(const results::DriverColumn& column);

}  // namespace lab::cli
