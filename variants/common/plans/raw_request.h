/// A request as variants/allocator/recorder writes it while a program runs. Shared by C and C++.
#pragma once

#include <stdint.h>

enum RawWhat {
  kRawEnd = 0,  ///< the rest of the file is unused
  kRawAllocate = 1,
  kRawZeroed = 2,      ///< calloc
  kRawAligned = 3,     ///< `other`: the alignment
  kRawReallocate = 4,  ///< `other`: the old block, not null
  kRawFree = 5
};

/// The file is an array of these, from the first request of the process on, in native byte order. Every address is
/// one that the C library returned; a block is recorded after it was allocated and before it is freed.
struct RawRequest {
  uint64_t what;
  uint64_t bytes;
  uint64_t block;
  uint64_t other;
};
