/// Objects without holes, behind handles that stay valid: the last object moves into the place of a destroyed one. A
/// walk reads nothing else than what lives. O(1); an access through a handle reads the map first, and a pointer to an
/// object is valid only until the next destroy(). From inside an object: what slots.h says; its own handle is stale in
/// its destructor, which runs where the object was moved to. During a walk no object moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
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
  static constexpr bool kObjectsMayAct = true;  ///< as slots.h says
  static constexpr bool kFindsStale = true;
  static constexpr bool kMovesObjects = true;  ///< an object's address changes while it lives

  explicit SlotMap(std::size_t capacity) : objects_(capacity), entries_(capacity), owners_(capacity) {
    for (std::size_t index = 0; index < capacity; ++index)
      entries_[index].place = static_cast<std::uint32_t>(index + 1);
  }
  ~SlotMap() { end_all(*this, lives_); }

  // Inlined, as end() is: out of line, a pair of churn took a quarter longer.
  template <typename... Arguments>
  [[gnu::always_inline]] ObjectHandle create(Arguments&&... arguments) {
    lives_.creates();
    std::uint32_t place = size_;
    if (place != objects_.count()) [[likely]]
      size_ = place + 1;
    else if (holes_ != 0)
      place = take_hole();
    else
      return {};
    const std::uint32_t index = first_;
    Entry& entry = entries_[index];
    first_ = entry.place;
    entry.place = place;
    owners_[place] = index;
    const ObjectLives::Scope scope(lives_, LifePart::kBegins, objects_.at(place));
    begin_life(objects_.at(place), std::forward<Arguments>(arguments)...);
    return {index, ++entry.generation};
  }
  void destroy(ObjectHandle handle) {
    if (get(handle) == nullptr) return;
    const std::uint32_t place = entries_[handle.index].place;
    if (walks_ == 0)
      end(place);
    else
      end_in_walk(place);
  }
  T* get(ObjectHandle handle) const {
    if (handle.index >= entries_.size() || handle.generation % 2 == 0) return nullptr;
    // By reference: a copy would be one load over the two stores of create(), and wait for both.
    const Entry& entry = entries_[handle.index];
    return entry.generation == handle.generation ? objects_.at(entry.place) : nullptr;
  }

  template <typename F>
  void each(F&& f) {
    ObjectLives::Scope scope(lives_, LifePart::kWalk);
    const Walk walk(*this);
    std::uint32_t place = 0;
    for (; place < whole_; ++place) f(*objects_.at(place));
    for (; place < walk.end; ++place)
      if (owners_[place] != kHole) f(*objects_.at(place));
  }
  template <typename F>
  void update(F&& f) {
    ObjectLives::Scope scope(lives_, LifePart::kWalk);
    Walk walk(*this);
    const bool outermost = walks_ == 1;
    const auto dies = [&](std::uint32_t place) {
      scope.visits(objects_.at(place));
      if (!f(*objects_.at(place))) return false;
      scope.ends_visited();
      return true;
    };
    std::uint32_t place = 0;
    while (place < whole_) {
      if (!dies(place)) {
        ++place;
      } else if (outermost && whole_ == size_) {
        walk.end = --whole_;
        end(place);  // the last one, which is not visited yet, is here now
      } else if (owners_[place] != kHole) {
        end_in_walk(place);
      }
    }
    for (; place < walk.end; ++place)
      if (owners_[place] != kHole && dies(place) && owners_[place] != kHole) end_in_walk(place);
  }

  std::size_t size() const { return size_ - holes_; }
  std::size_t capacity() const { return objects_.count(); }
  std::size_t memory_bytes() const {
    return objects_.bytes() + objects_.count() * (sizeof(Entry) + sizeof(std::uint32_t)) + sizeof(*this);
  }

 private:
  struct Entry {
    std::uint32_t place = 0;       // of a free entry, the next free one
    std::uint32_t generation = 0;  // odd: in use
  };
  static constexpr std::uint32_t kHole = ~std::uint32_t{0};  // the owner of a hole

  // What is destroyed while one lives leaves a hole, so that nothing moves. The outermost one fills them in the end.
  struct Walk {
    explicit Walk(SlotMap& of) : map(of), end(of.size_), outer_whole(of.whole_) {
      ++map.walks_;
      map.whole_ = map.holes_ == 0 ? end : 0;
    }
    ~Walk() {
      if (--map.walks_ == 0 && map.holes_ != 0) map.fill_holes();
      map.whole_ = map.holes_ == 0 ? outer_whole : 0;
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    SlotMap& map;
    std::uint32_t end;  // new objects are behind it
    std::uint32_t outer_whole;
  };

  [[gnu::always_inline]] void end(std::uint32_t place) {
    end_object(place, [this, place] {
      if (place != --size_) move(size_, place);
    });
  }
  [[gnu::noinline, gnu::cold]] void end_in_walk(std::uint32_t place) {
    end_object(place, [this, place] {
      std::memcpy(static_cast<void*>(objects_.at(place)), &first_hole_, sizeof first_hole_);
      owners_[place] = kHole;
      first_hole_ = place;
      ++holes_;
      whole_ = 0;
    });
  }
  // `leave` gives up its place. The destructor is last, and runs elsewhere, because it may use the pool.
  template <typename Leave>
  void end_object(std::uint32_t place, Leave leave) {
    const std::uint32_t index = owners_[place];
    lives_.destroys(objects_.at(place), true);
    if constexpr (std::is_trivially_destructible_v<T>) {
      leave();
      ++entries_[index].generation;
      free(index);
    } else {
      T* const object = objects_.at(place);
      ++entries_[index].generation;
      const ObjectLives::Scope scope(lives_, LifePart::kEnds);
      T dying(std::move(*object));
      std::destroy_at(object);
      leave();
      free(index);
    }
  }
  void free(std::uint32_t index) {
    entries_[index].place = first_;
    first_ = index;
  }
  void move(std::uint32_t from, std::uint32_t to) {
    const ObjectLives::Scope scope(lives_, LifePart::kMoves);
    T* const last = objects_.at(from);
    begin_life(objects_.at(to), std::move(*last));
    std::destroy_at(last);
    owners_[to] = owners_[from];
    entries_[owners_[to]].place = to;
  }
  [[gnu::noinline, gnu::cold]] std::uint32_t take_hole() {
    const std::uint32_t place = first_hole_;
    std::memcpy(&first_hole_, static_cast<const void*>(objects_.at(place)), sizeof first_hole_);
    --holes_;
    return place;
  }
  [[gnu::noinline, gnu::cold]] void fill_holes() {
    for (std::uint32_t place = 0; holes_ > 0; --holes_) {
      if (owners_[--size_] == kHole) continue;
      while (owners_[place] != kHole) ++place;
      move(size_, place);
    }
  }

  Slots<T> objects_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> owners_;  // the entry of each object
  std::uint32_t first_ = 0, size_ = 0;
  std::uint32_t walks_ = 0;
  std::uint32_t whole_ = 0;                   // where the innermost walk begins to look for holes
  std::uint32_t holes_ = 0, first_hole_ = 0;  // a list whose links lie in the holes
  [[no_unique_address]] ObjectLives lives_;
};

}  // namespace lab::designs
