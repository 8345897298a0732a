/// The article's policy over a device: it decides where, and this allocates.
#pragma once

#include <cstdint>

#include "harness/probe/memory/device.h"
#include "variants/designs/offsets/alignment_buckets.h"

namespace lab::probe {

class PolicyMemory {
 public:
  struct Piece {
    designs::MemoryBlock block;
    const vulkan::Memory* memory = nullptr;
    std::uint64_t offset() const { return block.place.offset; }
    std::byte* mapped() const { return memory->mapped() ? memory->mapped() + offset() : nullptr; }
  };

  /// `largest_resource`: the policy's M, in bytes. Its K is the article's, or more, so that no allocation is larger
  /// than it must be: this machine has other work, too.
  PolicyMemory(const MemoryDevice& device, std::uint64_t largest_resource);

  /// Ends the process if the policy refuses.
  Piece allocate(designs::ResourceKind kind, const VkMemoryRequirements& needs, std::uint32_t type);
  void free(const Piece& piece) { buckets_.free(piece.block); }
  const designs::AlignmentBuckets& buckets() const { return buckets_; }
  void return_empty() { buckets_.return_empty(); }

 private:
  const MemoryDevice& device_;
  vulkan::AllocatedMemory allocated_;
  designs::AlignmentBuckets buckets_;
};

}  // namespace lab::probe
