/// Page faults are not what a workload measures: a design that takes its tables from malloc and frees them in every
/// repetition would wait for the kernel to map and clear them, in some sizes and not in others.
#pragma once

#include "harness/bench/variant.h"

namespace lab {

/// Makes the process's malloc (glibc's) keep what is freed to it, up to blocks of 32 MiB.
void keep_freed_memory();

/// Does that before anything is allocated for the workload or its exhibit.
void keep_freed_memory_in(bench::Workload& workload);

}  // namespace lab
