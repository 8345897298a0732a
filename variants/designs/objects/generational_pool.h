/// A free-list pool behind handles: each use of a slot has a generation, so that a handle to a destroyed object is
/// found to be stale, also when the slot is in use again. O(1). A slot must be used 2^31 times before an old handle
/// matches. From inside an object: what slots.h says; its own handle is stale in its destructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/objects/object_handle.h"
#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <typename T>
class GenerationalPool {
 public:
  using Object = T;
  using Ref = ObjectHandle;
  static constexpr bool kObjectsMayAct = true;  ///< as slots.h says
  static constexpr bool kFindsStale =
      true;  ///< get() of a destroyed object's handle is null, and destroy() does nothing

  explicit GenerationalPool(std::size_t capacity) : slots_(capacity), generations_(capacity, 0) {}
  ~GenerationalPool() { end_all(*this, lives_); }

  template <typename... Arguments>
  ObjectHandle create(Arguments&&... arguments) {
    std::uint32_t index;
    if (first_ != kNone) {
      index = first_;
      std::memcpy(&first_, static_cast<void*>(slots_.at(index)), sizeof first_);
    } else if (touched_ < slots_.count()) {
      index = touched_++;
    } else {
      return {};
    }
    ++size_;
    const ObjectLives::Scope scope(lives_, LifePart::kBegins, slots_.at(index));
    begin_life(slots_.at(index), std::forward<Arguments>(arguments)...);
    return {index, ++generations_[index]};
  }
  void destroy(ObjectHandle handle) {
    if (T* const object = get(handle); object != nullptr) end(handle.index, object);
  }
  T* get(ObjectHandle handle) const {
    // An even generation is no handle: after 2^31 uses that of a free slot is 0 again, as in Ref{}.
    if (handle.index >= touched_ || handle.generation % 2 == 0) return nullptr;
    return generations_[handle.index] == handle.generation ? slots_.at(handle.index) : nullptr;
  }

  template <typename F>
  void each(F&& f) {
    const ObjectLives::Scope scope(lives_, LifePart::kWalk);
    for (std::uint32_t index = 0; index < touched_; ++index)
      if (generations_[index] % 2 != 0) f(*slots_.at(index));
  }
  template <typename F>
  void update(F&& f) {
    ObjectLives::Scope scope(lives_, LifePart::kWalk);
    for (std::uint32_t index = 0; index < touched_; ++index) {
      if (generations_[index] % 2 == 0) continue;
      T& object = *slots_.at(index);
      scope.visits(&object);
      if (!f(object)) continue;
      scope.ends_visited();
      end(index, &object);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.count(); }
  std::size_t memory_bytes() const {
    return slots_.bytes() + generations_.size() * sizeof(std::uint32_t) + sizeof(*this);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void end(std::uint32_t index, T* object) {
    ++generations_[index];  // first: what the destructor does must not find the object
    lives_.destroys(object, true);
    {
      const ObjectLives::Scope scope(lives_, LifePart::kEnds, object);
      std::destroy_at(object);
    }
    std::memcpy(static_cast<void*>(object), &first_, sizeof first_);
    first_ = index;
    --size_;
  }

  Slots<T> slots_;
  std::vector<std::uint32_t> generations_;  // odd: in use
  std::uint32_t first_ = kNone, touched_ = 0;
  std::size_t size_ = 0;
  [[no_unique_address]] ObjectLives lives_;
};

}  // namespace lab::designs
