/// The checks of --conformance for an allocator that is the malloc of its process. Those of conformance.h see only
/// malloc and free. These are about what else a program may call, about threads, and about fork and exec.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/task.h"

namespace lab::bench {
struct ConformanceCheck;
}

namespace lab::allocator {

/// The file of the shared library or executable whose `function` (such as "malloc") this process calls; "" if none
/// defines it.
std::string definer_of(const char* function);

/// Whether the function is defined where malloc is. If not, its blocks are another allocator's.
bool is_of_malloc(const char* function);

/// A replacement may leave out posix_memalign, memalign and malloc_usable_size: then there is no check of them.
std::vector<bench::ConformanceCheck> malloc_checks();
/// Adds them.
bench::Variant& with_malloc_checks(bench::Variant& variant);

}  // namespace lab::allocator
