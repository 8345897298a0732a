/// What the buddy's variant shows beside its times: the article's examples, repeated with the C++ design.
#pragma once

#include "harness/bench/task.h"

namespace lab::allocator {

/// Adds the exhibits `tree` and `worst_case_tree` to random_replace. Their events are the requests, and the splits and
/// merges that the design reports; their figures are what the article states about its examples.
bench::Variant& with_story(bench::Variant& variant);

}  // namespace lab::allocator
