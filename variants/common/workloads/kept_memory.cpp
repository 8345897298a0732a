#include "variants/common/workloads/kept_memory.h"

#include <malloc.h>

#include <limits>
#include <utility>

namespace lab {

void keep_freed_memory() {
  constexpr int kMost = 32 << 20;  // that glibc accepts
  mallopt(M_MMAP_THRESHOLD, kMost);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void keep_freed_memory_in(bench::Workload& workload) {
  if (workload.prepare)
    workload.prepare = [prepare = std::move(workload.prepare)](const bench::Case& inputs) {
      keep_freed_memory();
      return prepare(inputs);
    };
  if (workload.exhibit)
    workload.exhibit = [exhibit = std::move(workload.exhibit)](const bench::Case& inputs, bench::ExhibitFiles& files) {
      keep_freed_memory();
      exhibit(inputs, files);
    };
}

}  // namespace lab
