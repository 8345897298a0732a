/// What allocators of one range of offsets have in common, so that a set of ranges can be made of any of them
/// (memory_pools.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace lab::designs {

/// A used part of a range. `token` is the allocator's own name for it, so that freeing needs no search.
struct Suballocation {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t offset = kNone;
  std::uint64_t token = 0;  ///< 64 bits, because VulkanMemoryAllocator's names are addresses
  bool served() const { return offset != kNone; }
  bool operator==(const Suballocation&) const = default;
};

/// A used part or a free space of a range.
struct OffsetRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;      ///< with rounding
  std::uint64_t requested = 0;  ///< by the caller, at least 1; 0 for a free space
  bool used = false;
  std::uint64_t end() const { return offset + bytes; }
  bool operator==(const OffsetRange&) const = default;
};

/// Constructed over the offsets from 0 to `capacity`, all of them free, in blocks of `block_bytes` (a power of two):
/// each suballocation begins at a multiple of it. Not thread-safe. Never touches the range.
template <typename R>
concept RangeAllocator = std::constructible_from<R, std::uint64_t, std::uint64_t> &&
    requires(R& range, const R& constant, std::uint64_t bytes, std::uint64_t alignment, Suballocation taken) {
  /// `bytes` (0 counts as 1) at a multiple of `alignment`, a power of two; or not served, and no change.
  { range.allocate(bytes, alignment) } -> std::same_as<Suballocation>;
  /// Frees what allocate() returned. Anything else is undefined; builds with assertions end the process.
  range.free(taken);
  { constant.capacity() } -> std::same_as<std::uint64_t>;
  { constant.used_count() } -> std::same_as<std::size_t>;
  /// Of all used parts, with rounding.
  { constant.used_bytes() } -> std::same_as<std::uint64_t>;
  /// Of all used parts, as requested.
  { constant.requested_bytes() } -> std::same_as<std::uint64_t>;
  /// The largest request of the least alignment that would be served now; 0 if none. May be slow.
  { constant.largest_free() } -> std::same_as<std::uint64_t>;
  /// What its bookkeeping takes now, its object included.
  { constant.metadata_bytes() } -> std::same_as<std::size_t>;
  /// Visits an OffsetRange for each used part and each free space, by offset. Together they are the whole range;
  /// two free spaces may touch only where the allocator could not serve both as one.
  constant.for_each([](const OffsetRange&) {});
};

}  // namespace lab::designs
