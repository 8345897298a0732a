/// A correct allocator, and some with one fault each: what checks and the fuzzer must find.
#pragma once

#include <sys/mman.h>

#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "variants/allocator/family/buddy_heap.h"

namespace lab::allocator {

class Sound : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block) { buddy_.free(block); }
};

/// Sometimes returns the previous block again.
class Overlapping : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    if (++calls_ % 97 == 0 && last_ != nullptr && last_bytes_ >= bytes) {
      twice_.insert(last_);
      return std::exchange(last_, nullptr);
    }
    last_bytes_ = bytes;
    return last_ = Sound::allocate(bytes);
  }
  // A block that was returned twice is freed only once: the fault must be found, not crash.
  void free(void* block) {
    if (block == last_) last_ = nullptr;
    if (twice_.erase(block) == 0) Sound::free(block);
  }

 private:
  std::size_t calls_ = 0, last_bytes_ = 0;
  void* last_ = nullptr;
  std::set<void*> twice_;
};

class Misaligned : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    auto* const block =
        bytes > Sound::largest_request() ? nullptr : static_cast<std::byte*>(Sound::allocate(bytes + 8));
    return block == nullptr ? nullptr : block + 8;
  }
  void free(void* block) {
    if (block != nullptr) Sound::free(static_cast<std::byte*>(block) - 8);
  }
};

/// Puts every third freed block of 512 to 1023 bytes into the list of larger ones.
class WrongSizeClass : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    std::vector<void*>& list = lists_[class_of(bytes)];
    void* const block = list.empty() ? Sound::allocate(std::bit_ceil(bytes + 1)) : list.back();
    if (!list.empty()) list.pop_back();
    classes_[block] = class_of(bytes);
    return block;
  }
  std::size_t alignment(std::size_t) const { return kLeafBytes; }
  void free(void* block) {
    if (block == nullptr) return;
    const std::size_t wrong = ++calls_ % 3 == 0 && classes_[block] == 10;
    if (classes_[block] > 12)
      Sound::free(block);
    else
      lists_[classes_[block] + wrong].push_back(block);
  }

 private:
  static std::size_t class_of(std::size_t bytes) { return static_cast<std::size_t>(std::bit_width(bytes)); }
  std::map<std::size_t, std::vector<void*>> lists_;
  std::map<void*, std::size_t> classes_;
  int calls_ = 0;
};

/// Reports half of what a block occupies.
class UnderstatesOccupied : public Sound {
 public:
  using Sound::Sound;
  std::size_t occupied(const void* block, std::size_t bytes) const { return Sound::occupied(block, bytes) / 2; }
};

/// Violates its promised alignment only after many calls.
class MisalignedLater : public Sound {
 public:
  using Sound::Sound;
  std::size_t alignment(std::size_t bytes) const { return ++asked_ > 5000 ? 4096 : Sound::alignment(bytes); }

 private:
  mutable int asked_ = 0;
};

class ZeroAlignment : public Sound {
 public:
  using Sound::Sound;
  std::size_t alignment(std::size_t) const { return 0; }
};

/// Overwrites a byte of the previous block.
class LosesContents : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    if (last_ != nullptr) *last_ ^= std::byte{0xff};
    auto* const block = static_cast<std::byte*>(Sound::allocate(bytes));
    last_ = bytes == 0 ? nullptr : block;
    return block;
  }
  void free(void* block) {
    if (block == last_) last_ = nullptr;
    Sound::free(block);
  }

 private:
  std::byte* last_ = nullptr;
};

/// free() clears the last byte of the preceding block. It shows only if that block is full.
class LosesTheLastByte : public Sound {
 public:
  using Sound::Sound;
  void free(void* block) {
    auto* const begin = static_cast<std::byte*>(block);
    if (begin != nullptr && begin > buddy_.begin() + buddy_.layout().reserved_leaves * kLeafBytes)
      begin[-1] = std::byte{0};
    Sound::free(block);
  }
};

class Leaking : public Sound {
 public:
  using Sound::Sound;
  void free(void* block) {
    if (++calls_ % 50 != 0) Sound::free(block);
  }

 private:
  int calls_ = 0;
};

class OverstatesLargest : public Sound {
 public:
  using Sound::Sound;
  std::size_t largest_request() const { return 2 * Sound::largest_request(); }
};

class UnderstatesLargest : public Sound {
 public:
  using Sound::Sound;
  std::size_t largest_request() const { return Sound::largest_request() / 2; }
};

/// Reports a block too many, for requests of one byte more than a leaf only.
class OverstatesCapacity : public Sound {
 public:
  using Sound::Sound;
  std::size_t capacity(std::size_t bytes) const { return Sound::capacity(bytes) + (bytes == kLeafBytes + 1); }
};

/// Forgets that a request above the largest gets nothing.
class CapacityOfTooLarge : public Sound {
 public:
  using Sound::Sound;
  std::size_t capacity(std::size_t bytes) const { return std::max<std::size_t>(Sound::capacity(bytes), 1); }
};

/// Reports the capacity of the moment, not that of the empty allocator.
class CapacityOfNow : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    void* const block = Sound::allocate(bytes);
    lost_ += block != nullptr;
    return block;
  }
  void free(void* block) {
    if (block != nullptr && --lost_ == 1) lost_ = 0;
    Sound::free(block);
  }
  std::size_t capacity(std::size_t bytes) const { return Sound::capacity(bytes) - (lost_ > 0); }

 private:
  std::size_t lost_ = 0;
};

/// Keeps the first freed block for the next request of its size, even if that block is what a larger request lacks.
class KeepsOneBlock : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    const std::size_t wanted = bytes > largest_request() ? 0 : Sound::occupied(nullptr, bytes);
    void* const block =
        kept_ != nullptr && wanted == kept_bytes_ ? std::exchange(kept_, nullptr) : Sound::allocate(bytes);
    if (block != nullptr) bytes_[block] = wanted;
    return block;
  }
  void free(void* block) {
    if (block == nullptr || kept_ != nullptr) return Sound::free(block);
    kept_ = block;
    kept_bytes_ = bytes_[block];
  }

 private:
  std::map<void*, std::size_t> bytes_;
  void* kept_ = nullptr;
  std::size_t kept_bytes_ = 0;
};

/// Loses a leaf only if frees come in the order of the requests.
class LeaksInOneOrder : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    void* const block = Sound::allocate(bytes);
    if (live_.empty()) next_ = 0;
    if (block != nullptr) live_.push_back(block);
    return block;
  }
  void free(void* block) {
    if (block == nullptr) return;
    in_order_ = (next_ == 0 || in_order_) && live_[next_] == block;
    if (++next_ == live_.size()) live_.clear();
    if (!live_.empty() || !in_order_ || next_ < 50) Sound::free(block);
  }

 private:
  std::vector<void*> live_;
  std::size_t next_ = 0;
  bool in_order_ = false;
};

/// Ignores the buffer that it is given.
class IgnoresTheHeap : public Sound {
 public:
  explicit IgnoresTheHeap(const Demand& demand) : Sound({.bytes = demand.bytes, .blocks = demand.blocks}) {}
};

/// Serves a too large request with a small block.
class ServesTooLarge : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) { return Sound::allocate(bytes > SIZE_MAX / 2 ? 64 : bytes); }
};

class RefusesZeroBytes : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) { return bytes == 0 ? nullptr : Sound::allocate(bytes); }
};

/// Refuses a request and corrupts an earlier block.
class CorruptsOnRefusal : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    auto* const block = static_cast<std::byte*>(Sound::allocate(bytes));
    if (block == nullptr && last_ != nullptr) *last_ ^= std::byte{1};
    return last_ = block;
  }

 private:
  std::byte* last_ = nullptr;
};

/// free(nullptr) frees the last block.
class FreesLastOnNull : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) { return last_ = Sound::allocate(bytes); }
  void free(void* block) { Sound::free(block == nullptr ? last_ : block); }

 private:
  void* last_ = nullptr;
};

class WrongIdentity : public Sound {
 public:
  using Sound::Sound;
  static std::string version() { return "0"; }
  static std::string identity_failure() { return "somebody else's"; }
};

/// Refuses one of many requests although memory is free.
class RefusesSometimes : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) { return ++calls_ % 9000 == 0 ? nullptr : Sound::allocate(bytes); }

 private:
  int calls_ = 0;
};

/// Misaligns blocks of 3001 bytes by 8, and of no other size.
class MisalignedOnce : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t bytes) {
    auto* const block = static_cast<std::byte*>(Sound::allocate(bytes));
    return block != nullptr && bytes == 3001 ? block + 8 : block;
  }
  void free(void* block) {
    auto* const begin = static_cast<std::byte*>(block);
    Sound::free(begin - (block == nullptr ? 0 : (begin - buddy_.begin()) % 64));
  }
};

/// A correct allocator with a free list per size, last in, first out, over memory of the C library.
class Lists {
 public:
  explicit Lists(const Demand&) {}
  ~Lists() {
    for (std::byte* const chunk : chunks_) munmap(chunk, kChunkBytes);
  }
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;

  void* allocate(std::size_t bytes) {
    if (bytes >= kChunkBytes) return nullptr;
    const std::size_t size = class_bytes(bytes);
    if (std::vector<std::byte*>& list = lists_[size]; !list.empty()) {
      std::byte* const block = list.back();
      list.pop_back();
      return block;
    }
    if (chunks_.empty() || size > kChunkBytes - used_) {
      used_ = 0;
      chunks_.push_back(static_cast<std::byte*>(
          mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    }
    return chunks_.back() + std::exchange(used_, used_ + size);
  }
  void free(void* block, std::size_t bytes) {
    if (block != nullptr) lists_[class_bytes(bytes)].push_back(static_cast<std::byte*>(block));
  }
  std::size_t alignment(std::size_t) const { return 16; }
  std::size_t occupied(const void*, std::size_t bytes) const { return class_bytes(bytes); }

 protected:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  static std::size_t class_bytes(std::size_t bytes) { return (bytes / 16 + 1) * 16; }

  std::vector<std::byte*> chunks_;
  std::size_t used_ = 0;
  std::map<std::size_t, std::vector<std::byte*>> lists_;
};

class ResettingLists : public Lists {
 public:
  using Lists::Lists;
  void reset() {
    while (chunks_.size() > 1) {
      munmap(chunks_.back(), kChunkBytes);
      chunks_.pop_back();
    }
    used_ = 0;
    lists_.clear();
  }
};

/// Returns too small a block for 3001 bytes, and for no other size.
class TooSmallOnce : public Lists {
 public:
  using Lists::Lists;
  void* allocate(std::size_t bytes) { return Lists::allocate(bytes == 3001 ? 2500 : bytes); }
  void free(void* block, std::size_t bytes) { Lists::free(block, bytes == 3001 ? 2500 : bytes); }
};

class NeverFrees : public Lists {
 public:
  using Lists::Lists;
  void free(void*, std::size_t) {}
};

class ResetDoesNothing : public Lists {
 public:
  using Lists::Lists;
  void reset() {}
};

/// reset() reuses the memory but keeps the free lists.
class ResetKeepsLists : public ResettingLists {
 public:
  using ResettingLists::ResettingLists;
  void reset() {
    const auto lists = lists_;
    ResettingLists::reset();
    for (const auto& [size, list] : lists)
      for (std::byte* const block : list)
        if (!chunks_.empty() && block >= chunks_[0] && block < chunks_[0] + kChunkBytes) lists_[size].push_back(block);
  }
};

/// Counts its calls.
class Counting : public Sound {
 public:
  using Sound::Sound;
  static inline std::size_t allocated = 0, freed = 0;
  void* allocate(std::size_t bytes) {
    ++allocated;
    return Sound::allocate(bytes);
  }
  void free(void* block) {
    ++freed;
    Sound::free(block);
  }
};

/// Keeps a table of 16 bytes a live block outside of its buffer.
class WithTable : public Counting {
 public:
  using Counting::Counting;
  void* allocate(std::size_t bytes) {
    most_ = std::max(most_, ++live_);
    return Counting::allocate(bytes);
  }
  void free(void* block) {
    --live_;
    Counting::free(block);
  }
  std::size_t allocated_bytes() const { return 16 * live_; }
  std::size_t most_allocated_bytes() const { return 16 * most_; }

 private:
  std::size_t live_ = 0, most_ = 0;
};

/// Returns addresses of inaccessible memory.
class Unmapped {
 public:
  explicit Unmapped(const Demand&)
      : begin_(static_cast<std::byte*>(
            mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~Unmapped() { munmap(begin_, kBytes); }
  void* allocate(std::size_t bytes) { return begin_ + std::exchange(used_, used_ + bytes); }
  void free(void*) {}
  std::size_t alignment(std::size_t) const { return 1; }
  std::size_t occupied(const void*, std::size_t bytes) const { return bytes; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 30;
  std::byte* begin_;
  std::size_t used_ = 0;
};

/// Refuses every request.
class AlwaysRefuses : public Sound {
 public:
  using Sound::Sound;
  void* allocate(std::size_t) { return nullptr; }
};

}  // namespace lab::allocator
