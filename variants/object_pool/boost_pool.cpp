#include <boost/pool/pool.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#include "variants/designs/objects/slots.h"
#include "variants/object_pool/family/registration.h"

namespace {

/// The bytes of the last block that a pool took. boost::pool does not say it, and has one block here.
std::size_t last_block_bytes = 0;

struct CountedMemory {
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  static char* malloc(size_type bytes) {
    last_block_bytes = bytes;
    return new char[bytes];
  }
  static void free(char* block) { delete[] block; }
};

template <typename T>
class BoostPool {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "the blocks have no more");

 public:
  using Object = T;
  using Ref = T*;

  explicit BoostPool(std::size_t capacity) : capacity_(capacity), pool_(sizeof(T), capacity, capacity) {}

  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    if (size_ == capacity_) return nullptr;
    void* const slot = pool_.malloc();
    if (bytes_ == 0) bytes_ = last_block_bytes;
    ++size_;
    return lab::designs::begin_life(static_cast<T*>(slot), std::forward<Arguments>(arguments)...);
  }
  void destroy(T* object) {
    std::destroy_at(object);
    pool_.free(object);
    --size_;
  }
  T* get(T* object) const { return object; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t memory_bytes() const { return bytes_ + sizeof(*this); }

 private:
  std::size_t capacity_, size_ = 0, bytes_ = 0;
  boost::pool<CountedMemory> pool_;
};

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<BoostPool>(
      LAB_VARIANT,
      {.idea = "boost::pool with a first block of the capacity: a list of free chunks without order.",
       .cost = "O(1). The first creation links all chunks of the block.",
       .source = "Boost.Pool 1.81, boost::pool::malloc and free",
       .weakness = "Knows no list of what lives. boost::object_pool, which does, destroys in O(n)."},
      {.in_use = "not known to the pool"});
}
