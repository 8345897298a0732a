#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/request_sequences.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

std::string check_free_null(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  LiveBlocks ledger(*allocator);
  for (const std::size_t bytes : {24u, 24u, 600u}) {
    // A double free would crash and hide the message.
    if (std::string failure = ledger.allocate(bytes); !failure.empty()) return failure;
    allocator->free(nullptr, bytes);
  }
  return ledger.free_all();
}

std::string check_freed_is_used_again(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  return unbounded_growth(kCheckDemand.bytes / 2, [&]() -> std::string {
    Random random(1);
    SizedBlocks live;
    std::string failure;
    for (std::size_t left = kCheckDemand.bytes; live.size() < kCheckDemand.blocks && failure.empty();) {
      const std::size_t bytes = random_size(random);
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

std::string check_reset_frees_everything(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  std::uint64_t round = 0;
  return unbounded_growth(kCheckDemand.bytes / 2, [&]() -> std::string {
    Random random(++round);
    LiveBlocks ledger(*allocator);
    std::string failure;
    std::size_t left = kCheckDemand.bytes;
    for (std::size_t i = 0; i < kCheckDemand.blocks && failure.empty(); ++i) {
      const std::size_t bytes = random_size(random);
      if (bytes > left) break;
      void* const block = allocator->allocate(bytes);
      failure = block == nullptr ? refused(bytes) : ledger.add(block, bytes);
      if (subject.can.frees_blocks && failure.empty() && random.below(100) < 30) {
        failure = ledger.remove(block);
        allocator->free(block, bytes);
      }
      left -= bytes;
    }
    if (failure.empty()) {
      failure = ledger.remove_all();
      allocator->reset();
    }
    return failure.empty() ? "" : fmt::format("round {} in one instance: {}", round, failure);
  });
}

}  // namespace lab::allocator
