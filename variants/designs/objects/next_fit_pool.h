/// A scan that goes on where the last one ended (next fit: Knuth, The Art of Computer Programming, 2.5). With a share s
/// in use it looks at 1 / (1 - s) slots, if the free ones are spread evenly. O(n) if the pool is full.
#pragma once

#include <cstddef>

#include "variants/designs/objects/scan_pool.h"

namespace lab::designs {

template <typename T, typename Marks>
class NextFree : private FirstFree<T, Marks> {
 public:
  static constexpr bool kSearches = false;
  static constexpr bool kSearchesWhenFull = true;

  using FirstFree<T, Marks>::FirstFree;
  using FirstFree<T, Marks>::kReadsMarks;
  using FirstFree<T, Marks>::give;
  using FirstFree<T, Marks>::touched;

  T* take(const Slots<T>& slots, const Marks& marks) {
    std::size_t found = marks.next_free(next_, slots.count());
    if (found == slots.count()) {
      found = marks.next_free(0, next_);
      if (found == next_) return nullptr;
    }
    next_ = found + 1;
    return slots.at(found);
  }

 private:
  std::size_t next_ = 0;  // up to the number of slots
};

template <typename T, template <typename> class Marks = InsideMarks>
using NextFitPool = MarkedPool<T, Marks, NextFree<T, Marks<T>>>;

}  // namespace lab::designs
