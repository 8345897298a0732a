/// The checks of --conformance for an allocator. Checks of a capability run only if the allocator has it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/allocator.h"
#include "variants/common/growth.h"

namespace lab::allocator {

/// Tracks live blocks: their address ranges and the pattern written to each.
class Ledger {
 public:
  struct Entry {
    std::size_t bytes;
    std::uint64_t pattern;
  };

  /// Fills the whole block with its own pattern. Returns "", or which live block it overlaps.
  std::string add(void* begin, std::size_t bytes);
  /// Removes the block at `begin`. Returns "", or how its contents differ from the pattern.
  std::string remove(void* begin);

  bool empty() const { return blocks_.empty(); }
  /// The block at the lowest address; there must be one.
  std::pair<void*, Entry> lowest() const;

 private:
  std::map<std::uintptr_t, Entry> blocks_;
  std::uint64_t patterns_ = 0;
};

/// Returns its argument. The call is opaque to the compiler, which could otherwise remove an unused allocation.
void* observed(void* block);

/// Zero and the sizes around each power of two (usual boundaries of size classes), up to about `largest`.
std::vector<std::size_t> edge_sizes(std::size_t largest);

/// Every size up to a page. From there to 128 KiB, the sizes around four evenly spaced points per power of two. Blocks
/// of one group are live together.
std::vector<std::vector<std::size_t>> swept_sizes();

/// Failure messages; the first two return "" if nothing is wrong.
std::string misaligned(const void* block, std::size_t bytes, std::size_t alignment);
std::string too_small(std::size_t bytes, std::size_t occupied);
std::string refused(std::size_t bytes);
std::string served(std::size_t bytes);

/// The checks; each constructs its own allocators. A check returns what is wrong, or "".
template <Allocator A>
class AllocatorChecks {
 public:
  static std::vector<bench::ConformanceCheck> checks() {
    std::vector<bench::ConformanceCheck> checks{
        {"blocks are aligned as promised", alignment},
        {"blocks are at least as large as requested", block_sizes},
        {"no two blocks overlap", [] { return run_sequences().overlap; }},
        {"contents are kept", [] { return run_sequences().contents; }},
        {"requests within the demand succeed", [] { return run_sequences(false).refusal; }},
        {"blocks of every size neither overlap nor change", every_size},
        {"requests of 0 bytes return distinct blocks", empty_requests},
        {"a too large request returns null and changes nothing", too_large}};
    if constexpr (FixedCapacity<A>) {
      checks.push_back({"the largest request is as reported", largest_request});
      checks.push_back({"freeing everything restores the initial state", first_state});
    }
    if constexpr (FreesBlocks<A>) checks.push_back({"freeing nullptr does nothing", free_null});
    if constexpr (FreesBlocks<A> && kMemoryIsMeasurable)
      checks.push_back({"freed memory is reused", freed_is_used_again});
    if constexpr (Resets<A>) checks.push_back({"reset frees everything", reset_frees_everything});
    if constexpr (ThirdParty<A>)
      checks.push_back({"calls reach the wrapped allocator", [] { return A::identity_failure(); }});
    return checks;
  }

 private:
  static constexpr Demand kDemand{.bytes = std::size_t{1} << 20, .blocks = 1000};

  static void* allocate(A& allocator, std::size_t bytes) { return observed(allocator.allocate(bytes)); }

  using SizedBlocks = std::vector<std::pair<void*, std::size_t>>;

  static void free_all(A& allocator, const SizedBlocks& blocks) {
    if constexpr (FreesBlocks<A>) {
      for (const auto& [block, bytes] : blocks) free_block(allocator, block, bytes);
    } else {
      allocator.reset();
    }
  }

  /// Frees every block of the ledger. Returns the first difference in contents, or "".
  static std::string release_all(A& allocator, Ledger& ledger) {
    std::string failure;
    while (!ledger.empty()) {
      const auto [block, entry] = ledger.lowest();
      std::string found = ledger.remove(block);
      if (failure.empty()) failure = std::move(found);
      if constexpr (FreesBlocks<A>) free_block(allocator, block, entry.bytes);
    }
    if constexpr (!FreesBlocks<A>) allocator.reset();
    return failure;
  }

  /// Alignment at the edge sizes, at every size, and after random frees.
  static std::string alignment() {
    A allocator(kDemand);
    SizedBlocks blocks;
    std::string failure;
    for (const std::size_t bytes : edge_sizes(kDemand.bytes / 16)) {
      blocks.emplace_back(allocate(allocator, bytes), bytes);
      failure = wrong_alignment(allocator, blocks.back().first, bytes);
      if (!failure.empty()) break;
    }
    free_all(allocator, blocks);
    if (failure.empty()) failure = sweep(false).alignment;
    return failure.empty() ? run_sequences(false).alignment : failure;
  }

  static std::string wrong_alignment(A& allocator, void* block, std::size_t bytes) {
    return block == nullptr ? refused(bytes) : misaligned(block, bytes, allocator.alignment(bytes));
  }

  /// Allocates blocks of each size, frees some, and allocates larger and smaller ones: a block that was put into the
  /// free list of a wrong size would overlap its neighbour.
  static std::string block_sizes() {
    std::vector<std::size_t> sizes = edge_sizes(kDemand.bytes / 16);
    for (std::size_t bytes = 3; bytes < 600; bytes += 7) sizes.push_back(bytes);
    std::string failure;
    for (const std::size_t size : sizes) {
      A allocator({.bytes = std::size_t{2} << 20, .blocks = 30});
      Ledger ledger;
      const std::size_t bytes = std::max<std::size_t>(size, 2);
      const auto put = [&](std::size_t wanted) {
        void* const block = allocate(allocator, wanted);
        failure = block == nullptr ? refused(wanted) : ledger.add(block, wanted);
        if (failure.empty()) failure = too_small(wanted, allocator.occupied(block, wanted));
        return block;
      };
      std::vector<void*> blocks;
      while (blocks.size() < 9 && failure.empty()) blocks.push_back(put(bytes));
      if constexpr (FreesBlocks<A>) {
        for (std::size_t i = 1; i < 9 && failure.empty(); i += 2) {
          ledger.remove(blocks[i]);
          free_block(allocator, blocks[i], bytes);
        }
      }
      for (const std::size_t next : {2 * bytes, bytes + bytes / 2, bytes + 1, bytes, bytes / 2})
        for (int i = 0; i < 3 && failure.empty(); ++i) put(next);
      release_all(allocator, ledger);
      if (!failure.empty()) return failure;
    }
    return "";
  }

  static std::string every_size() {
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
  static Found run_sequences(bool filled = true) {
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

  static Found run_sequence(const Sequence& sequence, bool filled) {
    A allocator(sequence.demand);
    Random random(1);
    Ledger ledger;
    Found found;
    SizedBlocks live;
    std::size_t live_bytes = 0;
    for (int i = 0; i < sequence.steps && !found.any(); ++i) {
      const std::size_t bytes = random_size(random, sequence);
      if (live_bytes + bytes > sequence.demand.bytes || live.size() == sequence.demand.blocks ||
          (FreesBlocks<A> && !live.empty() && random.below(100) < 45)) {
        if constexpr (FreesBlocks<A>) {
          std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
          const auto [block, freed] = live.back();
          live.pop_back();
          if (filled) found.contents = ledger.remove(block);
          free_block(allocator, block, freed);
          live_bytes -= freed;
        } else {
          found.contents = release_all(allocator, ledger);
          live.clear();
          live_bytes = 0;
        }
      } else if (void* const block = allocate(allocator, bytes)) {
        if (filled)
          found.overlap = ledger.add(block, bytes);
        else
          found.alignment = wrong_alignment(allocator, block, bytes);
        live.emplace_back(block, bytes);
        live_bytes += bytes;
      } else {
        found.refusal = refused(bytes);
      }
    }
    if (!filled) free_all(allocator, live);
    std::string last = release_all(allocator, ledger);
    if (found.contents.empty()) found.contents = std::move(last);
    return found;
  }

  /// `filled` as in run_sequences().
  static Found sweep(bool filled = true) {
    for (const std::vector<std::size_t>& sizes : swept_sizes())
      if (Found found = sweep(sizes, filled); found.any()) return found;
    return {};
  }

  /// Several blocks of each size, all live at once; then half of them are freed and allocated again in another order.
  static Found sweep(const std::vector<std::size_t>& sizes, bool filled) {
    const std::size_t each = sizes.front() < kPageBytes / 2 ? 4 : 2;  // large blocks take most of the time
    const std::size_t bytes = each * std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    A allocator({.bytes = bytes + bytes / 4, .blocks = each * sizes.size()});
    Ledger ledger;
    Found found;
    SizedBlocks live;
    const auto put = [&](std::size_t wanted) {
      if constexpr (FixedCapacity<A>)
        if (wanted > allocator.largest_request()) return;
      void* const block = allocate(allocator, wanted);
      if (block == nullptr)
        found.refusal = refused(wanted);
      else if (!filled)
        found.alignment = wrong_alignment(allocator, block, wanted);
      else
        found.overlap = ledger.add(block, wanted);
      if (block != nullptr && found.overlap.empty()) live.emplace_back(block, wanted);
    };
    for (const std::size_t size : sizes)
      for (std::size_t i = 0; i < each && !found.any(); ++i) put(size);
    if constexpr (FreesBlocks<A>) {
      const auto free_checked = [&](std::pair<void*, std::size_t> block) {
        std::string changed = filled ? ledger.remove(block.first) : "";
        if (found.contents.empty()) found.contents = std::move(changed);
        free_block(allocator, block.first, block.second);
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
      found.contents = release_all(allocator, ledger);
    }
    return found;
  }

  static std::string empty_requests() {
    A allocator(kDemand);
    void* const first = allocate(allocator, 0);
    void* const second = allocate(allocator, 0);
    const std::string failure = first == nullptr || second == nullptr ? refused(0)
                                : first == second ? "two live blocks of 0 bytes have the same address"
                                                  : "";
    if constexpr (FreesBlocks<A>) {
      free_block(allocator, first, 0);
      if (second != first) free_block(allocator, second, 0);
    }
    return failure;
  }

  static std::string too_large() {
    A allocator(kDemand);
    Ledger ledger;
    const auto put = [&](std::size_t bytes) {
      void* const block = allocate(allocator, bytes);
      return block == nullptr ? refused(bytes) : ledger.add(block, bytes);
    };
    std::string failure;
    for (std::size_t bytes = 1; bytes < 5000 && failure.empty(); bytes = bytes * 3 + 1) failure = put(bytes);
    for (const std::size_t bytes : {SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, SIZE_MAX - 4096, SIZE_MAX - 1, SIZE_MAX})
      if (failure.empty() && allocate(allocator, bytes) != nullptr) failure = served(bytes);
    for (std::size_t bytes = 1; bytes < 5000 && failure.empty(); bytes = bytes * 3 + 1) failure = put(bytes);
    const std::string damage = release_all(allocator, ledger);
    return failure.empty() ? damage : failure;
  }

  static std::string largest_request() {
    A allocator(kDemand);
    const std::size_t largest = allocator.largest_request();
    if (allocate(allocator, largest + 1) != nullptr) return served(largest + 1);
    void* const block = allocate(allocator, largest);
    if (block == nullptr) return refused(largest);
    Ledger ledger;
    ledger.add(block, largest);
    return release_all(allocator, ledger);
  }

  /// After the allocator was full and everything was freed, the same requests return the same addresses as at first.
  static std::string first_state() {
    A allocator(kDemand);
    const auto fill = [&](std::uint64_t seed, std::vector<void*>* addresses) {
      Random random(seed);
      SizedBlocks blocks;
      for (;;) {
        const std::size_t bytes = random.between(0, 5000);
        void* const block = allocate(allocator, bytes);
        if (addresses != nullptr) addresses->push_back(block);
        if (block == nullptr) break;
        blocks.emplace_back(block, bytes);
      }
      // In random order: the final state must not depend on the order of the frees.
      for (std::size_t left = blocks.size(); left > 1; --left)
        std::swap(blocks[left - 1], blocks[static_cast<std::size_t>(random.below(left))]);
      free_all(allocator, blocks);
    };
    std::vector<void*> first, again;
    fill(1, &first);
    fill(2, nullptr);
    fill(1, &again);
    if (first.size() != again.size()) return "it serves another number of requests than at first";
    if (first != again) return "the same requests return other addresses than at first";
    const std::size_t largest = allocator.largest_request();
    return allocate(allocator, largest) == nullptr ? refused(largest) : "";
  }

  static std::string free_null() {
    A allocator(kDemand);
    Ledger ledger;
    for (const std::size_t bytes : {24u, 24u, 600u}) {
      void* const block = allocate(allocator, bytes);
      const std::string failure = block == nullptr ? refused(bytes) : ledger.add(block, bytes);
      if (!failure.empty()) return failure;  // a double free would crash and hide the message
      free_block(allocator, observed(nullptr), bytes);
    }
    return release_all(allocator, ledger);
  }

  /// Repeats in one instance: as many random requests as the demand allows, then frees in random order.
  static std::string freed_is_used_again() {
    A allocator(kDemand);
    return unbounded_growth(kDemand.bytes / 2, [&]() -> std::string {
      Random random(1);
      SizedBlocks live;
      std::string failure;
      for (std::size_t left = kDemand.bytes; live.size() < kDemand.blocks && failure.empty();) {
        const std::size_t bytes = random_size(random, kSequences[0]);
        if (bytes > left) break;
        left -= bytes;
        if (void* const block = allocate(allocator, bytes)) {
          std::memset(block, 1, bytes);
          live.emplace_back(block, bytes);
        } else {
          failure = refused(bytes);
        }
      }
      for (; !live.empty(); live.pop_back()) {
        std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
        free_block(allocator, live.back().first, live.back().second);
      }
      return failure;
    });
  }

  /// Rounds that end in a reset with live blocks, and with freed ones if the allocator frees single blocks. After the
  /// reset all memory is available, and no two blocks overlap.
  static std::string reset_frees_everything() {
    A allocator(kDemand);
    std::uint64_t round = 0;
    return unbounded_growth(kDemand.bytes / 2, [&]() -> std::string {
      Random random(++round);
      Ledger ledger;
      std::size_t left = kDemand.bytes;
      const auto in_round = [&](const std::string& failure) {
        return failure.empty() ? "" : fmt::format("round {} in one instance: {}", round, failure);
      };
      for (std::size_t i = 0; i < kDemand.blocks; ++i) {
        const std::size_t bytes = random_size(random, kSequences[0]);
        if (bytes > left) break;
        void* const block = allocate(allocator, bytes);
        std::string failure = block == nullptr ? refused(bytes) : ledger.add(block, bytes);
        if constexpr (FreesBlocks<A>) {
          if (failure.empty() && random.below(100) < 30) {
            failure = ledger.remove(block);
            free_block(allocator, block, bytes);
          }
        }
        if (!failure.empty()) return in_round(failure);
        left -= bytes;
      }
      std::string failure;
      while (!ledger.empty() && failure.empty()) failure = ledger.remove(ledger.lowest().first);
      allocator.reset();
      return in_round(failure);
    });
  }
};

}  // namespace lab::allocator
