/// An allocation of the device for each resource.
#pragma once

#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

class OwnAllocations : public Pools<designs::BestFit, kByKind> {
 public:
  using Pools::Pools;
  PlacedMemory allocate(const MemoryRequest& request) {
    if (request.bytes > policy().largest_resource && request.kind != ResourceKind::kBuffer)
      return {{}, designs::MemoryRefusal::kHumongous};
    return allocate_dedicated(request);
  }
};

}  // namespace lab::gpu_memory
