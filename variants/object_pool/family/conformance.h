/// What each variant must keep: `<executable> --conformance`.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/object_pool/family/subject.h"

namespace lab::object_pool {

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject);

}  // namespace lab::object_pool
