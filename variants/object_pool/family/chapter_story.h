/// What happens to the particles of the chapter's own pools: the exhibit `chapter` of the workload `frame`, whose
/// figures answer questions about the text.
#pragma once

#include "harness/bench/task.h"

namespace lab::object_pool {

/// Its first form, which looks for a particle that is not in use; and the bytes of its array of bool and of a bit
/// field.
bench::Variant& with_first_form(bench::Variant& variant);
/// Its second form, the free list.
bench::Variant& with_second_form(bench::Variant& variant);

}  // namespace lab::object_pool
