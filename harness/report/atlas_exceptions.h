/// What drivers refuse, where they contradict themselves or break a rule, and what they want in an allocation of its
/// own.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/atlas.h"

namespace lab::report {

/// Without elements if there is nothing of it.
Section atlas_exceptions_section(std::span<const results::DriverColumn> atlas);

}  // namespace lab::report
