/// Objects without holes, behind handles that stay valid: the last object moves into the place of a destroyed one. A
/// walk reads nothing else than what lives. O(1); an access through a handle reads the map first, and a pointer to an
/// object is valid only until the next destroy().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/objects/object_handle.h"
#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <typename T>
class SlotMap {
 public:
  using Object = T;
  using Ref = ObjectHandle;
  static constexpr bool kFindsStale = true;
  static constexpr bool kMovesObjects = true;  ///< an object's address changes while it lives

  explicit SlotMap(std::size_t capacity) : objects_(capacity), entries_(capacity), owners_(capacity) {
    for (std::size_t index = 0; index < capacity; ++index)
      entries_[index].place = static_cast<std::uint32_t>(index + 1);
  }
  ~SlotMap() { end_all(*this); }

  template <typename... Arguments>
  ObjectHandle create(Arguments&&... arguments) {
    if (size_ == objects_.count()) return {};
    const std::uint32_t index = first_;
    Entry& entry = entries_[index];
    first_ = entry.place;
    entry.place = size_;
    owners_[size_] = index;
    begin_life(objects_.at(size_++), std::forward<Arguments>(arguments)...);
    return {index, ++entry.generation};
  }
  void destroy(ObjectHandle handle) {
    if (get(handle) != nullptr) end(entries_[handle.index].place);
  }
  T* get(ObjectHandle handle) const {
    if (handle.index >= entries_.size() || handle.generation % 2 == 0) return nullptr;
    // By reference: a copy would be one load over the two stores of create(), and wait for both.
    const Entry& entry = entries_[handle.index];
    return entry.generation == handle.generation ? objects_.at(entry.place) : nullptr;
  }

  template <typename F>
  void each(F&& f) {
    for (std::size_t place = 0; place < size_; ++place) f(*objects_.at(place));
  }
  template <typename F>
  void update(F&& f) {
    for (std::uint32_t place = 0; place < size_;) {
      if (f(*objects_.at(place)))
        end(place);
      else
        ++place;
    }
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return objects_.count(); }
  std::size_t memory_bytes() const {
    return objects_.bytes() + objects_.count() * (sizeof(Entry) + sizeof(std::uint32_t)) + sizeof(*this);
  }

 private:
  struct Entry {
    std::uint32_t place = 0;       // of a free entry, the next free one
    std::uint32_t generation = 0;  // odd: in use
  };

  void end(std::uint32_t place) {
    const std::uint32_t index = owners_[place];
    T* const object = objects_.at(place);
    std::destroy_at(object);
    if (place != --size_) {
      T* const last = objects_.at(size_);
      begin_life(object, std::move(*last));
      std::destroy_at(last);
      owners_[place] = owners_[size_];
      entries_[owners_[place]].place = place;
    }
    ++entries_[index].generation;
    entries_[index].place = first_;
    first_ = index;
  }

  Slots<T> objects_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> owners_;  // the entry of each object
  std::uint32_t first_ = 0, size_ = 0;
};

}  // namespace lab::designs
