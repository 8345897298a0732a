/// Memory for a fixed number of objects of one type, side by side. What every pool of this folder stands on.
///
/// What the pools have in common: `Ref` is what a user keeps of an object, and Ref{} refers to none. `create(...)`
/// constructs an object and returns Ref{} if the pool is full; `destroy(ref)` ends it; `get(ref)` is its address.
/// `each(f)` calls f(object) for all that live, in the order of their slots. `update(f)` does so, too, and destroys
/// those for which f returns true. After construction no pool allocates, except where it says that it grows.
///
/// What is allowed from inside an object, in every pool:
/// - A constructor may create objects. A destructor and the function of a walk may also destroy others. A slot can be
///   used again as soon as its destructor has ended; until then the object counts in size(). In a pool that moves
///   objects (kMovesObjects) both ends with the begin of the destructor.
/// - An object is dead as soon as its destructor begins: handles to it are stale. A pool without stale handles must not
///   see it again.
/// - The function of a walk may destroy its own object, too, and then returns false. A walk visits no object that died
///   before its turn. It may or may not visit those that were created meanwhile. f may walk, too.
/// - A constructor may not destroy, and neither it nor a destructor may walk. In a pool that moves objects, a move
///   constructor and the destructor of what was moved away may not use it.
/// - A pool that ends destroys its objects until none lives, also those that destructors created.
/// Builds with assertions end the process at anything else (object_lives.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "variants/designs/objects/object_lives.h"

namespace lab::designs {

template <typename T>
class Slots {
 public:
  static_assert(sizeof(T) >= sizeof(void*), "a free slot holds a link");

  /// The memory is not touched.
  explicit Slots(std::size_t count)
      : count_(count), begin_(static_cast<std::byte*>(::operator new(count * sizeof(T), kAlignment))) {}
  ~Slots() { ::operator delete(begin_, kAlignment); }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T* at(std::size_t index) const { return reinterpret_cast<T*>(begin_ + index * sizeof(T)); }
  std::size_t index_of(const T* slot) const {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(slot) - begin_) / sizeof(T);
  }

 private:
  // A cache line, so that objects of 64 bytes have one each.
  static constexpr std::align_val_t kAlignment{alignof(T) > 64 ? alignof(T) : 64};

  std::size_t count_;
  std::byte* begin_;
};

/// Counts destructions, round and round, so that a walk sees that its function destroyed something. No member of an
/// object can be of this type, so the compiler need not read it again when an object was written.
enum class Destructions : std::uint32_t {};
inline void count(Destructions& destructions) {
  destructions = static_cast<Destructions>(static_cast<std::uint32_t>(destructions) + 1);
}

/// Begins the life of an object in a slot. Without arguments its members are not set. The constructor must not throw:
/// a pool has already marked the slot, and would have it in use for good.
template <typename T, typename... Arguments>
T* begin_life(T* slot, Arguments&&... arguments) {
  static_assert(std::is_nothrow_constructible_v<T, Arguments...>, "a constructor that throws leaves a marked slot");
  if constexpr (sizeof...(Arguments) == 0)
    return ::new (static_cast<void*>(slot)) T;
  else
    return ::new (static_cast<void*>(slot)) T(std::forward<Arguments>(arguments)...);
}

/// Ends all objects of a pool that is about to end, also those that destructors create.
template <typename Pool>
void end_all(Pool& pool, const ObjectLives& lives = {}) {
  using T = typename Pool::Object;
  if constexpr (!std::is_trivially_destructible_v<T>) {
    for (std::size_t passes = 0; pool.size() > 0; lives.ends_pool(++passes)) pool.update([](T&) { return true; });
  }
}

}  // namespace lab::designs
