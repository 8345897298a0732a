/// The command bucket of the article: keys and packets in two arrays, filled in any order, sorted by key, submitted.
#pragma once

#include <algorithm>
#include <boost/align/aligned_allocator.hpp>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "variants/command_bucket/packet.h"
#include "variants/command_bucket/packet_memory.h"
#include "variants/designs/radix_sort.h"

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

/// add() and append() come from as many threads as Memory and Slots allow; the rest from one, with nobody adding.
template <PacketMemory Memory, EntrySlots Slots>
class CommandBucket {
 public:
  /// For at most `commands` calls of add(); packets come from `memory`, which outlives the bucket.
  CommandBucket(std::size_t commands, unsigned threads, Memory& memory)
      : memory_(&memory),
        entries_(Slots::capacity(commands, threads)),
        scratch_(entries_.keys.size()),
        slots_(threads) {}

  /// The command to fill, of a new packet under `key`.
  template <typename Command>
  Command* add(std::uint64_t key) {
    std::byte* const packet = memory_->allocate(kPacketBytes<Command>);
    const std::size_t slot = slots_.claim();
    assert(slot < entries_.keys.size());
    entries_.keys[slot] = key;
    entries_.values[slot] = packet;
    return make_packet<Command>(packet);
  }

  /// The command to fill, of a new packet that is submitted right after that of `parent`, the last of its chain.
  template <typename Command, typename Parent>
  Command* append(Parent* parent) {
    std::byte* const packet = memory_->allocate(kPacketBytes<Command>);
    store_next_packet(packet_of(parent), packet);
    return make_packet<Command>(packet);
  }

  /// Sorts what was added by key. Slots that were claimed but not used are closed first, and so never sorted.
  void sort() {
    count_ = slots_.compact([this](std::size_t from, std::size_t to, std::size_t count) {
      std::copy_n(entries_.keys.begin() + offset(from), count, entries_.keys.begin() + offset(to));
      std::copy_n(entries_.values.begin() + offset(from), count, entries_.values.begin() + offset(to));
    });
    designs::radix_sort(entries_, scratch_, count_);
  }

  /// After sort(): the chains' first packets by rising key.
  std::span<std::byte*> packets() { return {entries_.values.data(), count_}; }
  std::span<const std::uint64_t> keys() const { return {entries_.keys.data(), count_}; }

  void submit(Backend& backend) const {
    for (std::size_t i = 0; i < count_; ++i) submit_chain(entries_.values[i], backend);
  }

  /// Empties the bucket; its packets are for the owner of the memory to give back.
  void clear() {
    count_ = 0;
    slots_.reset();
  }

 private:
  /// On lines of their own, so that a block of entries of one thread shares none.
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
