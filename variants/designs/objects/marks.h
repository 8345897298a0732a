/// Where a pool notes which slots are in use: in the object itself, in an array of bool, or in an array of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "variants/designs/objects/slots.h"

namespace lab::designs {

/// In the object: T leaves the pool 4 bytes, T::kMarkAt bytes behind its begin, and never writes to them. They are
/// apart from the 8 bytes in which a free slot holds a link. Costs no memory, but a search reads a line per object. The
/// mark can be set only when the constructor has ended, so a list on the stack has the slots where one runs.
template <typename T>
class InsideMarks {
 public:
  static_assert(T::kMarkAt >= sizeof(void*) && T::kMarkAt + 4 <= sizeof(T));
  static constexpr bool kInside = true;
  /// A slot whose constructor runs: no search may find it.
  class Beginning {
   public:
    Beginning(InsideMarks& marks, const T* slot) : marks_(marks), outer_(marks.beginning_), slot_(slot) {
      marks.beginning_ = this;
    }
    ~Beginning() { marks_.beginning_ = outer_; }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

   private:
    friend class InsideMarks;
    InsideMarks& marks_;
    const Beginning* outer_;
    const T* slot_;
  };

  explicit InsideMarks(const Slots<T>& slots) : slots_(slots) {}

  bool used(const T* slot) const {
    std::uint32_t mark;
    std::memcpy(&mark, reinterpret_cast<const std::byte*>(slot) + T::kMarkAt, sizeof mark);
    return mark != 0;
  }
  void set(T* slot, bool used) {
    const std::uint32_t mark = used;
    std::memcpy(reinterpret_cast<std::byte*>(slot) + T::kMarkAt, &mark, sizeof mark);
  }
  /// The first slot from `first` on, below `end`, that is not in use; `end` if there is none.
  std::size_t next_free(std::size_t first, std::size_t end) const {
    while (first < end && used(slots_.at(first))) ++first;
    if (beginning_ != nullptr && first < end && begins(slots_.at(first))) [[unlikely]]
      return next_free(first + 1, end);
    return first;
  }
  /// Of the first `end` slots. `f` may set and clear marks.
  template <typename F>
  void each_used(std::size_t end, F&& f) {
    for (std::size_t index = 0; index < end; ++index)
      if (T* const slot = slots_.at(index); used(slot)) f(slot);
  }
  std::size_t bytes() const { return 0; }

 private:
  bool begins(const T* slot) const {
    const Beginning* at = beginning_;
    while (at != nullptr && at->slot_ != slot) at = at->outer_;
    return at != nullptr;
  }

  const Slots<T>& slots_;
  const Beginning* beginning_ = nullptr;
};

/// A byte for each slot, outside of the objects: `bool inUse_[POOL_SIZE]`.
template <typename T>
class BoolMarks {
 public:
  static constexpr bool kInside = false;

  explicit BoolMarks(const Slots<T>& slots) : slots_(slots), used_(std::make_unique<bool[]>(slots.count())) {}

  bool used(const T* slot) const { return used_[slots_.index_of(slot)]; }
  void set(T* slot, bool used) { used_[slots_.index_of(slot)] = used; }
  std::size_t next_free(std::size_t first, std::size_t end) const {
    while (first < end && used_[first]) ++first;
    return first;
  }
  template <typename F>
  void each_used(std::size_t end, F&& f) {
    for (std::size_t index = 0; index < end; ++index)
      if (used_[index]) f(slots_.at(index));
  }
  std::size_t bytes() const { return slots_.count() * sizeof(bool); }

 private:
  const Slots<T>& slots_;
  std::unique_ptr<bool[]> used_;
};

/// A bit for each slot: a search and a walk skip 64 slots at a time.
template <typename T>
class BitMarks {
 public:
  static constexpr bool kInside = false;

  explicit BitMarks(const Slots<T>& slots) : slots_(slots), words_((slots.count() + 63) / 64) {}

  bool used(const T* slot) const {
    const std::size_t index = slots_.index_of(slot);
    return words_[index / 64] >> index % 64 & 1;
  }
  void set(T* slot, bool used) {
    const std::size_t index = slots_.index_of(slot);
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    if (used)
      words_[index / 64] |= bit;
    else
      words_[index / 64] &= ~bit;
  }
  /// f of each_used() is about to clear another mark than that of its slot.
  void clears_another() { count(destroyed_); }
  std::size_t next_free(std::size_t first, std::size_t end) const {
    if (first >= end) return end;
    std::size_t word = first / 64;
    std::uint64_t free = ~words_[word] & (~std::uint64_t{0} << first % 64);
    while (free == 0 && ++word * 64 < end) free = ~words_[word];
    if (free == 0) return end;
    const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(free));
    return found < end ? found : end;
  }
  template <typename F>
  void each_used(std::size_t /*end*/, F&& f) {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      Destructions before = destroyed_;
      for (std::uint64_t used = words_[word]; used != 0; used &= used - 1) {
        f(slots_.at(word * 64 + static_cast<std::size_t>(std::countr_zero(used))));
        if (destroyed_ == before) continue;
        used &= words_[word] | (used & -used);
        before = destroyed_;
      }
    }
  }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  const Slots<T>& slots_;
  std::vector<std::uint64_t> words_;
  Destructions destroyed_{};
};

}  // namespace lab::designs
