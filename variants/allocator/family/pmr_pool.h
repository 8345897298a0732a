/// A pool of the standard library's memory resources. They throw where an allocator of this family returns nullptr.
///
/// libstdc++ 12 does not keep an alignment that does not divide the size: a request of 17 bytes aligned to 16 gets a
/// block of its pool of 24 bytes. So each request is rounded up to the alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <string>

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

inline constexpr std::size_t kPoolAlignment = alignof(std::max_align_t);

/// What a pool is asked for a request of `bytes`.
constexpr std::size_t pool_bytes(std::size_t bytes) {
  return (bytes + kPoolAlignment - 1) & ~(kPoolAlignment - 1);
}

/// Passes requests on to new and delete, and remembers what it was asked.
class CountingResource : public std::pmr::memory_resource {
 public:
  std::size_t requests() const { return requests_; }
  std::size_t last_bytes() const { return last_bytes_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t requests_ = 0, last_bytes_ = 0;
};

/// The version of the standard library.
std::string pmr_version();

/// "", or how a resource over `upstream` fails to be one that serves many blocks of one size with few requests to it.
std::string pmr_identity_failure(std::pmr::memory_resource& resource, const CountingResource& upstream);

/// The block size of a pool, measured with a pool of its own: two blocks that are allocated one after the other from an
/// empty pool are neighbours. Above the largest pool, what is asked of the upstream resource.
class PoolBlockSizes {
 public:
  /// `bytes` is a multiple of kPoolAlignment.
  std::size_t of(std::size_t bytes);

 private:
  CountingResource upstream_;
  std::pmr::unsynchronized_pool_resource pool_{&upstream_};
};

template <typename Pool>
class PmrPool {
 public:
  explicit PmrPool(const Demand&) {}

  void* allocate(std::size_t bytes) {
    try {
      return bytes > kMostBytes ? nullptr : pool_.allocate(pool_bytes(bytes), kPoolAlignment);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  void free(void* block, std::size_t bytes) {
    if (block != nullptr) pool_.deallocate(block, pool_bytes(bytes), kPoolAlignment);
  }

  std::size_t alignment(std::size_t) const { return kPoolAlignment; }
  std::size_t occupied(const void*, std::size_t bytes) { return sizes_.of(pool_bytes(bytes)); }

  static std::string version() { return pmr_version(); }
  static std::string identity_failure() {
    CountingResource upstream;
    Pool pool(&upstream);
    return pmr_identity_failure(pool, upstream);
  }

 private:
  // A process has 2^47 bytes of addresses. The address sanitizer would end it at a throwing new of more.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 47;

  Pool pool_{std::pmr::new_delete_resource()};
  PoolBlockSizes sizes_;
};

}  // namespace lab::allocator
