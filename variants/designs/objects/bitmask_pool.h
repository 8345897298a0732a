/// A pool that marks its free slots in two levels of 64-bit words, and always takes the lowest one. So what lives moves
/// to the front as objects come and go, and a walk reads few lines. Ours.
///
/// Creation is O(1) but for the words of the upper level, one for 4,096 slots: a hint says below which all are full.
/// A walk reads a word for 64 slots. From inside an object: what slots.h says; no handle is ever stale.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <typename T>
class BitmaskPool {
 public:
  using Object = T;
  using Ref = T*;
  static constexpr bool kObjectsMayAct = true;  ///< as slots.h says

  explicit BitmaskPool(std::size_t capacity)
      : slots_(capacity), free_((capacity + 63) / 64, ~std::uint64_t{0}), upper_((free_.size() + 63) / 64) {
    if (capacity % 64 != 0) free_.back() = (std::uint64_t{1} << capacity % 64) - 1;
    for (std::size_t word = 0; word < free_.size(); ++word) upper_[word / 64] |= bit(word);
  }
  ~BitmaskPool() { end_all(*this, lives_); }

  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    while (hint_ < upper_.size() && upper_[hint_] == 0) ++hint_;
    if (hint_ == upper_.size()) return nullptr;
    const std::size_t word = hint_ * 64 + lowest(upper_[hint_]);
    const std::size_t index = word * 64 + lowest(free_[word]);
    free_[word] &= free_[word] - 1;
    if (free_[word] == 0) upper_[hint_] &= ~bit(word);
    ++size_;
    const ObjectLives::Scope scope(lives_, LifePart::kBegins, slots_.at(index));
    return begin_life(slots_.at(index), std::forward<Arguments>(arguments)...);
  }
  void destroy(T* object) {
    count(destroyed_);
    end(object);
  }
  T* get(T* object) const { return object; }

  template <typename F>
  void each(F&& f) {
    const ObjectLives::Scope scope(lives_, LifePart::kWalk);
    walk(f);
  }
  template <typename F>
  void update(F&& f) {
    ObjectLives::Scope scope(lives_, LifePart::kWalk);
    walk([&](T& object) {
      scope.visits(&object);
      if (!f(object)) return;
      scope.ends_visited();
      end(&object);
    });
    count(destroyed_);  // for a walk around this one
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.count(); }
  std::size_t memory_bytes() const {
    return slots_.bytes() + (free_.size() + upper_.size()) * sizeof(std::uint64_t) + sizeof(*this);
  }

 private:
  static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << index % 64; }
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  bool is_used(std::size_t index) const { return (free_[index / 64] & bit(index)) == 0; }
  void end(T* object) {
    const std::size_t index = slots_.index_of(object), word = index / 64;
    lives_.destroys(object, is_used(index));
    {
      const ObjectLives::Scope scope(lives_, LifePart::kEnds, object);
      std::destroy_at(object);
    }
    free_[word] |= bit(index);
    upper_[word / 64] |= bit(word);
    if (word / 64 < hint_) hint_ = word / 64;
    --size_;
  }
  // Looks again where something was destroyed: f may do that with those that follow.
  template <typename F>
  void walk(F&& f) {
    for (std::size_t word = 0; word < free_.size(); ++word) {
      const std::size_t first = word * 64;
      std::uint64_t used = used_of(word);
      Destructions before = destroyed_;
      if (used == ~std::uint64_t{0}) {
        std::size_t index = first;
        while (index < first + 64 && destroyed_ == before) f(*slots_.at(index++));
        if (destroyed_ == before) continue;
        used = index == first + 64 ? 0 : ~std::uint64_t{0} << index % 64 & used_of(word);
        before = destroyed_;
      }
      for (; used != 0; used &= used - 1) {
        f(*slots_.at(first + lowest(used)));
        if (destroyed_ == before) continue;
        used &= ~free_[word] | (used & -used);
        before = destroyed_;
      }
    }
  }
  // Bits behind the last slot are neither free nor in use.
  std::uint64_t used_of(std::size_t word) const {
    const std::size_t behind = slots_.count() - word * 64;
    return ~free_[word] & (behind >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << behind) - 1);
  }

  Slots<T> slots_;
  std::vector<std::uint64_t> free_, upper_;  // set: the slot is free; the word has a free slot
  std::size_t hint_ = 0, size_ = 0;
  Destructions destroyed_{};  // but those of which the function of a walk returns true
  [[no_unique_address]] ObjectLives lives_;
};

}  // namespace lab::designs
