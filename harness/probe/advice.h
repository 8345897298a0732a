/// The advice for a program: its resources, placed by the io7m article's allocation policy in a simulated device with
/// the heaps and limits of a driver. The policy is the one that real allocations use
/// (variants/designs/offsets/alignment_buckets.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/advice.h"
#include "harness/results/atlas.h"
#include "harness/results/sweep_answers.h"
#include "variants/designs/offsets/alignment_buckets.h"

namespace lab::probe {

/// Resources that a program will use, with the driver's answer.
struct AdviceRequest {
  std::string name;
  std::string what;  ///< in words
  designs::ResourceKind kind = designs::ResourceKind::kOptimalImage;
  bool render_target = false;  ///< an attachment: one above M gets a dedicated allocation
  std::uint64_t count = 1;
  std::vector<std::string> memory;  ///< flags that the memory type must have: "host visible"
  results::Needs needs;
  std::string refusal;  ///< why the driver creates none; "" if it does
};

struct AdviceOptions {
  std::uint64_t heap_parts = designs::MemoryPolicy().heap_parts;              ///< K, at least 1
  std::uint64_t largest_resource = designs::MemoryPolicy().largest_resource;  ///< M, bytes
  /// H of the largest device local heap, in place of the driver's, and of every heap whose size is not known.
  std::optional<std::uint64_t> heap_bytes;
};

/// What the advice is for: the part of a driver column that it depends on.
struct AdviceDevice {
  std::string column;
  std::vector<results::MemoryHeap> heaps;  ///< size 0: not known
  std::vector<results::MemoryType> memory_types;
  std::optional<std::uint64_t> max_allocations, max_allocation_bytes;
};

/// A column of a simulated device has no heaps: they are then those of its memory types, of unknown size. An imported
/// column has no memory types either: it then has one, number 0, without flags.
AdviceDevice advice_device(const results::DriverColumn& column);

/// The memory type for a resource as a program chooses it: of the types that the driver allows (bit i: type i) and that
/// have every flag of `memory`, the first that is device local, otherwise the first. Types for special uses (lazily
/// allocated, protected, uncached, ...) are left out unless `memory` names these uses. None if none is left.
std::optional<std::uint32_t> chosen_memory_type(const std::vector<results::MemoryType>& types, std::uint32_t bits,
                                                const std::vector<std::string>& memory);

/// Places the requests in their order. An error if the size of a heap that they need is not known.
Expected<results::Advice> advise(const std::vector<AdviceRequest>& requests, const AdviceDevice& device,
                                 const AdviceOptions& options);

}  // namespace lab::probe
