#include "harness/probe/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "harness/base/fit.h"

namespace lab::probe {

namespace {

using designs::AlignmentBuckets;
using designs::MemoryRefusal;
using designs::ResourceKind;

constexpr std::string_view kDeviceLocal = "device local";
constexpr std::array<std::string_view, 4> kOrdinaryFlags{kDeviceLocal, "host visible", "host coherent", "host cached"};
constexpr std::uint32_t kMostHeaps = 16;                                                        // VK_MAX_MEMORY_HEAPS
constexpr std::array<const char*, 3> kKindWords{"buffers", "linear images", "optimal images"};  // by ResourceKind

bool has(const std::vector<std::string>& flags, std::string_view flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

bool is_special(std::string_view flag) {
  return std::ranges::find(kOrdinaryFlags, flag) == kOrdinaryFlags.end();
}

bool suits(const results::MemoryType& type, const std::vector<std::string>& memory) {
  return std::ranges::all_of(memory, [&](const std::string& flag) { return has(type.flags, flag); }) &&
         std::ranges::all_of(type.flags,
                             [&](const std::string& flag) { return !is_special(flag) || has(memory, flag); });
}

std::vector<std::uint64_t> heap_sizes(const std::vector<results::MemoryHeap>& heaps,
                                      std::optional<std::uint64_t> replacement) {
  std::vector<std::uint64_t> sizes;
  for (const results::MemoryHeap& heap : heaps) sizes.push_back(heap.size);
  if (!replacement || heaps.empty()) return sizes;
  const auto order = [](const results::MemoryHeap& heap) {
    return std::pair(has(heap.flags, kDeviceLocal), heap.size);
  };
  sizes[static_cast<std::size_t>(std::ranges::max_element(heaps, {}, order) - heaps.begin())] = *replacement;
  std::ranges::replace(sizes, 0, *replacement);
  return sizes;
}

class Adviser {
 public:
  Adviser(const AdviceDevice& device, const AdviceOptions& options)
      : device_(device),
        heaps_(heap_sizes(device.heaps, options.heap_bytes)),
        free_(heaps_),
        buckets_(policy_for(options), {[this](unsigned type, std::uint64_t bytes) { return give(type, bytes); },
                                       [this](std::uint64_t allocation) { take_back(allocation); }}) {
    advice_.column = device.column;
    advice_.heap_parts = options.heap_parts;
    advice_.largest_resource = options.largest_resource;
    advice_.max_allocations = device.max_allocations;
    advice_.max_allocation_bytes = device.max_allocation_bytes;
  }

  Expected<void> place(const AdviceRequest& request) {
    if (!request.refusal.empty()) {
      refuse(request, request.count, fmt::format("the driver refuses it: {}", request.refusal));
      return {};
    }
    const auto type = chosen_memory_type(device_.memory_types, request.needs.memory_type_bits, request.memory);
    if (!type) {
      refuse(request, request.count,
             request.memory.empty()
                 ? "the driver allows no memory type for it"
                 : fmt::format("no memory type that the driver allows is {}", fmt::join(request.memory, " and ")));
      return {};
    }
    const std::uint32_t heap = device_.memory_types[*type].heap;
    if (heap >= heaps_.size() || heaps_[heap] == 0)
      return Error{fmt::format("column '{}': the size of heap {}, which '{}' needs, is not known", device_.column, heap,
                               request.name),
                   "state it in the file: \"heap_bytes\": 8000000000", ExitStatus::kUsage};
    place_in(*type, request);
    return {};
  }

  results::Advice result() {
    advice_.allocations = buckets_.allocation_count();
    std::map<std::uint32_t, std::uint64_t> allocated;
    for (const auto& [allocation, taken] : given_) allocated[taken.heap] += taken.bytes;
    for (const auto& [heap, bytes] : allocated)
      advice_.heaps.push_back({heap, heaps_[heap], heaps_[heap] != device_.heaps[heap].size, bytes});
    for (const auto& [key, usage] : buckets_.groups()) {
      const results::MemoryType& type = device_.memory_types[key.memory_type];
      advice_.buckets.push_back({.kind = kKindWords[static_cast<std::size_t>(key.kind)],
                                 .alignment = key.alignment,
                                 .memory_type = key.memory_type,
                                 .heap = type.heap,
                                 .flags = type.flags,
                                 .allocation_bytes = buckets_.policy().allocation_bytes(key.memory_type),
                                 .allocations = usage.allocations,
                                 .allocated = usage.allocated,
                                 .requested = usage.requested,
                                 .rounding = usage.rounding(),
                                 .tails = usage.free_tails,
                                 .free = usage.free() - usage.free_tails,
                                 .uses = uses_[key]});
    }
    return std::move(advice_);
  }

 private:
  struct Taken {
    std::uint32_t heap;
    std::uint64_t bytes;
  };

  designs::MemoryPolicy policy_for(const AdviceOptions& options) const {
    designs::MemoryPolicy policy;
    for (const results::MemoryType& type : device_.memory_types)
      policy.heap_bytes.push_back(type.heap < heaps_.size() ? heaps_[type.heap] : 0);
    policy.heap_parts = options.heap_parts;
    policy.largest_resource = options.largest_resource;
    policy.max_allocations = device_.max_allocations.value_or(designs::MemoryPolicy::kUnlimited);
    policy.max_allocation_bytes = device_.max_allocation_bytes.value_or(designs::MemoryPolicy::kUnlimited);
    return policy;
  }

  std::optional<std::uint64_t> give(unsigned type, std::uint64_t bytes) {
    const std::uint32_t heap = device_.memory_types[type].heap;
    if (bytes > free_[heap]) return std::nullopt;
    free_[heap] -= bytes;
    given_[++last_] = {heap, bytes};
    return last_;
  }

  void take_back(std::uint64_t allocation) {
    const auto found = given_.find(allocation);
    free_[found->second.heap] += found->second.bytes;
    given_.erase(found);
  }

  // Why the resources need an allocation each; "" if they do not.
  std::string dedicated_reason(const AdviceRequest& request) const {
    if (request.needs.dedicated == results::Dedicated::kRequired) return "the driver requires it";
    if (request.needs.dedicated == results::Dedicated::kPreferred) return "the driver prefers it";
    if (request.render_target && request.needs.size > buckets_.policy().largest_resource)
      return "a humongous render target";
    return "";
  }

  void place_in(std::uint32_t type, const AdviceRequest& request) {
    const designs::MemoryRequest wanted{request.needs.size, request.needs.alignment, type, request.kind};
    const std::string dedicated = dedicated_reason(request);
    std::uint64_t placed = 0;
    for (; placed < request.count; ++placed)
      if (const MemoryRefusal refusal =
              (dedicated.empty() ? buckets_.allocate(wanted) : buckets_.allocate_dedicated(wanted)).refusal;
          refusal != MemoryRefusal::kNone) {
        refuse(request, request.count - placed, reason(refusal, type, request));
        break;
      }
    if (placed == 0) return;
    results::AdviceUse use = use_of(request, placed);
    if (dedicated.empty())
      uses_[{wanted.kind, wanted.alignment, type, 0}].push_back(std::move(use));
    else
      advice_.dedicated.push_back({std::move(use), type, dedicated});
  }

  std::string reason(MemoryRefusal refusal, std::uint32_t type, const AdviceRequest& request) const {
    const designs::MemoryPolicy& policy = buckets_.policy();
    const std::uint32_t heap = device_.memory_types[type].heap;
    switch (refusal) {
      case MemoryRefusal::kHumongous:
        return fmt::format(
            "humongous, above M = {} bytes, and no render target: a texture of this size needs another "
            "scheme, or a larger M",
            whole(policy.largest_resource));
      case MemoryRefusal::kTooLarge:
        if (request.needs.size > policy.max_allocation_bytes)
          return fmt::format("larger than maxMemoryAllocationSize, {} bytes", whole(policy.max_allocation_bytes));
        if (request.needs.size > heaps_[heap])
          return fmt::format("larger than heap {}, {} bytes", heap, whole(heaps_[heap]));
        return fmt::format("larger than an allocation, {} bytes: split it, or raise M",
                           whole(policy.allocation_bytes(type)));
      case MemoryRefusal::kTooManyAllocations:
        return fmt::format("maxMemoryAllocationCount, {}, is reached", whole(policy.max_allocations));
      case MemoryRefusal::kOutOfMemory:
        return fmt::format("heap {}, {} bytes, is too small", heap, whole(heaps_[heap]));
      default:
        return std::string(sentence(refusal));
    }
  }

  static results::AdviceUse use_of(const AdviceRequest& request, std::uint64_t count) {
    return {request.name, request.what, count, request.needs.size};
  }

  void refuse(const AdviceRequest& request, std::uint64_t count, std::string why) {
    advice_.refused.push_back({use_of(request, count), std::move(why)});
  }

  const AdviceDevice& device_;
  std::vector<std::uint64_t> heaps_, free_;  // bytes
  std::map<std::uint64_t, Taken> given_;     // by number
  std::uint64_t last_ = 0;
  std::map<designs::MemoryGroup, std::vector<results::AdviceUse>> uses_;
  results::Advice advice_;
  AlignmentBuckets buckets_;
};

}  // namespace

AdviceDevice advice_device(const results::DriverColumn& column) {
  AdviceDevice device{column.name, column.heaps, column.memory_types, column.limit("maxMemoryAllocationCount"),
                      column.limit("maxMemoryAllocationSize")};
  if (device.memory_types.empty()) device.memory_types.emplace_back();
  if (!device.heaps.empty()) return device;
  for (const results::MemoryType& type : device.memory_types) {
    if (type.heap >= kMostHeaps) continue;  // there is no such heap
    if (type.heap >= device.heaps.size()) device.heaps.resize(type.heap + 1);
    std::vector<std::string>& flags = device.heaps[type.heap].flags;
    if (has(type.flags, kDeviceLocal) && flags.empty()) flags.emplace_back(kDeviceLocal);
  }
  return device;
}

std::optional<std::uint32_t> chosen_memory_type(const std::vector<results::MemoryType>& types, std::uint32_t bits,
                                                const std::vector<std::string>& memory) {
  std::optional<std::uint32_t> chosen;
  for (std::uint32_t type = 0; type < std::min<std::size_t>(types.size(), 32); ++type) {
    if ((bits >> type & 1) == 0 || !suits(types[type], memory)) continue;
    if (has(types[type].flags, kDeviceLocal)) return type;
    if (!chosen) chosen = type;
  }
  return chosen;
}

Expected<results::Advice> advise(const std::vector<AdviceRequest>& requests, const AdviceDevice& device,
                                 const AdviceOptions& options) {
  Adviser adviser(device, options);
  for (const AdviceRequest& request : requests)
    if (const Expected<void> placed = adviser.place(request); !placed) return placed.error();
  return adviser.result();
}

}  // namespace lab::probe
