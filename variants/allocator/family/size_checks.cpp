#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/request_sequences.h"

namespace lab::allocator {

namespace {

/// check_block_sizes() for one size.
std::string check_blocks_around(const Subject& subject, std::size_t bytes) {
  const auto allocator = subject.make({.bytes = std::size_t{2} << 20, .blocks = 30});
  LiveBlocks ledger(*allocator);
  std::string failure;
  const auto put = [&](std::size_t wanted) {
    void* const block = allocator->allocate(wanted);
    failure = block == nullptr ? refused(wanted) : ledger.add(block, wanted);
    if (!failure.empty()) return block;
    if (const std::size_t occupied = allocator->occupied(block, wanted); occupied < wanted)
      failure = fmt::format("occupied() of a block of {} bytes is {}", wanted, occupied);
    return block;
  };
  std::vector<void*> blocks;
  while (blocks.size() < 9 && failure.empty()) blocks.push_back(put(bytes));
  if (subject.can.frees_blocks) {
    for (std::size_t i = 1; i < 9 && failure.empty(); i += 2) {
      ledger.remove(blocks[i]);
      allocator->free(blocks[i], bytes);
    }
  }
  for (const std::size_t next : {2 * bytes, bytes + bytes / 2, bytes + 1, bytes, bytes / 2})
    for (int i = 0; i < 3 && failure.empty(); ++i) put(next);
  ledger.free_all();
  return failure;
}

}  // namespace

std::string check_alignment(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  SizedBlocks blocks;
  std::string failure;
  for (const std::size_t bytes : edge_sizes(kCheckDemand.bytes / 16)) {
    blocks.emplace_back(allocator->allocate(bytes), bytes);
    failure = misaligned(*allocator, blocks.back().first, bytes);
    if (!failure.empty()) break;
  }
  free_all(*allocator, blocks);
  if (failure.empty()) failure = sweep_sizes(subject, Fill::kNo).alignment;
  return failure.empty() ? replace_blocks(subject, Fill::kNo).alignment : failure;
}

std::string check_block_sizes(const Subject& subject) {
  std::vector<std::size_t> sizes = edge_sizes(kCheckDemand.bytes / 16);
  for (std::size_t bytes = 3; bytes < 600; bytes += 7) sizes.push_back(bytes);
  for (const std::size_t size : sizes)
    if (std::string failure = check_blocks_around(subject, std::max<std::size_t>(size, 2)); !failure.empty())
      return failure;
  return "";
}

std::string check_every_size(const Subject& subject) {
  const Found found = sweep_sizes(subject, Fill::kYes);
  return !found.refusal.empty() ? found.refusal : !found.overlap.empty() ? found.overlap : found.contents;
}

std::string check_empty_requests(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  void* const first = allocator->allocate(0);
  void* const second = allocator->allocate(0);
  if (subject.can.frees_blocks) {
    allocator->free(first, 0);
    if (second != first) allocator->free(second, 0);
  }
  if (first == nullptr || second == nullptr) return refused(0);
  return first == second ? "two live blocks of 0 bytes have the same address" : "";
}

std::string check_too_large_requests(const Subject& subject) {
  const auto allocator = subject.make(kCheckDemand);
  LiveBlocks ledger(*allocator);
  std::string failure;
  const auto put_some = [&] {
    for (std::size_t bytes = 1; bytes < 5000 && failure.empty(); bytes = bytes * 3 + 1)
      failure = ledger.allocate(bytes);
  };
  put_some();
  for (const std::size_t bytes : {SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, SIZE_MAX - 4096, SIZE_MAX - 1, SIZE_MAX})
    if (failure.empty() && allocator->allocate(bytes) != nullptr) failure = served(bytes);
  put_some();
  const std::string damage = ledger.free_all();
  return failure.empty() ? damage : failure;
}

}  // namespace lab::allocator
