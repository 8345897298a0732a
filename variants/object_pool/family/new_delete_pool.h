/// The C library's new and delete behind the interface of a pool.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <new>
#include <utility>

#include "variants/designs/objects/slots.h"

namespace lab::object_pool {

template <typename T>
class NewDeletePool {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "operator new(size) gives no more");

 public:
  using Object = T;
  using Ref = T*;
  static constexpr bool kIsHeap = true;

  /// `capacity` is a limit and takes no memory.
  explicit NewDeletePool(std::size_t capacity) : capacity_(capacity) {}

  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    if (size_ == capacity_) return nullptr;
    ++size_;
    return designs::begin_life(static_cast<T*>(::operator new(sizeof(T))), std::forward<Arguments>(arguments)...);
  }
  void destroy(T* object) {
    --size_;
    delete object;
  }
  T* get(T* object) const { return object; }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  /// Of the live objects: the bytes that malloc took for each, with its header. What it holds free is not known here.
  std::size_t memory_bytes() const { return size_ * occupied(); }

 private:
  static std::size_t occupied() {
    static const std::size_t bytes = [] {
      void* const block = ::operator new(sizeof(T));
      const std::size_t usable = malloc_usable_size(block);
      ::operator delete(block);
      return usable + sizeof(std::size_t);
    }();
    return bytes;
  }

  std::size_t capacity_, size_ = 0;
};

}  // namespace lab::object_pool
