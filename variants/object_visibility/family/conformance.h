/// What every way to count must keep.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/object_visibility/family/registration.h"

namespace lab::object_visibility {

/// The checks pass where this machine cannot run the variant.
std::vector<bench::ConformanceCheck> make_checks(const MakeCounter& make, const Ability& ability);

/// What the checks compare with: one pixel after the other.
Counts simple_counts(const IdImage& image, std::uint32_t largest);

}  // namespace lab::object_visibility
