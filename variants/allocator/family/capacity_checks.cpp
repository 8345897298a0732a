#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/request_sequences.h"

namespace lab::allocator {

namespace {

/// Small, so that filling one with the smallest blocks, many times, takes little time even where a free searches all
/// free blocks.
constexpr Demand kSmallDemand{.bytes = 60'000, .blocks = 100};

/// Calls check(demand) with a buffer of the allocator's own, or with the first pages of one that it is given. Returns
/// the first failure.
template <typename Check>
std::string in_each_arena(Check check) {
  for (const std::size_t pages : {0, 32, 37, 63}) {
    const Buffer buffer(std::max<std::size_t>(pages, 1) * kPageBytes);
    Demand demand = kSmallDemand;
    if (pages > 0) {
      demand.heap = buffer.begin();
      demand.heap_bytes = buffer.bytes();
    }
    if (std::string failure = check(demand); !failure.empty())
      return pages == 0 ? failure : fmt::format("in a buffer of {} bytes: {}", buffer.bytes(), failure);
  }
  return "";
}

/// Sizes around every power of two up to the largest request, and some between.
std::vector<std::size_t> capacity_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes = edge_sizes(largest);
  Random random(1);
  for (std::size_t power = 16; power <= largest / 2; power *= 2) sizes.push_back(random.between(power, 2 * power));
  std::erase_if(sizes, [&](std::size_t bytes) { return bytes > largest; });
  sizes.push_back(largest);
  return sizes;
}

/// Fills an allocator with blocks of random sizes.
SizedBlocks fill_mixed(AnyAllocator& allocator, std::size_t largest, Random& random) {
  SizedBlocks blocks;
  for (;;) {
    const std::size_t bytes = random.between(0, std::min<std::size_t>(5000, largest));
    void* const block = allocator.allocate(bytes);
    if (block == nullptr) return blocks;
    blocks.emplace_back(block, bytes);
  }
}

/// The order in which blocks are freed.
enum class Order { kFirstInFirstOut, kLastInFirstOut, kRandom, kEveryOther };

void reorder(SizedBlocks& blocks, Order order, Random& random) {
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

}  // namespace

std::string check_largest_request(const Subject& subject) {
  return in_each_arena([&](const Demand& demand) {
    const auto allocator = subject.make(demand);
    const std::size_t largest = allocator->largest_request();
    if (allocator->allocate(largest + 1) != nullptr) return served(largest + 1);
    LiveBlocks ledger(*allocator);
    const std::string failure = ledger.allocate(largest);
    return failure.empty() ? ledger.free_all() : failure;
  });
}

std::string check_capacity(const Subject& subject) {
  return in_each_arena([&](const Demand& demand) -> std::string {
    const std::size_t largest = subject.make(demand)->largest_request();
    for (const std::size_t bytes : {largest + 1, 2 * largest + 1, SIZE_MAX / 2 + 1, SIZE_MAX})
      if (const std::size_t count = subject.make(demand)->capacity(bytes); count != 0)
        return fmt::format("the capacity for requests of {} bytes, more than the largest, is reported as {}", bytes,
                           count);
    for (const std::size_t bytes : capacity_sizes(largest)) {
      const auto allocator = subject.make(demand);  // what frees leave behind is the next check's
      SizedBlocks blocks;
      std::string failure = fill(*allocator, demand, bytes, blocks);
      free_all(*allocator, blocks);
      if (!failure.empty()) return failure;
    }
    return "";
  });
}

std::string check_first_state(const Subject& subject) {
  return in_each_arena([&](const Demand& demand) -> std::string {
    const auto allocator = subject.make(demand);
    const std::size_t largest = allocator->largest_request();
    const std::vector<std::size_t> sizes = capacity_sizes(largest);
    std::vector<std::size_t> capacities;
    for (const std::size_t bytes : sizes) capacities.push_back(allocator->capacity(bytes));
    Random random(1);
    for (const Order order : {Order::kRandom, Order::kFirstInFirstOut, Order::kLastInFirstOut, Order::kEveryOther}) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        SizedBlocks blocks = fill_mixed(*allocator, largest, random);
        reorder(blocks, order, random);
        free_all(*allocator, blocks);
        if (allocator->largest_request() != largest || allocator->capacity(sizes[i]) != capacities[i])
          return "it reports another largest request or another capacity than at first";
        blocks.clear();
        const std::string failure = fill(*allocator, demand, sizes[i], blocks);
        reorder(blocks, order, random);
        free_all(*allocator, blocks);
        if (!failure.empty()) return "after all blocks were freed, " + failure;
      }
    }
    return "";
  });
}

}  // namespace lab::allocator
