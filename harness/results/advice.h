/// What `probe --advise` found: how the io7m article's allocation policy (variants/designs/offsets/alignment_buckets.h)
/// would store what a program uses, on one driver. formats.md describes the JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::results {

inline constexpr int kAdviceSchema = 1;

/// So many resources of one entry of the program's file.
struct AdviceUse {
  std::string name;
  std::string what;         ///< "2048x2048 R8G8B8A8_UNORM, optimal, sampled"
  std::uint64_t count = 0;  ///< resources
  std::uint64_t size = 0;   ///< bytes of each, as the driver requires; 0 if it refuses
  bool operator==(const AdviceUse&) const = default;
};

struct AdviceHeap {
  std::uint32_t heap = 0;   ///< index
  std::uint64_t bytes = 0;  ///< H
  bool replaced = false;    ///< H is the program's, not the driver's
  std::uint64_t allocated = 0;
  bool operator==(const AdviceHeap&) const = default;
};

/// The allocations for one kind of resource, alignment S and memory type T. Sizes are bytes over all of them.
struct AdviceBucket {
  std::string kind;  ///< "optimal images", "linear images", "buffers"
  std::uint64_t alignment = 0;
  std::uint32_t memory_type = 0, heap = 0;
  std::vector<std::string> flags;      ///< of the memory type
  std::uint64_t allocation_bytes = 0;  ///< of one allocation: max(M, H / K) within the limits
  std::uint64_t allocations = 0;
  std::uint64_t allocated = 0;
  std::uint64_t requested = 0;
  std::uint64_t rounding = 0;  ///< waste: resources that end within a block
  std::uint64_t tails = 0;     ///< waste: the ends of allocations that are shorter than a block
  std::uint64_t free = 0;      ///< the rest, which later resources can use
  std::vector<AdviceUse> uses;
  bool operator==(const AdviceBucket&) const = default;
};

/// Resources with an allocation each.
struct AdviceDedicated {
  AdviceUse use;
  std::uint32_t memory_type = 0;
  std::string why;
  bool operator==(const AdviceDedicated&) const = default;
};

/// Resources that get no memory.
struct AdviceRefusal {
  AdviceUse use;
  std::string why;  ///< what is over which limit
  bool operator==(const AdviceRefusal&) const = default;
};

/// A figure that an article prints for the same calculation, and that is wrong.
struct AdviceErratum {
  std::string claim, article, arithmetic;
  bool operator==(const AdviceErratum&) const = default;
};

struct Advice {
  int schema = kAdviceSchema;
  std::string column;                                 ///< the driver column's name
  std::string origin;                                 ///< "real driver, simulated device", "imported, not asked", or ""
  std::uint64_t heap_parts = 0;                       ///< K
  std::uint64_t largest_resource = 0;                 ///< M, bytes
  std::optional<std::uint64_t> max_allocations;       ///< maxMemoryAllocationCount, if the driver states it
  std::optional<std::uint64_t> max_allocation_bytes;  ///< maxMemoryAllocationSize, if the driver states it
  std::uint64_t allocations = 0;                      ///< needed in all, dedicated ones included
  std::vector<AdviceHeap> heaps;                      ///< those that are used
  std::vector<AdviceBucket> buckets;
  std::vector<AdviceDedicated> dedicated;
  std::vector<AdviceRefusal> refused;
  std::vector<AdviceErratum> errata;
  bool operator==(const Advice&) const = default;
};

LAB_JSON_STRUCT(AdviceUse, name, what, count, size)
LAB_JSON_STRUCT(AdviceHeap, heap, bytes, replaced, allocated)
LAB_JSON_STRUCT(AdviceBucket, kind, alignment, memory_type, heap, flags, allocation_bytes, allocations, allocated,
                requested, rounding, tails, free, uses)
LAB_JSON_STRUCT(AdviceDedicated, use, memory_type, why)
LAB_JSON_STRUCT(AdviceRefusal, use, why)
LAB_JSON_STRUCT(AdviceErratum, claim, article, arithmetic)
LAB_JSON_STRUCT(Advice, schema, column, origin, heap_parts, largest_resource, max_allocations, max_allocation_bytes,
                allocations, heaps, buckets, dedicated, refused, errata)

}  // namespace lab::results
