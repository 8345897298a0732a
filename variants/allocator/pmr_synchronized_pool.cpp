#include "variants/allocator/family/pmr_pool.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class PmrSynchronizedPool : public PmrPool<std::pmr::synchronized_pool_resource> {
 public:
  static constexpr bool kThreadSafe = true;
  static constexpr bool kFreesOfOthersTakeLong = true;
  using PmrPool::PmrPool;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::PmrSynchronizedPool>(
      LAB_VARIANT,
      {.idea = "The C++ standard library's pools for many threads: each thread has its own pools, behind one lock for "
               "readers and writers.",
       .cost = "As pmr_unsynchronized_pool, and a shared lock for each call.",
       .source = "std::pmr::synchronized_pool_resource of C++17, in libstdc++",
       .weakness = "The same as pmr_unsynchronized_pool; a free from another thread takes the lock alone."});
}
