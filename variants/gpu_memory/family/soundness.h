/// What every allocator of GPU memory must keep, as a check of all live resources.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

struct LiveResource {
  MemoryRequest request;
  MemoryBlock block;
  bool dedicated = false;
};

/// "", or the first thing that is wrong, in one sentence: resources that overlap, lie outside of their allocation, are
/// not aligned or in another memory type; an allocation that is dedicated and shared; buffers or linear images that
/// share a page of `granularity` with optimal images.
std::string unsound(std::span<const LiveResource> live, const SimulatedDevice& device, std::uint64_t granularity);

/// The same of what the allocator says of itself: its allocations are the device's, their parts cover them, and the
/// used parts are the live resources.
std::string misreported(std::span<const LiveResource> live, const SimulatedDevice& device, const AnyMemory& memory);

/// What a program does between the beginning and the end of a pass.
struct Disturbance {
  bool drops = false;      ///< every second move
  bool frees = false;      ///< every third resource that moves
  bool allocates = false;  ///< a buffer
};

/// Executes requests, and checks each answer.
class CheckedMemory {
 public:
  CheckedMemory(const Subject& subject, const Setup& setup, SimulatedDevice& device)
      : setup_(setup), device_(device), memory_(subject(setup)) {}

  /// Returns "", or what is wrong with the place, or with the reason of a refusal.
  std::string allocate(const MemoryRequest& request, bool dedicated);
  void free(std::size_t index);  ///< of live()
  std::string everything() const;
  /// One pass, if the variant defragments, and all checks after it. Where passes are bounded, the program acts before
  /// the end, too. `moved` is how many resources moved.
  std::string pass(std::uint64_t most_bytes, std::size_t most_moves, Disturbance disturbance,
                   std::size_t* moved = nullptr);
  /// Frees all, in the order of their creation, and allocates the most that the device allows at once again.
  std::string starts_afresh();

  const std::vector<LiveResource>& live() const { return live_; }
  AnyMemory& memory() { return *memory_; }
  std::size_t refusals() const { return refusals_; }

 private:
  std::string unsound_pass(std::span<const HandledMove> moves, std::vector<LiveResource>& with_destinations) const;
  std::string unsound_sequence(std::span<const HandledMove> moves) const;
  std::string wrong_refusal(const MemoryRequest& request, bool dedicated, designs::MemoryRefusal refusal) const;

  Setup setup_;
  SimulatedDevice& device_;
  std::unique_ptr<AnyMemory> memory_;
  std::vector<LiveResource> live_;
  std::size_t refusals_ = 0;
};

}  // namespace lab::gpu_memory
