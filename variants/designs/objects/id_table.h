/// IDs for objects that stay where they are, whatever pool they lie in: an ID of a destroyed object is found to be
/// stale. O(1). The pool's own handles make it unnecessary (generational_pool.h, slot_map.h). From inside an object
/// everything is allowed: the table runs no code of its objects.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/objects/object_handle.h"

namespace lab::designs {

template <typename T>
class IdTable {
 public:
  explicit IdTable(std::size_t capacity) : entries_(capacity) {
    free_.reserve(capacity);
    for (std::size_t index = capacity; index-- > 0;) free_.push_back(static_cast<std::uint32_t>(index));
  }

  /// The table must not be full.
  ObjectHandle add(T* object) {
    assert(!free_.empty());
    const std::uint32_t index = free_.back();
    free_.pop_back();
    entries_[index].object = object;
    return {index, ++entries_[index].generation};
  }
  /// Without effect if the object was removed.
  void remove(ObjectHandle id) {
    if (get(id) == nullptr) return;
    Entry& entry = entries_[id.index];
    ++entry.generation;
    entry.object = nullptr;  // no ID has an even generation, but ObjectHandle{} may after 2^31 uses
    free_.push_back(id.index);
  }
  /// Null if the object was removed.
  T* get(ObjectHandle id) const {
    const Entry& entry = entries_[id.index];
    return entry.generation == id.generation ? entry.object : nullptr;
  }

 private:
  struct Entry {
    T* object = nullptr;
    std::uint32_t generation = 0;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace lab::designs
