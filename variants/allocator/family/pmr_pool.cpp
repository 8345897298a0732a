#include "variants/allocator/family/pmr_pool.h"

#include <fmt/format.h>

#include <array>

namespace lab::allocator {

void* CountingResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  ++requests_;
  last_bytes_ = bytes;
  return std::pmr::new_delete_resource()->allocate(bytes, alignment);
}

void CountingResource::do_deallocate(void* block, std::size_t bytes, std::size_t alignment) {
  std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
}

std::string pmr_version() {
  return fmt::format("libstdc++ {} ({})", _GLIBCXX_RELEASE, __GLIBCXX__);
}

std::string pmr_identity_failure(std::pmr::memory_resource& resource, const CountingResource& upstream) {
  constexpr std::size_t kBlocks = 1000, kBytes = 64;
  std::array<void*, kBlocks> blocks;
  const std::size_t before = upstream.requests();
  for (void*& block : blocks) block = observed(resource.allocate(kBytes));
  const std::size_t requests = upstream.requests() - before;
  for (void* const block : blocks) resource.deallocate(block, kBytes);
  return requests > 0 && requests < kBlocks / 10
             ? ""
             : fmt::format("{} blocks of {} bytes took {} requests to the upstream resource", kBlocks, kBytes,
                           requests);
}

std::size_t PoolBlockSizes::of(std::size_t bytes) {
  const bool pooled = bytes <= pool_.options().largest_required_pool_block;
  void* const first = pool_.allocate(bytes, kPoolAlignment);
  if (!pooled) {
    pool_.deallocate(first, bytes, kPoolAlignment);
    return upstream_.last_bytes();
  }
  void* const second = pool_.allocate(bytes, kPoolAlignment);
  const std::ptrdiff_t apart = static_cast<std::byte*>(second) - static_cast<std::byte*>(first);
  pool_.deallocate(second, bytes, kPoolAlignment);
  pool_.deallocate(first, bytes, kPoolAlignment);
  return static_cast<std::size_t>(apart);
}

}  // namespace lab::allocator
