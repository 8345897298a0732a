/// Where packets come from: one source serves all buckets of a frame. A version's memory is one of these or its own
/// type of the same shape (PacketMemory).
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

#include "variants/command_bucket/packet.h"
#include "variants/designs/thread_slot.h"

namespace lab::command_bucket {

/// What a memory is sized by.
struct Budget {
  std::size_t draws = 0;
  std::size_t maps = 0;
  unsigned threads = 1;

  /// If every packet of the frame came from here, its size rounded up to `granule`.
  std::size_t bytes(std::size_t granule) const;
};

template <typename Memory>
concept PacketMemory = requires(Memory memory, const Budget& budget, std::size_t bytes) {
  Memory(budget);
  { memory.allocate(bytes) } -> std::same_as<std::byte*>;  // never null; from as many threads as the version has
  memory.reset();                                          // untimed, after the frame: everything is free again
  { memory.used() } -> std::same_as<std::size_t>;  // bytes of the buffer that packets take up now; 0: unknown
};

/// The order in which a frame's packets are freed. A heap hands out again what was freed last, so it decides where the
/// next frame's packets lie.
enum class FreeOrder {
  kSubmission,  ///< as the sorted keys have it: the next frame's packets are scattered
  kAllocation   ///< first in, first out: the next frame's packets are neighbours in memory
};

/// Frees packets one by one: release() is called for each, untimed, before reset().
template <typename Memory>
concept FreesPackets = PacketMemory<Memory> && requires(Memory memory, std::byte* packet) {
  { Memory::kFreeOrder } -> std::convertible_to<FreeOrder>;
  memory.release(packet);
};

/// Global operator new, a call for each packet.
template <FreeOrder kOrder>
class NewPackets {
 public:
  static constexpr FreeOrder kFreeOrder = kOrder;

  explicit NewPackets(const Budget&) {}
  std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new(bytes)); }
  void release(std::byte* packet) { ::operator delete(packet); }
  void reset() {}
  std::size_t used() const { return 0; }
};

/// A linear design over one buffer, which is touched once beforehand: no frame pays for page faults.
template <typename Design, std::size_t kGranule>
class LinearPackets {
 public:
  explicit LinearPackets(const Budget& budget)
      : buffer_(bytes_for(budget)), design_(make_design(buffer_.data(), buffer_.size(), budget.threads)) {}

  std::byte* allocate(std::size_t bytes) {
    void* const memory = design_.allocate(bytes);
    if (memory == nullptr) [[unlikely]]
      std::abort();  // the budget covers a whole frame
    return static_cast<std::byte*>(memory);
  }
  void reset() { design_.reset(); }
  std::size_t used() const { return design_.used(); }

 private:
  static constexpr bool kPerThread = std::is_constructible_v<Design, void*, std::size_t, unsigned>;

  /// Any thread may turn out to do all the tasks.
  static std::size_t bytes_for(const Budget& budget) {
    const std::size_t all = (budget.bytes(kGranule) / designs::kApart + 1) * designs::kApart;
    return kPerThread ? all * budget.threads : all;
  }

  // A design knows its buffer from its first day on and is not moved afterwards: threads hold on to it.
  static Design make_design(void* memory, std::size_t bytes, unsigned threads) {
    if constexpr (kPerThread)
      return Design(memory, bytes, threads);
    else
      return Design(memory, bytes);
  }

  std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, designs::kApart>> buffer_;
  Design design_;
};

}  // namespace lab::command_bucket
