/// What a workload asks of an allocator at most.
#pragma once

#include <cstddef>

namespace lab {

/// The maximum that is live at once. A variant with a fixed capacity sizes it by this.
struct Demand {
  std::size_t bytes = 0;  ///< sum of the requested sizes
  std::size_t blocks = 0;
  unsigned threads = 1;  ///< that allocate and free at the same time
  /// Over addresses, a buffer for a fixed capacity; it begins with a page. nullptr: the variant allocates its own.
  void* heap = nullptr;
  /// The capacity, of `heap` or of a range of offsets: any multiple of the smallest alignment. 0: as the variant
  /// chooses.
  std::size_t heap_bytes = 0;
};

}  // namespace lab
