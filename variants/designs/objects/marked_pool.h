/// A pool that marks which slots are in use. `Finder` says how it finds a free one: scan_pool.h, next_fit_pool.h,
/// free_list_pool.h, separate_list_pool.h. From inside an object: what slots.h says; no handle is ever stale.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "variants/designs/objects/marks.h"
#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <typename T, template <typename> class Marks, typename Finder>
class MarkedPool {
 public:
  using Object = T;
  using Ref = T*;
  static constexpr bool kObjectsMayAct = true;  ///< as slots.h says
  /// Whether creation searches among the slots in use, so that it takes longer the more there are.
  static constexpr bool kSearches = Finder::kSearches;
  /// Whether it does only where nearly all slots are in use.
  static constexpr bool kSearchesWhenFull = requires { requires Finder::kSearchesWhenFull; };

  explicit MarkedPool(std::size_t capacity) : slots_(capacity), marks_(slots_), finder_(slots_, marks_) {}
  ~MarkedPool() { end_all(*this, lives_); }

  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    return begin(finder_.take(slots_, marks_), std::forward<Arguments>(arguments)...);
  }
  /// The same if all slots before `first` are in use: a pool of n objects is filled in O(n).
  T* create_from(std::size_t first) requires kSearches { return begin(finder_.take_from(first, slots_, marks_)); }
  void destroy(T* object) {
    note_clear();
    end(object);
  }
  T* get(T* object) const { return object; }

  template <typename F>
  void each(F&& f) {
    const ObjectLives::Scope scope(lives_, LifePart::kWalk);
    marks_.each_used(finder_.touched(slots_), [&](T* object) { f(*object); });
  }
  template <typename F>
  void update(F&& f) {
    ObjectLives::Scope scope(lives_, LifePart::kWalk);
    marks_.each_used(finder_.touched(slots_), [&](T* object) {
      scope.visits(object);
      if (!f(*object)) return;
      scope.ends_visited();
      end(object);
    });
    note_clear();  // for a walk around this one
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.count(); }
  std::size_t memory_bytes() const { return slots_.bytes() + marks_.bytes() + finder_bytes() + sizeof(*this); }
  const Finder& finder() const { return finder_; }

 private:
  // A walk may have noted which marks are set.
  void note_clear() {
    if constexpr (requires { marks_.clears_another(); }) marks_.clears_another();
  }
  void end(T* object) {
    lives_.destroys(object, marks_.used(object));
    {
      const ObjectLives::Scope scope(lives_, LifePart::kEnds, object);
      std::destroy_at(object);
    }
    marks_.set(object, false);
    finder_.give(object);
    --size_;
  }
  template <typename... Arguments>
  T* begin(T* slot, Arguments&&... arguments) {
    if (slot == nullptr) return nullptr;
    const ObjectLives::Scope scope(lives_, LifePart::kBegins, slot);
    ++size_;
    if constexpr (!Marks<T>::kInside) {
      marks_.set(slot, true);
      return begin_life(slot, std::forward<Arguments>(arguments)...);
    } else {
      T* const object = begin_inside(slot, std::forward<Arguments>(arguments)...);
      marks_.set(object, true);
      return object;
    }
  }
  template <typename... Arguments>
  T* begin_inside(T* slot, Arguments&&... arguments) {
    if constexpr (Finder::kReadsMarks) {
      const typename Marks<T>::Beginning beginning(marks_, slot);
      return begin_life(slot, std::forward<Arguments>(arguments)...);
    } else {
      return begin_life(slot, std::forward<Arguments>(arguments)...);
    }
  }

  // What a finder has allocated.
  std::size_t finder_bytes() const {
    if constexpr (requires { finder_.bytes(); })
      return finder_.bytes();
    else
      return 0;
  }

  Slots<T> slots_;
  Marks<T> marks_;
  Finder finder_;
  std::size_t size_ = 0;
  [[no_unique_address]] ObjectLives lives_;
};

}  // namespace lab::designs
