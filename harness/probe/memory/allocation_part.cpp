#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/probe/memory/parts.h"
#include "harness/probe/memory/policy_memory.h"
#include "harness/probe/memory/samples.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostAtOnce = 64;            // allocations that exist together
constexpr std::uint64_t kMostAllocated = 256 << 20;  // of them
constexpr std::uint64_t kSizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20};
constexpr std::uint64_t kQuickSizes[] = {4 << 10, 1 << 20};

class AllocationPart {
 public:
  explicit AllocationPart(const MemoryDevice& device) : device_(device) {}

  void run() {
    needs_ = needs_of(device_, kPage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    std::vector<std::uint32_t> types;
    for (const VkMemoryPropertyFlags flags : {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT})
      if (const auto type = device_.find_type(needs_.memoryTypeBits, flags))
        if (std::ranges::find(types, *type) == types.end()) types.push_back(*type);
    const std::span<const std::uint64_t> sizes =
        device_.request().quick ? std::span<const std::uint64_t>(kQuickSizes) : kSizes;
    for (const std::uint32_t type : types) {
      for (const std::uint64_t bytes : sizes) compare(type, bytes);
      if (!(device_.flags_of(type) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) continue;
      map(type);
      for (const std::uint64_t bytes : sizes) touch(type, bytes);
    }
  }

 private:
  // vkAllocateMemory and the policy in turns, so that both see the same disturbances.
  void compare(std::uint32_t type, std::uint64_t bytes) {
    const std::uint64_t count = std::min({kMostAtOnce, kMostAllocated / bytes, device_.heap_bytes(type) / 4 / bytes,
                                          std::uint64_t{device_.limits().maxMemoryAllocationCount} / 2});
    if (count == 0)
      return device_.events().note(
          fmt::format("memory type {}: {} bytes are more than a quarter of its heap", type, bytes));
    device_.events().doing(fmt::format("vkAllocateMemory of {} x {} bytes of memory type {}", count, bytes, type));
    std::vector<VkDeviceMemory> memories(count);
    if (const VkResult result = allocate(memories, type, bytes); result != VK_SUCCESS)
      return device_.events().note(
          fmt::format("memory type {}: {} x {} bytes: {}", type, count, bytes, enum_name(vulkan::kVkResult, result)));
    free(memories);

    // One allocation holds all pieces, and exists before anything is timed.
    const VkMemoryRequirements needs{bytes, needs_.alignment, needs_.memoryTypeBits};
    PolicyMemory policy(device_, count * std::max(bytes, needs.alignment) + needs.alignment);
    const PolicyMemory::Piece kept = policy.allocate(designs::ResourceKind::kBuffer, {1, needs.alignment, 0}, type);
    std::vector<PolicyMemory::Piece> pieces(count);
    const auto per_call = [&](double ns) { return ns / static_cast<double>(count); };
    std::vector<double> allocated, freed, placed, returned;
    device_.events().doing(fmt::format("vkAllocateMemory of {} x {} bytes of memory type {}", count, bytes, type));
    for (int i = 0; i <= repetitions(device_); ++i) {
      VkResult result = VK_SUCCESS;
      const double allocate_ns = timed_ns([&] { result = allocate(memories, type, bytes); });
      device_.require(result, "vkAllocateMemory, again");
      const double free_ns = timed_ns([&] { free(memories); });
      const double place_ns = timed_ns([&] {
        for (PolicyMemory::Piece& piece : pieces) piece = policy.allocate(designs::ResourceKind::kBuffer, needs, type);
      });
      const double return_ns = timed_ns([&] {
        for (const PolicyMemory::Piece& piece : pieces) policy.free(piece);
      });
      if (i == 0) continue;
      allocated.push_back(per_call(allocate_ns));
      freed.push_back(per_call(free_ns));
      placed.push_back(per_call(place_ns));
      returned.push_back(per_call(return_ns));
    }
    if (const std::size_t taken = policy.buckets().allocation_count(); taken != 1)
      device_.events().note(
          fmt::format("memory type {}: the policy took {} allocations for {} x {} bytes, so its times "
                      "may include vkAllocateMemory",
                      type, taken, count, bytes));
    policy.free(kept);
    report("vkAllocateMemory", type, bytes, std::move(allocated));
    report("vkFreeMemory", type, bytes, std::move(freed));
    report("sub-allocate", type, bytes, std::move(placed));
    report("free a sub-allocation", type, bytes, std::move(returned));
  }

  VkResult allocate(std::span<VkDeviceMemory> memories, std::uint32_t type, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < memories.size(); ++i)
      if (const VkResult result = vulkan::allocate_memory(device_, type, bytes, memories[i]); result != VK_SUCCESS) {
        free(memories.first(i));
        return result;
      }
    return VK_SUCCESS;
  }

  // In the order of allocation.
  void free(std::span<const VkDeviceMemory> memories) const {
    for (const VkDeviceMemory memory : memories) device_.vk().vkFreeMemory(device_.handle(), memory, nullptr);
  }

  void map(std::uint32_t type) {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    device_.require(vulkan::allocate_memory(device_, type, 1 << 20, memory), "vkAllocateMemory");
    device_.events().doing("vkMapMemory");
    report("vkMapMemory and vkUnmapMemory", type, 1 << 20, samples(device_, [&] {
             return timed_ns([&] {
               void* address = nullptr;
               device_.require(device_.vk().vkMapMemory(device_.handle(), memory, 0, VK_WHOLE_SIZE, 0, &address),
                               "vkMapMemory");
               device_.vk().vkUnmapMemory(device_.handle(), memory);
             });
           }));
    device_.vk().vkFreeMemory(device_.handle(), memory, nullptr);
  }

  // What fresh memory costs beyond its allocation: one byte of every page, at first and again.
  void touch(std::uint32_t type, std::uint64_t bytes) {
    std::vector<double> again;
    std::vector<double> first = samples(device_, [&] {
      const vulkan::Memory memory = device_.required(vulkan::Memory::allocate(device_, type, bytes));
      const auto touch_pages = [&] {
        for (std::uint64_t at = 0; at < bytes; at += kPage) *const_cast<volatile std::byte*>(memory.mapped() + at) = {};
      };
      const double ns = timed_ns(touch_pages);
      again.push_back(timed_ns(touch_pages));
      return ns;
    });
    again.erase(again.begin());  // of the repetition that is not recorded
    report("first write to every page", type, bytes, std::move(first));
    report("second write to every page", type, bytes, std::move(again));
  }

  void report(std::string_view what, std::uint32_t type, std::uint64_t bytes, std::vector<double> ns) const {
    device_.events().timing({.part = "allocation",
                             .what = std::string(what),
                             .memory_type = type,
                             .bytes = bytes,
                             .samples_ns = std::move(ns)});
  }

  const MemoryDevice& device_;
  VkMemoryRequirements needs_{};
};

}  // namespace

void run_allocation_part(MemoryDevice& device) {
  AllocationPart(device).run();
}

}  // namespace lab::probe
