/// A pool with a separate list of its free slots: an array of as many pointers as there are slots, used as a stack
/// (Nystrom, Game Programming Patterns, Object Pool, before "A free list": what its free list saves). O(1) to create
/// and to destroy. The slot destroyed last is used first.
#pragma once

#include <cstddef>
#include <memory>

#include "variants/designs/objects/marked_pool.h"

namespace lab::designs {

template <typename T, typename Marks>
class SeparateList {
 public:
  static constexpr bool kSearches = false;
  static constexpr bool kReadsMarks = false;

  /// Every slot is free at first, so the array has room for all of them.
  SeparateList(const Slots<T>& slots, Marks& marks)
      : capacity_(slots.count()), free_(std::make_unique_for_overwrite<T*[]>(capacity_)) {
    for (std::size_t index = capacity_; index-- > 0;) {
      marks.set(slots.at(index), false);
      give(slots.at(index));
    }
  }
  T* take(const Slots<T>& /*slots*/, const Marks& /*marks*/) { return count_ == 0 ? nullptr : free_[--count_]; }
  void give(T* slot) { free_[count_++] = slot; }
  std::size_t touched(const Slots<T>& /*slots*/) const { return capacity_; }
  /// Of the array.
  std::size_t bytes() const { return capacity_ * sizeof(T*); }

 private:
  std::size_t capacity_, count_ = 0;
  std::unique_ptr<T*[]> free_;
};

template <typename T, template <typename> class Marks = InsideMarks>
using SeparateListPool = MarkedPool<T, Marks, SeparateList<T, Marks<T>>>;

}  // namespace lab::designs
