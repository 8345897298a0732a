/// What the workloads of the family ask for: every random choice, made before the first repetition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/gpu_memory/family/gpu_memory.h"
#include "variants/gpu_memory/family/tables.h"

namespace lab::gpu_memory {

struct Resource {
  MemoryRequest request;
  bool dedicated = false;  ///< a render target
};

/// What Vulkan is asked to create, on a real device.
struct Shape {
  unsigned width = 0, height = 0;  ///< texels of an image as in tables.h
  std::uint64_t length = 0;        ///< bytes of a buffer; 0: it is an image
};

/// Frees the resource in `slot`, if there is one, and creates another.
struct Step {
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  std::uint32_t slot = 0;
  std::uint32_t resource = kNothing;  ///< index into ResourcePlan::resources; kNothing: none is created
};

/// The steps end with the resources with which they start, so that every repetition does the same work.
struct ResourcePlan {
  std::vector<Resource> resources;
  std::vector<Shape> shapes;  ///< of each resource; none: the plan is for simulated devices alone
  std::size_t slots = 0;
  std::vector<Step> fill, steps;
  std::uint64_t heap_bytes = 0;         ///< of the device
  std::uint64_t allocation_bytes = 0;   ///< of each allocation; 0: as the variant's policy decides
  std::uint64_t granularity = 1;        ///< of the device
  std::size_t allocation_limit = 4096;  ///< Vulkan's least maxMemoryAllocationCount
  std::uint64_t least_heap_step = 1;    ///< minimum heaps are multiples of it

  std::size_t creations() const;         ///< of the steps
  std::uint64_t most_requested() const;  ///< bytes that are live at once at most
  std::vector<designs::MemoryHint> hints() const;
  Setup setup(SimulatedDevice& device) const;
};

/// An 8 GB heap, as in the article.
inline constexpr std::uint64_t kHeapBytes = 8'000'000'000;
/// The memory types of all plans. The tables' drivers have more, but the article's policy needs two to be tried.
inline constexpr unsigned kDeviceType = 0, kHostType = 1;

/// random_replace of resources of one alignment: 1,000 live, sizes log-uniform from 256 bytes to 1 MiB, in one
/// allocation with room to spare. `rounded`: sizes are multiples of the alignment.
ResourcePlan one_alignment(std::uint64_t seed, std::uint64_t alignment, bool rounded);

/// All at least 1.
struct StreamingSize {
  std::size_t live = 800, steps = 10'000;  ///< without the render targets
  std::size_t targets = 8, steps_per_target = 500;
};
/// Textures and buffers come and go one by one, in random order, as a camera moves. Render targets have allocations of
/// their own; one of them is created anew from time to time.
ResourcePlan streaming(std::uint64_t seed, const DeviceTable& table, const StreamingSize& size = {});

/// Levels are loaded whole and left whole; a few resources stay for a level more.
ResourcePlan level_loading(std::uint64_t seed, const DeviceTable& table);

/// The end of streaming(), and then 60 % of the resources are freed at random: few resources in many allocations. It
/// has no steps.
ResourcePlan fragmented(std::uint64_t seed, const DeviceTable& table);

/// What a pass may copy: any texture of the plans.
inline constexpr std::uint64_t kPassBytes = 32'000'000;

/// Fills the heap until a request is refused. Many more requests than fit.
ResourcePlan fill_heap(std::uint64_t seed, const DeviceTable& table);
/// The first ones, which every variant serves.
inline constexpr std::size_t kTimedRequests = 1000;

/// A request of each pair of alignment and memory type, of each kind, that the table has: the smallest of it.
std::vector<MemoryRequest> smallest_of_each_group(const DeviceTable& table);

}  // namespace lab::gpu_memory
