/// The simplest pool: creation looks at all slots from the first on (Nystrom, Game Programming Patterns, Object Pool).
/// O(n) to create, also when the pool is full; O(1) to destroy.
#pragma once

#include <cstddef>

#include "variants/designs/objects/marked_pool.h"

namespace lab::designs {

template <typename T, typename Marks>
class FirstFree {
 public:
  static constexpr bool kSearches = true;
  static constexpr bool kReadsMarks = true;  ///< to find a free slot

  FirstFree(const Slots<T>& slots, Marks& marks) {
    for (std::size_t index = 0; index < slots.count(); ++index) marks.set(slots.at(index), false);
  }
  T* take(const Slots<T>& slots, const Marks& marks) { return take_from(0, slots, marks); }
  T* take_from(std::size_t first, const Slots<T>& slots, const Marks& marks) {
    const std::size_t found = marks.next_free(first, slots.count());
    return found < slots.count() ? slots.at(found) : nullptr;
  }
  void give(T* /*slot*/) {}
  std::size_t touched(const Slots<T>& slots) const { return slots.count(); }
};

template <typename T, template <typename> class Marks = InsideMarks>
using ScanPool = MarkedPool<T, Marks, FirstFree<T, Marks<T>>>;

}  // namespace lab::designs
