/// The article's command bucket: keys and packets in two arrays that are filled in any order, sorted by key and
/// submitted.
#pragma once

#include <algorithm>
#include <boost/align/aligned_allocator.hpp>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "variants/command_bucket/family/packet.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/designs/keys/radix_sort.h"

namespace lab::command_bucket {

template <typename Slots>
concept EntrySlots = requires(Slots slots, unsigned threads, std::size_t claims,
                              void (*move)(std::size_t from, std::size_t to, std::size_t count)) {
  Slots(threads);
  { Slots::capacity(claims, threads) } -> std::same_as<std::size_t>;
  { slots.claim() } -> std::same_as<std::size_t>;
  { slots.compact(move) } -> std::same_as<std::size_t>;
  slots.reset();
};

/// add() and append() may run on as many threads as Memory and Slots allow. All other calls come from one thread, with
/// no concurrent add() or append().
template <PacketMemory Memory, EntrySlots Slots>
class CommandBucket {
 public:
  /// For at most `commands` calls of add(). Packets are allocated from `memory`, which must outlive the bucket.
  CommandBucket(std::size_t commands, unsigned threads, Memory& memory)
      : memory_(&memory),
        entries_(Slots::capacity(commands, threads)),
        scratch_(entries_.keys.size()),
        slots_(threads) {}

  /// Adds a packet under `key` and returns its command, which the caller fills.
  template <typename Command>
  Command* add(std::uint64_t key) {
    std::byte* const packet = memory_->allocate(kPacketBytes<Command>);
    const std::size_t slot = slots_.claim();
    assert(slot < entries_.keys.size());
    entries_.keys[slot] = key;
    entries_.values[slot] = packet;
    return make_packet<Command>(packet);
  }

  /// Adds a packet that is submitted right after that of `parent`, which must be the last of its chain. Returns its
  /// command, which the caller fills.
  template <typename Command, typename Parent>
  Command* append(Parent* parent) {
    std::byte* const packet = memory_->allocate(kPacketBytes<Command>);
    store_next_packet(packet_of(parent), packet);
    return make_packet<Command>(packet);
  }

  /// Sorts the entries by key. First closes the holes: slots that were claimed but not used.
  void sort() {
    count_ = slots_.compact([this](std::size_t from, std::size_t to, std::size_t count) {
      std::copy_n(entries_.keys.begin() + offset(from), count, entries_.keys.begin() + offset(to));
      std::copy_n(entries_.values.begin() + offset(from), count, entries_.values.begin() + offset(to));
    });
    designs::radix_sort(entries_, scratch_, count_);
  }

  /// After sort(): the first packet of each chain, by ascending key.
  std::span<std::byte*> packets() { return {entries_.values.data(), count_}; }
  std::span<const std::uint64_t> keys() const { return {entries_.keys.data(), count_}; }

  /// The chains from `first` until `last`, in the order of the keys.
  void submit(std::size_t first, std::size_t last, Backend& backend) const {
    for (std::size_t i = first; i < last; ++i) submit_chain(entries_.values[i], backend);
  }

  /// Empties the bucket. The owner of the memory must free the packets.
  void clear() {
    count_ = 0;
    slots_.reset();
  }

 private:
  /// Aligned, so that one thread's block of entries shares no cache line with another's.
  template <typename T>
  using Array = std::vector<T, boost::alignment::aligned_allocator<T, designs::kApart>>;

  struct Entries : designs::KeyedArrays<Array<std::uint64_t>, Array<std::byte*>> {
    explicit Entries(std::size_t size) {
      this->keys.resize(size);
      this->values.resize(size);
    }
  };

  static std::ptrdiff_t offset(std::size_t slot) { return static_cast<std::ptrdiff_t>(slot); }

  Memory* memory_;
  Entries entries_;
  Entries scratch_;
  Slots slots_;
  std::size_t count_ = 0;  ///< entries after sort()
};

}  // namespace lab::command_bucket
