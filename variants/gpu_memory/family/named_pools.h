/// The allocators over pools that the family's programs or tests use beside their variants.
#pragma once

#include <optional>

#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

/// An allocation of the device for each resource.
class OwnAllocations : public Pools<designs::BestFit, kByKind> {
 public:
  static constexpr std::optional<designs::Grouping> kShares = std::nullopt;

  using Pools::Pools;
  PlacedMemory allocate(const MemoryRequest& request) {
    if (request.bytes > policy().largest_resource && request.kind != ResourceKind::kBuffer)
      return {{}, designs::MemoryRefusal::kHumongous};
    return allocate_dedicated(request);
  }
};

/// The article's policy with up-front hints.
class Hinted : public Pools<designs::BestFit, kByAlignment> {
 public:
  explicit Hinted(const Setup& setup) : Pools(with_hints(setup)) {}

 private:
  static Setup with_hints(Setup setup) {
    setup.policy.hints = setup.hints;
    return setup;
  }
};

}  // namespace lab::gpu_memory
