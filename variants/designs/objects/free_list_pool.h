/// A pool whose free slots form a list; the links lie in the dead objects' first 8 bytes (Nystrom, Game Programming
/// Patterns, Object Pool: a union). O(1) to create and to destroy. The slot destroyed last is used first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "variants/designs/objects/marked_pool.h"

namespace lab::designs {

/// What dead objects are filled with, as the chapter wishes.
inline constexpr std::uint32_t kDeadFill = 0x1deadb0b;

enum class ListStart {
  kThreaded,  ///< construction links all slots: O(n), and touches all memory
  kLazy       ///< slots that were never used are handed out by a counter (EASTL, fixed_pool): O(1)
};
enum class DeadObjects {
  kKept,   ///< what lies behind the link stays as it was
  kFilled  ///< with kDeadFill, and creation counts the slots in which it was overwritten
};

template <typename T, typename Marks, ListStart kStart, DeadObjects kDead>
class FreeList {
 public:
  static constexpr bool kSearches = false;
  static constexpr bool kReadsMarks = false;
  static constexpr bool kFillsDead = kDead == DeadObjects::kFilled;

  FreeList(const Slots<T>& slots, Marks& marks) {
    if constexpr (kStart == ListStart::kThreaded) {
      for (std::size_t index = slots.count(); index-- > 0;) {
        marks.set(slots.at(index), false);
        give(slots.at(index));
      }
    }
  }
  T* take(const Slots<T>& slots, const Marks& /*marks*/) {
    T* const slot = first_;
    if (slot != nullptr) {
      std::memcpy(&first_, static_cast<void*>(slot), sizeof first_);
      if constexpr (kFillsDead) overwritten_ += !is_filled(slot);
      return slot;
    }
    if constexpr (kStart == ListStart::kLazy)
      if (touched_ < slots.count()) return slots.at(touched_++);
    return nullptr;
  }
  void give(T* slot) {
    std::memcpy(static_cast<void*>(slot), &first_, sizeof first_);
    if constexpr (kFillsDead) fill(slot);
    first_ = slot;
  }
  std::size_t touched(const Slots<T>& slots) const { return kStart == ListStart::kLazy ? touched_ : slots.count(); }
  /// Slots in which something wrote behind the link after the object was destroyed: they were found when the slot was
  /// used again.
  std::size_t overwritten() const { return overwritten_; }

 private:
  static constexpr std::size_t kWord = sizeof kDeadFill;

  // All whole words behind the link, except the mark.
  template <typename F>
  static void each_word(F&& f) {
    for (std::size_t at = sizeof(T*); at + kWord <= sizeof(T); at += kWord) {
      if constexpr (requires { T::kMarkAt; })
        if (at == T::kMarkAt) continue;
      f(at);
    }
  }
  static void fill(T* slot) {
    std::byte* const begin = reinterpret_cast<std::byte*>(slot);
    each_word([&](std::size_t at) { std::memcpy(begin + at, &kDeadFill, kWord); });
  }
  static bool is_filled(const T* slot) {
    const std::byte* const begin = reinterpret_cast<const std::byte*>(slot);
    bool filled = true;
    each_word([&](std::size_t at) { filled = filled && std::memcmp(begin + at, &kDeadFill, kWord) == 0; });
    return filled;
  }

  T* first_ = nullptr;
  std::size_t touched_ = 0, overwritten_ = 0;
};

template <typename T, template <typename> class Marks = InsideMarks, ListStart kStart = ListStart::kThreaded,
          DeadObjects kDead = DeadObjects::kKept>
using FreeListPool = MarkedPool<T, Marks, FreeList<T, Marks<T>, kStart, kDead>>;

}  // namespace lab::designs
