#include "variants/allocator/family/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/random.h"
#include "variants/allocator/family/live_blocks.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

namespace {

/// Zero and the sizes around each power of two (usual boundaries of size classes), up to about `largest`.
std::vector<std::size_t> edge_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 2};
  for (std::size_t power = 4; power <= largest; power *= 2) sizes.insert(sizes.end(), {power - 1, power, power + 1});
  return sizes;
}

/// Every size up to a page. From there to 128 KiB, the sizes around four evenly spaced points per power of two. Blocks
/// of one group are live together.
std::vector<std::vector<std::size_t>> swept_sizes() {
  constexpr std::size_t kGroup = 512, kAround = 8, kMost = 128 * 1024;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t first = 1; first <= kPageBytes; first += kGroup) {
    groups.emplace_back(kGroup);
    std::iota(groups.back().begin(), groups.back().end(), first);
  }
  for (std::size_t step = kPageBytes; step <= kMost; step += std::bit_floor(step) / 4) {
    groups.emplace_back(2 * kAround + 1);
    std::iota(groups.back().begin(), groups.back().end(), step - kAround);
  }
  return groups;
}

std::string misaligned(const void* block, std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment))
    return fmt::format("the promised alignment of a block of {} bytes is {}, which is not a power of two", bytes,
                       alignment);
  const std::size_t off = reinterpret_cast<std::uintptr_t>(block) % alignment;
  return off == 0 ? ""
                  : fmt::format("the address of a block of {} bytes is {} bytes past its alignment of {}", bytes, off,
                                alignment);
}

std::string too_small(std::size_t bytes, std::size_t occupied) {
  return occupied >= bytes ? "" : fmt::format("occupied() of a block of {} bytes is {}", bytes, occupied);
}

std::string refused(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned null", bytes);
}

std::string served(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned a block, expected null", bytes);
}

/// Each check constructs its own allocators, and returns what is wrong, or "".
class Checks {
 public:
  explicit Checks(const Subject& subject) : subject_(subject) {}

  std::string no_overlap() const { return run_sequences().overlap; }
  std::string contents() const { return run_sequences().contents; }
  std::string requests_succeed() const { return run_sequences(false).refusal; }
  std::string identity() const { return subject_.identity_failure(); }

  static constexpr Demand kDemand{.bytes = std::size_t{1} << 20, .blocks = 1000};

  using SizedBlocks = std::vector<std::pair<void*, std::size_t>>;

  static void free_all(AnyAllocator& allocator, const SizedBlocks& blocks) {
    if (allocator.can().frees_blocks) {
      for (const auto& [block, bytes] : blocks) allocator.free(block, bytes);
    } else {
      allocator.reset();
    }
  }

  /// Frees every block of the ledger. Returns the first difference in contents, or "".
  static std::string release_all(AnyAllocator& allocator, LiveBlocks& ledger) {
    std::string failure;
    while (!ledger.empty()) {
      const auto [block, bytes] = ledger.lowest();
      std::string found = ledger.remove(block);
      if (failure.empty()) failure = std::move(found);
      if (allocator.can().frees_blocks) allocator.free(block, bytes);
    }
    if (!allocator.can().frees_blocks) allocator.reset();
    return failure;
  }

  /// Alignment at the edge sizes, at every size, and after random frees.
  std::string alignment() const {
    const auto allocator = subject_.make(kDemand);
    SizedBlocks blocks;
    std::string failure;
    for (const std::size_t bytes : edge_sizes(kDemand.bytes / 16)) {
      blocks.emplace_back(allocator->allocate(bytes), bytes);
      failure = wrong_alignment(*allocator, blocks.back().first, bytes);
      if (!failure.empty()) break;
    }
    free_all(*allocator, blocks);
    if (failure.empty()) failure = sweep(false).alignment;
    return failure.empty() ? run_sequences(false).alignment : failure;
  }

  static std::string wrong_alignment(AnyAllocator& allocator, void* block, std::size_t bytes) {
    return block == nullptr ? refused(bytes) : misaligned(allocator.address(block), bytes, allocator.alignment(bytes));
  }

  /// Allocates blocks of each size, frees some, and allocates larger and smaller ones: a block that was put into the
  /// free list of a wrong size would overlap its neighbour.
  std::string block_sizes() const {
    std::vector<std::size_t> sizes = edge_sizes(kDemand.bytes / 16);
    for (std::size_t bytes = 3; bytes < 600; bytes += 7) sizes.push_back(bytes);
    std::string failure;
    for (const std::size_t size : sizes) {
      const auto allocator = subject_.make({.bytes = std::size_t{2} << 20, .blocks = 30});
      LiveBlocks ledger(*allocator);
      const std::size_t bytes = std::max<std::size_t>(size, 2);
      const auto put = [&](std::size_t wanted) {
        void* const block = allocator->allocate(wanted);
        failure = block == nullptr ? refused(wanted) : ledger.add(block, wanted);
        if (failure.empty()) failure = too_small(wanted, allocator->occupied(block, wanted));
        return block;
      };
      std::vector<void*> blocks;
      while (blocks.size() < 9 && failure.empty()) blocks.push_back(put(bytes));
      if (subject_.can.frees_blocks) {
        for (std::size_t i = 1; i < 9 && failure.empty(); i += 2) {
          ledger.remove(blocks[i]);
          allocator->free(blocks[i], bytes);
        }
      }
      for (const std::size_t next : {2 * bytes, bytes + bytes / 2, bytes + 1, bytes, bytes / 2})
        for (int i = 0; i < 3 && failure.empty(); ++i) put(next);
      release_all(*allocator, ledger);
      if (!failure.empty()) return failure;
    }
    return "";
  }

  std::string every_size() const {
    const Found found = sweep();
    return !found.refusal.empty() ? found.refusal : !found.overlap.empty() ? found.overlap : found.contents;
  }

  /// A random sequence of allocations and frees: its length, the sizes, and the bytes and blocks live at once.
  struct Sequence {
    Demand demand;
    int steps;
    std::uint64_t low_power, high_power;  ///< log2 of the upper bound of a size, drawn uniformly from this range
  };

  struct Found {
    std::string alignment, overlap, contents, refusal;
    bool any() const { return !alignment.empty() || !overlap.empty() || !contents.empty() || !refusal.empty(); }
  };

  /// All sizes; as many blocks as a workload has; large blocks.
  static constexpr Sequence kSequences[] = {{kDemand, 20'000, 2, 14},
                                            {{.bytes = std::size_t{1} << 20, .blocks = 10'000}, 40'000, 3, 7},
                                            {{.bytes = std::size_t{16} << 20, .blocks = 400}, 2000, 12, 17}};

  /// With `filled`, checks overlap and contents. Without, checks only alignment and refusals and writes to no block, so
  /// that overlapping blocks cause no crash.
  Found run_sequences(bool filled = true) const {
    for (const Sequence& sequence : kSequences)
      if (Found found = run_sequence(sequence, filled); found.any()) return found;
    return {};
  }

  /// Half of the sizes are powers of two or multiples of 16, which fill a block to its last byte.
  static std::size_t random_size(Random& random, const Sequence& sequence) {
    const std::size_t bytes =
        random.between(1, std::uint64_t{1} << random.between(sequence.low_power, sequence.high_power));
    switch (random.below(4)) {
      case 0:
        return std::bit_ceil(bytes);
      case 1:
        return std::min((bytes + 15) / 16 * 16, std::size_t{1} << sequence.high_power);
      default:
        return bytes;
    }
  }

  Found run_sequence(const Sequence& sequence, bool filled) const {
    const auto allocator = subject_.make(sequence.demand);
    Random random(1);
    LiveBlocks ledger(*allocator);
    Found found;
    SizedBlocks live;
    std::size_t live_bytes = 0;
    for (int i = 0; i < sequence.steps && !found.any(); ++i) {
      const std::size_t bytes = random_size(random, sequence);
      if (live_bytes + bytes > sequence.demand.bytes || live.size() == sequence.demand.blocks ||
          (subject_.can.frees_blocks && !live.empty() && random.below(100) < 45)) {
        if (subject_.can.frees_blocks) {
          std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
          const auto [block, freed] = live.back();
          live.pop_back();
          if (filled) found.contents = ledger.remove(block);
          allocator->free(block, freed);
          live_bytes -= freed;
        } else {
          found.contents = release_all(*allocator, ledger);
          live.clear();
          live_bytes = 0;
        }
      } else if (void* const block = allocator->allocate(bytes)) {
        if (filled)
          found.overlap = ledger.add(block, bytes);
        else
          found.alignment = wrong_alignment(*allocator, block, bytes);
        live.emplace_back(block, bytes);
        live_bytes += bytes;
      } else {
        found.refusal = refused(bytes);
      }
    }
    if (!filled) free_all(*allocator, live);
    std::string last = release_all(*allocator, ledger);
    if (found.contents.empty()) found.contents = std::move(last);
    return found;
  }

  /// `filled` as in run_sequences().
  Found sweep(bool filled = true) const {
    for (const std::vector<std::size_t>& sizes : swept_sizes())
      if (Found found = sweep(sizes, filled); found.any()) return found;
    return {};
  }

  /// Several blocks of each size, all live at once; then half of them are freed and allocated again in another order.
  Found sweep(const std::vector<std::size_t>& sizes, bool filled) const {
    const std::size_t each = sizes.front() < kPageBytes / 2 ? 4 : 2;  // large blocks take most of the time
    const std::size_t bytes = each * std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    const auto allocator = subject_.make({.bytes = bytes + bytes / 4, .blocks = each * sizes.size()});
    LiveBlocks ledger(*allocator);
    Found found;
    SizedBlocks live;
    const auto put = [&](std::size_t wanted) {
      if (subject_.can.fixed_capacity && wanted > allocator->largest_request()) return;
      void* const block = allocator->allocate(wanted);
      if (block == nullptr)
        found.refusal = refused(wanted);
      else if (!filled)
        found.alignment = wrong_alignment(*allocator, block, wanted);
      else
        found.overlap = ledger.add(block, wanted);
      if (block != nullptr && found.overlap.empty()) live.emplace_back(block, wanted);
    };
    for (const std::size_t size : sizes)
      for (std::size_t i = 0; i < each && !found.any(); ++i) put(size);
    if (subject_.can.frees_blocks) {
      const auto free_checked = [&](std::pair<void*, std::size_t> block) {
        std::string changed = filled ? ledger.remove(block.first) : "";
        if (found.contents.empty()) found.contents = std::move(changed);
        allocator->free(block.first, block.second);
      };
      std::vector<std::size_t> again;
      for (std::size_t i = live.size() / 2; i-- > 0 && !found.any();) {
        std::swap(live[2 * i], live.back());
        again.push_back(live.back().second);
        free_checked(live.back());
        live.pop_back();
      }
      for (const std::size_t size : again)
        if (!found.any()) put(size);
      for (const auto& block : live) free_checked(block);
    } else {
      found.contents = release_all(*allocator, ledger);
    }
    return found;
  }

  std::string empty_requests() const {
    const auto allocator = subject_.make(kDemand);
    void* const first = allocator->allocate(0);
    void* const second = allocator->allocate(0);
    const std::string failure = first == nullptr || second == nullptr ? refused(0)
                                : first == second ? "two live blocks of 0 bytes have the same address"
                                                  : "";
    if (subject_.can.frees_blocks) {
      allocator->free(first, 0);
      if (second != first) allocator->free(second, 0);
    }
    return failure;
  }

  std::string too_large() const {
    const auto allocator = subject_.make(kDemand);
    LiveBlocks ledger(*allocator);
    const auto put = [&](std::size_t bytes) {
      void* const block = allocator->allocate(bytes);
      return block == nullptr ? refused(bytes) : ledger.add(block, bytes);
    };
    std::string failure;
    for (std::size_t bytes = 1; bytes < 5000 && failure.empty(); bytes = bytes * 3 + 1) failure = put(bytes);
    for (const std::size_t bytes : {SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, SIZE_MAX - 4096, SIZE_MAX - 1, SIZE_MAX})
      if (failure.empty() && allocator->allocate(bytes) != nullptr) failure = served(bytes);
    for (std::size_t bytes = 1; bytes < 5000 && failure.empty(); bytes = bytes * 3 + 1) failure = put(bytes);
    const std::string damage = release_all(*allocator, ledger);
    return failure.empty() ? damage : failure;
  }

  std::string largest_request() const {
    return in_each_arena([this](const Arena& arena) {
      const auto allocator = subject_.make(arena.demand);
      const std::size_t largest = allocator->largest_request();
      if (allocator->allocate(largest + 1) != nullptr) return served(largest + 1);
      void* const block = allocator->allocate(largest);
      if (block == nullptr) return refused(largest);
      LiveBlocks ledger(*allocator);
      ledger.add(block, largest);
      return release_all(*allocator, ledger);
    });
  }

  /// What an allocator with a fixed capacity is made in: a buffer of its own, or the first pages of one that it is
  /// given.
  struct Arena {
    Demand demand;
    bool contains(const void* block, std::size_t bytes) const {
      const auto* const begin = static_cast<const std::byte*>(block);
      const auto* const heap = static_cast<const std::byte*>(demand.heap);
      return heap == nullptr || (begin >= heap && begin + bytes <= heap + demand.heap_bytes);
    }
  };

  /// Small, so that filling one with the smallest blocks, many times, takes little time even where a free searches all
  /// free blocks.
  static constexpr Demand kSmallDemand{.bytes = 60'000, .blocks = 100};

  /// Calls check(arena) for some arenas; returns the first failure.
  template <typename Check>
  std::string in_each_arena(Check check) const {
    for (const std::size_t pages : {0, 32, 37, 63}) {
      const Buffer buffer(std::max<std::size_t>(pages, 1) * kPageBytes);
      Arena arena{kSmallDemand};
      if (pages > 0) {
        arena.demand.heap = buffer.begin();
        arena.demand.heap_bytes = buffer.bytes();
      }
      if (std::string failure = check(arena); !failure.empty())
        return pages == 0 ? failure : fmt::format("in a buffer of {} bytes: {}", buffer.bytes(), failure);
    }
    return "";
  }

  /// Sizes around every power of two up to the largest request, and some between.
  static std::vector<std::size_t> capacity_sizes(std::size_t largest) {
    std::vector<std::size_t> sizes = edge_sizes(largest);
    Random random(1);
    for (std::size_t power = 16; power <= largest / 2; power *= 2) sizes.push_back(random.between(power, 2 * power));
    std::erase_if(sizes, [&](std::size_t bytes) { return bytes > largest; });
    sizes.push_back(largest);
    return sizes;
  }

  /// Serves requests of `bytes` until the allocator refuses one. Returns "" if it was empty and served exactly as many
  /// as it reports.
  static std::string fill(AnyAllocator& allocator, const Arena& arena, std::size_t bytes, SizedBlocks& blocks) {
    const std::size_t expected = allocator.capacity(bytes);
    while (blocks.size() <= expected) {
      void* const block = allocator.allocate(bytes);
      if (block == nullptr) break;
      if (!arena.contains(allocator.address(block), bytes))
        return fmt::format("a block of {} bytes lies outside of the buffer that was given", bytes);
      blocks.emplace_back(block, bytes);
    }
    if (blocks.size() == expected) return "";
    return fmt::format("the capacity for requests of {} bytes is reported as {}, but the empty allocator served {}{}",
                       bytes, expected, blocks.size(), blocks.size() > expected ? " and more" : "");
  }

  std::string capacity() const {
    return in_each_arena([this](const Arena& arena) -> std::string {
      const std::size_t largest = subject_.make(arena.demand)->largest_request();
      for (const std::size_t bytes : {largest + 1, 2 * largest + 1, SIZE_MAX / 2 + 1, SIZE_MAX})
        if (const std::size_t count = subject_.make(arena.demand)->capacity(bytes); count != 0)
          return fmt::format("the capacity for requests of {} bytes, more than the largest, is reported as {}", bytes,
                             count);
      for (const std::size_t bytes : capacity_sizes(largest)) {
        const auto allocator = subject_.make(arena.demand);  // what frees leave behind is the next check's
        SizedBlocks blocks;
        std::string failure = fill(*allocator, arena, bytes, blocks);
        free_all(*allocator, blocks);
        if (!failure.empty()) return failure;
      }
      return "";
    });
  }

  /// The order in which blocks are freed.
  enum class Order { kFirstInFirstOut, kLastInFirstOut, kRandom, kEveryOther };

  static void reorder(SizedBlocks& blocks, Order order, Random& random) {
    switch (order) {
      case Order::kFirstInFirstOut:
        return;
      case Order::kLastInFirstOut:
        return std::reverse(blocks.begin(), blocks.end());
      case Order::kRandom:
        for (std::size_t left = blocks.size(); left > 1; --left)
          std::swap(blocks[left - 1], blocks[static_cast<std::size_t>(random.below(left))]);
        return;
      case Order::kEveryOther:
        std::stable_partition(blocks.begin(), blocks.end(), [i = 0](const auto&) mutable { return i++ % 2 == 0; });
    }
  }

  /// One allocator is filled over and over, with blocks of one size and of all sizes, and emptied in various orders.
  /// Each time it is empty, it has its first capacity.
  std::string first_state() const {
    return in_each_arena([this](const Arena& arena) -> std::string {
      const auto allocator = subject_.make(arena.demand);
      const std::size_t largest = allocator->largest_request();
      std::vector<std::size_t> sizes = capacity_sizes(largest);
      std::vector<std::size_t> capacities;
      for (const std::size_t bytes : sizes) capacities.push_back(allocator->capacity(bytes));
      Random random(1);
      const auto mixed = [&] {
        SizedBlocks blocks;
        for (;;) {
          const std::size_t bytes = random.between(0, std::min<std::size_t>(5000, largest));
          void* const block = allocator->allocate(bytes);
          if (block == nullptr) return blocks;
          blocks.emplace_back(block, bytes);
        }
      };
      for (const Order order : {Order::kRandom, Order::kFirstInFirstOut, Order::kLastInFirstOut, Order::kEveryOther}) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          SizedBlocks blocks = mixed();
          reorder(blocks, order, random);
          free_all(*allocator, blocks);
          if (allocator->largest_request() != largest || allocator->capacity(sizes[i]) != capacities[i])
            return "it reports another largest request or another capacity than at first";
          blocks.clear();
          const std::string failure = fill(*allocator, arena, sizes[i], blocks);
          reorder(blocks, order, random);
          free_all(*allocator, blocks);
          if (!failure.empty()) return "after all blocks were freed, " + failure;
        }
      }
      return "";
    });
  }

  std::string free_null() const {
    const auto allocator = subject_.make(kDemand);
    LiveBlocks ledger(*allocator);
    for (const std::size_t bytes : {24u, 24u, 600u}) {
      void* const block = allocator->allocate(bytes);
      const std::string failure = block == nullptr ? refused(bytes) : ledger.add(block, bytes);
      if (!failure.empty()) return failure;  // a double free would crash and hide the message
      allocator->free(nullptr, bytes);
    }
    return release_all(*allocator, ledger);
  }

  /// Repeats in one instance: as many random requests as the demand allows, then frees in random order.
  std::string freed_is_used_again() const {
    const auto allocator = subject_.make(kDemand);
    return unbounded_growth(kDemand.bytes / 2, [&]() -> std::string {
      Random random(1);
      SizedBlocks live;
      std::string failure;
      for (std::size_t left = kDemand.bytes; live.size() < kDemand.blocks && failure.empty();) {
        const std::size_t bytes = random_size(random, kSequences[0]);
        if (bytes > left) break;
        left -= bytes;
        if (void* const block = allocator->allocate(bytes)) {
          std::memset(allocator->address(block), 1, bytes);
          live.emplace_back(block, bytes);
        } else {
          failure = refused(bytes);
        }
      }
      for (; !live.empty(); live.pop_back()) {
        std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
        allocator->free(live.back().first, live.back().second);
      }
      return failure;
    });
  }

  /// Rounds that end in a reset with live blocks, and with freed ones if the allocator frees single blocks. After the
  /// reset all memory is available, and no two blocks overlap.
  std::string reset_frees_everything() const {
    const auto allocator = subject_.make(kDemand);
    std::uint64_t round = 0;
    return unbounded_growth(kDemand.bytes / 2, [&]() -> std::string {
      Random random(++round);
      LiveBlocks ledger(*allocator);
      std::size_t left = kDemand.bytes;
      const auto in_round = [&](const std::string& failure) {
        return failure.empty() ? "" : fmt::format("round {} in one instance: {}", round, failure);
      };
      for (std::size_t i = 0; i < kDemand.blocks; ++i) {
        const std::size_t bytes = random_size(random, kSequences[0]);
        if (bytes > left) break;
        void* const block = allocator->allocate(bytes);
        std::string failure = block == nullptr ? refused(bytes) : ledger.add(block, bytes);
        if (subject_.can.frees_blocks && failure.empty() && random.below(100) < 30) {
          failure = ledger.remove(block);
          allocator->free(block, bytes);
        }
        if (!failure.empty()) return in_round(failure);
        left -= bytes;
      }
      std::string failure;
      while (!ledger.empty() && failure.empty()) failure = ledger.remove(ledger.lowest().first);
      allocator->reset();
      return in_round(failure);
    });
  }

 private:
  Subject subject_;
};

}  // namespace

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject) {
  const Capabilities& can = subject.can;
  const struct {
    bool applies;
    const char* name;
    std::string (Checks::*check)() const;
  } rows[]{
      {true, "blocks are aligned as promised", &Checks::alignment},
      {true, "blocks are at least as large as requested", &Checks::block_sizes},
      {true, "no two blocks overlap", &Checks::no_overlap},
      {true, "contents are kept", &Checks::contents},
      {true, "requests within the demand succeed", &Checks::requests_succeed},
      {true, "blocks of every size neither overlap nor change", &Checks::every_size},
      {true, "requests of 0 bytes return distinct blocks", &Checks::empty_requests},
      {true, "a too large request returns null and changes nothing", &Checks::too_large},
      {can.fixed_capacity, "the largest request is as reported", &Checks::largest_request},
      {can.fixed_capacity, "the capacity is as reported", &Checks::capacity},
      {can.fixed_capacity, "freeing everything restores the initial state", &Checks::first_state},
      {can.frees_blocks, "freeing nullptr does nothing", &Checks::free_null},
      {can.frees_blocks && kMemoryIsMeasurable, "freed memory is reused", &Checks::freed_is_used_again},
      {can.resets, "reset frees everything", &Checks::reset_frees_everything},
      {static_cast<bool>(subject.identity_failure), "calls reach the wrapped allocator", &Checks::identity},
  };
  std::vector<bench::ConformanceCheck> checks;
  for (const auto& row : rows)
    if (row.applies)
      checks.push_back({row.name, [all = Checks(subject), check = row.check] { return (all.*check)(); }});
  return checks;
}

}  // namespace lab::allocator
