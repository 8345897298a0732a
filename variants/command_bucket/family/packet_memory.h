/// Allocators for packets. One allocator serves all buckets of a frame. A version uses one of these or its own type
/// that models PacketMemory.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "variants/command_bucket/family/packet.h"
#include "variants/command_bucket/family/scene.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::command_bucket {

/// What a version must have room for.
struct Budget {
  std::size_t draws = 0;
  std::size_t maps = 0;
  std::size_t updates = 0;         ///< of buffers
  std::size_t update_bytes = 0;    ///< that the packet of an update carries
  std::size_t keys[kLayers] = {};  ///< entries of each bucket
  unsigned threads = 1;
  std::size_t at_once = 0;  ///< entries that a thread claims at once; 0: the version's own number

  /// Total size of all packets of a frame, each rounded up to `granule`.
  template <typename Packet>
  std::size_t bytes(std::size_t granule) const {
    return draws * designs::round_up(Packet::template kBytes<Draw>, granule) +
           maps * designs::round_up(Packet::template kBytes<MapConstants>, granule) +
           updates * designs::round_up(Packet::template kBytes<UpdateBuffer> + update_bytes, granule);
  }
};

template <typename Memory>
concept PacketMemory = requires(Memory& memory, const Budget& budget, std::size_t bytes) {
  Memory(budget);
  { memory.allocate(bytes) } -> std::same_as<std::byte*>;  // null: full; thread-safe if the version is
  memory.reset();                                          // untimed, after the frame: frees everything
  { memory.used() } -> std::same_as<std::size_t>;          // bytes of the buffer that packets take now; 0: unknown
};

/// The order in which a frame's packets are freed. A heap reuses the block that was freed last, so the order decides
/// where the next frame's packets lie.
enum class FreeOrder {
  kSubmission,  ///< by sorted key: the next frame's packets are scattered
  kAllocation   ///< first in, first out: the next frame's packets are neighbours in memory
};

/// Frees packets one by one: release() is called for each packet, untimed, before reset().
template <typename Memory>
concept FreesPackets = PacketMemory<Memory> && requires(Memory& memory, std::byte* packet) {
  { Memory::kFreeOrder } -> std::convertible_to<FreeOrder>;
  memory.release(packet);
};

/// A base with kFreeOrder if `Memory` frees packets one by one, otherwise an empty one.
template <typename Memory>
struct FreeOrderOf {};
template <FreesPackets Memory>
struct FreeOrderOf<Memory> {
  static constexpr FreeOrder kFreeOrder = Memory::kFreeOrder;
};

/// Global operator new.
struct GlobalNew {
  static constexpr bool kReplacesMalloc = false;
  static void* allocate(std::size_t bytes) { return ::operator new(bytes); }
  static void free(void* packet) { ::operator delete(packet); }
};

/// A general allocator, one call per packet. `Heap` is without state: allocate(bytes), free(block), kReplacesMalloc,
/// and of a rival identity_failure() (variants/common/mallocs/jemalloc.h).
template <FreeOrder kOrder, typename Heap = GlobalNew>
class NewPackets {
 public:
  static constexpr FreeOrder kFreeOrder = kOrder;
  using General = Heap;

  explicit NewPackets(const Budget&) {}
  std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(Heap::allocate(bytes)); }
  void release(std::byte* packet) { Heap::free(packet); }
  void reset() {}
  std::size_t used() const { return 0; }
};

/// A linear design over one buffer, whose packets are rounded up to kGranule: all sizes are multiples of the default.
/// The constructor touches the buffer, so that no frame takes a page fault.
template <template <std::size_t> typename Linear, std::size_t kGranule = kPacketAlignment>
class LinearPackets {
  using Design = Linear<kGranule>;

 public:
  explicit LinearPackets(const Budget& budget)
      : buffer_(bytes_for(budget)), design_(make_design(buffer_.data(), buffer_.size(), budget.threads)) {}

  std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(design_.allocate(bytes)); }
  void reset() { design_.reset(); }
  std::size_t used() const { return design_.used(); }

 private:
  static constexpr bool kPerThread = std::is_constructible_v<Design, void*, std::size_t, unsigned>;

  /// One thread may execute all tasks, so each thread's slice must hold a whole frame.
  static std::size_t bytes_for(const Budget& budget) {
    const std::size_t all = (budget.bytes<ArticlePacket>(kGranule) / designs::kApart + 1) * designs::kApart;
    return kPerThread ? all * budget.threads : all;
  }

  // A design gets its buffer at construction and cannot be moved, because threads hold references to it.
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
