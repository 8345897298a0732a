/// A variant behind virtual calls. What no repetition times is compiled once for the family, over this, and not again
/// for each variant: checks, counted figures, exhibits, and the tasks without their timed loops (tasks.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

/// An allocation and all of its parts, by offset.
struct SeenAllocation {
  designs::MemoryAllocation allocation;
  std::vector<designs::OffsetRange> ranges;
};
// Not inline: each variant would compile how the vectors grow.
void add(std::vector<SeenAllocation>& all, const designs::MemoryAllocation& allocation);
void add_part(SeenAllocation& seen, const designs::OffsetRange& range);

class AnyMemory {
 public:
  virtual ~AnyMemory() = default;
  virtual PlacedMemory allocate(const MemoryRequest& request) = 0;
  virtual PlacedMemory allocate_dedicated(const MemoryRequest& request) = 0;
  virtual void free(const MemoryBlock& block) = 0;
  virtual designs::MemoryUsage usage() const = 0;
  virtual std::size_t metadata_bytes() const = 0;
  virtual std::vector<SeenAllocation> allocations() const = 0;

  /// As in the concept Defragments. A variant that does not model it has no moves.
  virtual bool defragments() const = 0;
  virtual bool bounds_passes() const = 0;
  virtual std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) = 0;
  virtual void drop(const MemoryBlock& block) = 0;
  virtual void end_pass() = 0;
  virtual designs::MemoryPlace place(const MemoryBlock& block) const = 0;
};

/// Makes the variant's allocator.
using Subject = std::unique_ptr<AnyMemory> (*)(const Setup&);

/// The virtual calls, and the allocator itself for timed loops. It is made and ended by calls, because every task of a
/// variant has one.
template <GpuMemory A>
class Erased final : public AnyMemory {
 public:
  [[gnu::noinline]] explicit Erased(const Setup& setup) : memory_(setup) {}
  [[gnu::noinline]] ~Erased() override {}

  A& memory() { return memory_; }

  PlacedMemory allocate(const MemoryRequest& request) override { return memory_.allocate(request); }
  PlacedMemory allocate_dedicated(const MemoryRequest& request) override { return memory_.allocate_dedicated(request); }
  void free(const MemoryBlock& block) override { memory_.free(block); }
  designs::MemoryUsage usage() const override { return memory_.usage(); }
  std::size_t metadata_bytes() const override { return memory_.metadata_bytes(); }
  std::vector<SeenAllocation> allocations() const override {
    std::vector<SeenAllocation> all;
    memory_.for_each_allocation([&](const designs::MemoryAllocation& allocation, auto for_each_range) {
      add(all, allocation);
      for_each_range([&](const designs::OffsetRange& range) { add_part(all.back(), range); });
    });
    return all;
  }

  bool defragments() const override { return kDefragments; }
  bool bounds_passes() const override {
    if constexpr (kDefragments) return A::kBoundsPasses;
    return false;
  }
  std::span<const HandledMove> begin_pass(std::uint64_t most_bytes, std::size_t most_moves) override {
    if constexpr (kDefragments) return memory_.begin_pass(most_bytes, most_moves);
    return {};
  }
  void drop(const MemoryBlock& block) override {
    if constexpr (kDefragments) memory_.drop(block);
  }
  void end_pass() override {
    if constexpr (kDefragments) memory_.end_pass();
  }
  designs::MemoryPlace place(const MemoryBlock& block) const override {
    if constexpr (kDefragments) return memory_.place(block);
    return block.place;
  }

 private:
  static constexpr bool kDefragments = Defragments<A>;

  A memory_;
};

template <GpuMemory A>
constexpr Subject subject_of() {
  return [](const Setup& setup) { return std::unique_ptr<AnyMemory>(new Erased<A>(setup)); };
}

}  // namespace lab::gpu_memory
