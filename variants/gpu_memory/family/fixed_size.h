/// Allocations of a fixed size instead of max(M, H / K).
#pragma once

#include <algorithm>
#include <cstdint>

#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

/// A workload that fixes the size itself keeps its own.
template <GpuMemory A, std::uint64_t kBytes>
class FixedSize : public A {
 public:
  explicit FixedSize(const Setup& setup) : A(fixed(setup)) {}

 private:
  static Setup fixed(Setup setup) {
    if (setup.policy.fixed_bytes == 0) {
      setup.policy.fixed_bytes = kBytes;
      setup.policy.largest_resource = std::min(setup.policy.largest_resource, kBytes);
    }
    return setup;
  }
};

}  // namespace lab::gpu_memory
