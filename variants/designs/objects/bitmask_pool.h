/// A pool that marks its free slots in two levels of 64-bit words, and always takes the lowest one. So what lives moves
/// to the front as objects come and go, and a walk reads few lines. Ours.
///
/// Creation is O(1) but for the words of the upper level, one for 4,096 slots: a hint says below which all are full.
/// A walk reads a word for 64 slots.
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

  explicit BitmaskPool(std::size_t capacity)
      : slots_(capacity), free_((capacity + 63) / 64, ~std::uint64_t{0}), upper_((free_.size() + 63) / 64) {
    if (capacity % 64 != 0) free_.back() = (std::uint64_t{1} << capacity % 64) - 1;
    for (std::size_t word = 0; word < free_.size(); ++word) upper_[word / 64] |= bit(word);
  }
  ~BitmaskPool() { end_all(*this); }

  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    while (hint_ < upper_.size() && upper_[hint_] == 0) ++hint_;
    if (hint_ == upper_.size()) return nullptr;
    const std::size_t word = hint_ * 64 + lowest(upper_[hint_]);
    const std::size_t index = word * 64 + lowest(free_[word]);
    free_[word] &= free_[word] - 1;
    if (free_[word] == 0) upper_[hint_] &= ~bit(word);
    ++size_;
    return begin_life(slots_.at(index), std::forward<Arguments>(arguments)...);
  }
  void destroy(T* object) {
    std::destroy_at(object);
    const std::size_t index = slots_.index_of(object), word = index / 64;
    free_[word] |= bit(index);
    upper_[word / 64] |= bit(word);
    if (word / 64 < hint_) hint_ = word / 64;
    --size_;
  }
  T* get(T* object) const { return object; }

  template <typename F>
  void each(F&& f) {
    for (std::size_t word = 0; word < free_.size(); ++word) {
      const std::size_t first = word * 64;
      std::uint64_t used = used_of(word);
      if (used == ~std::uint64_t{0}) {
        for (std::size_t index = first; index < first + 64; ++index) f(*slots_.at(index));
        continue;
      }
      for (; used != 0; used &= used - 1) f(*slots_.at(first + lowest(used)));
    }
  }
  template <typename F>
  void update(F&& f) {
    each([&](T& object) {
      if (f(object)) destroy(&object);
    });
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.count(); }
  std::size_t memory_bytes() const {
    return slots_.bytes() + (free_.size() + upper_.size()) * sizeof(std::uint64_t) + sizeof(*this);
  }

 private:
  static std::uint64_t bit(std::size_t index) { return std::uint64_t{1} << index % 64; }
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  // Bits behind the last slot are neither free nor in use.
  std::uint64_t used_of(std::size_t word) const {
    const std::size_t behind = slots_.count() - word * 64;
    return ~free_[word] & (behind >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << behind) - 1);
  }

  Slots<T> slots_;
  std::vector<std::uint64_t> free_, upper_;  // set: the slot is free; the word has a free slot
  std::size_t hint_ = 0, size_ = 0;
};

}  // namespace lab::designs
