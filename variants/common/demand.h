/// What a workload asks of an allocator at most.
#pragma once

#include <cstddef>

namespace lab {

/// The maximum that is live at once. A variant with a fixed capacity sizes it by this.
struct Demand {
  std::size_t bytes = 0;  ///< sum of the requested sizes
  std::size_t blocks = 0;
  void* heap =
      nullptr;  ///< over addresses, a buffer of whole pages for a fixed capacity; nullptr: it allocates its own
  std::size_t heap_bytes = 0;  ///< the capacity, of `heap` or of a range of offsets; 0: as the variant chooses
};

}  // namespace lab
