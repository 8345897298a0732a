/// The article's command buckets: keys and packets in two arrays that are filled in any order, sorted by key and
/// submitted.
#pragma once

#include <algorithm>
#include <array>
#include <boost/align/aligned_allocator.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "variants/command_bucket/family/discard.h"
#include "variants/command_bucket/family/packet.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/sorts.h"
#include "variants/designs/offsets/slot_counter.h"

namespace lab::command_bucket {

template <typename Slots>
concept EntrySlots = requires(Slots& slots, std::size_t claims, unsigned threads,
                              void (*move)(std::size_t from, std::size_t to, std::size_t count)) {
  Slots(claims, threads, claims);
  { Slots::capacity(claims, threads, claims) } -> std::same_as<std::size_t>;
  { Slots::kAtOnce } -> std::convertible_to<std::size_t>;
  { slots.claim() } -> std::same_as<std::size_t>;
  { slots.compact(move) } -> std::same_as<std::size_t>;
  slots.reset();
};

/// The buckets of a frame's layers. `Memory`: where packets come from, for all buckets. `Slots`: who gets which entry
/// of a bucket. `Sort`: one of sorts.h. A command that finds no packet or no entry is dropped and counted.
///
/// add() and append() may run on as many threads as Memory and Slots allow. All other calls come from one thread, with
/// no concurrent add() or append().
template <PacketMemory Memory, EntrySlots Slots, typename Sort = RadixSort>
class Buckets : public FreeOrderOf<Memory> {
 public:
  using Packet = ArticlePacket;
  using Sorting = Sort;
  using PacketsFrom = Memory;
  static constexpr bool kSortsInParallel = false;
  static constexpr std::size_t kAtOnce = Slots::kAtOnce;
  static constexpr bool kClaimsBlocks = requires(const Slots& slots) { slots.unused(); };

  explicit Buckets(const Budget& budget)
      : memory_(budget),
        discard_(budget.threads),
        buckets_{Bucket(budget, kGBuffer), Bucket(budget, kShadowMap), Bucket(budget, kLighting)} {}

  /// What a thread adds with while it executes a task: here, nothing of its own.
  class Writer {
   public:
    explicit Writer(Buckets& buckets) : buckets_(&buckets) {}

    /// Adds a packet under `key` and returns its command, which the caller fills, and `extra` bytes behind it.
    template <typename Command>
    Command* add(Layer layer, std::uint64_t key, std::size_t extra = 0) {
      return buckets_->add<Command>(layer, key, extra);
    }
    /// Adds a packet that is submitted right after that of `parent`, which must be the last of its chain and the last
    /// that this thread added. Returns its command, which the caller fills.
    template <typename Command, typename Parent>
    Command* append(Layer, Parent* parent) {
      return buckets_->append<Command>(parent);
    }

   private:
    Buckets* buckets_;
  };

  /// Sorts the entries of a bucket by key. First closes the holes: slots that were claimed but not used.
  void sort(Layer layer) {
    Bucket& bucket = buckets_[layer];
    if constexpr (kClaimsBlocks) bucket.unused = bucket.slots.unused();
    bucket.count = bucket.slots.compact([&bucket](std::size_t from, std::size_t to, std::size_t count) {
      std::copy_n(bucket.entries.keys.begin() + offset(from), count, bucket.entries.keys.begin() + offset(to));
      std::copy_n(bucket.entries.values.begin() + offset(from), count, bucket.entries.values.begin() + offset(to));
    });
    Sort::sort(bucket.entries, bucket.scratch, bucket.count);
  }

  // The following are for after sort().

  /// The number of chains in a bucket.
  std::size_t size(Layer layer) const { return buckets_[layer].count; }
  std::uint64_t key(Layer layer, std::size_t i) const { return buckets_[layer].entries.keys[i]; }
  /// The first packet of each chain, by ascending key.
  std::span<std::byte*> packets(Layer layer) { return {buckets_[layer].entries.values.data(), buckets_[layer].count}; }
  /// The chains from `first` until `last`, in the order of the keys.
  void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const {
    for (std::size_t i = first; i < last; ++i) submit_chain<Packet>(buckets_[layer].entries.values[i], backend);
  }
  /// Calls visit(packet) for each packet, in the order of submission.
  template <typename Visit>
  void each_packet(const Visit& visit) const {
    for (const Bucket& bucket : buckets_)
      for (std::size_t i = 0; i < bucket.count; ++i)
        for (std::byte *packet = bucket.entries.values[i], *next; packet != nullptr; packet = next) {
          next = Packet::next(packet);
          visit(packet);
        }
  }

  /// Empties the buckets. Packets that are freed one by one must have been.
  void clear() {
    for (Bucket& bucket : buckets_) {
      bucket.count = 0;
      bucket.slots.reset();
    }
    memory_.reset();
    discard_.reset();
  }

  Memory& memory() { return memory_; }
  std::size_t used() const { return memory_.used(); }
  std::size_t dropped() const { return discard_.dropped(); }
  /// After sort().
  std::size_t unused_entries() const requires kClaimsBlocks {
    std::size_t sum = 0;
    for (const Bucket& bucket : buckets_) sum += bucket.unused;
    return sum;
  }
  std::size_t grown() const { return 0; }

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

  static std::size_t at_once(const Budget& budget) { return budget.at_once == 0 ? kAtOnce : budget.at_once; }
  static std::ptrdiff_t offset(std::size_t slot) { return static_cast<std::ptrdiff_t>(slot); }

  struct Bucket {
    Bucket(const Budget& budget, Layer layer)
        : entries(Slots::capacity(budget.keys[layer], budget.threads, at_once(budget))),
          scratch(entries.keys.size()),
          slots(entries.keys.size(), budget.threads, at_once(budget)) {}
    Entries entries;
    Entries scratch;
    Slots slots;
    std::size_t count = 0;   // entries after sort()
    std::size_t unused = 0;  // entries that were claimed and not used, before sort() closed the holes
  };

  template <typename Command>
  Command* add(Layer layer, std::uint64_t key, std::size_t extra) {
    Bucket& bucket = buckets_[layer];
    std::byte* const packet = memory_.allocate(Packet::kBytes<Command> + extra);
    if (packet == nullptr) [[unlikely]]
      return discard_.template drop<Command>();
    const std::size_t slot = bucket.slots.claim();
    if (slot == designs::kNoSlot) [[unlikely]]
      return drop<Command>(packet);
    bucket.entries.keys[slot] = key;
    bucket.entries.values[slot] = packet;
    return Packet::make<Command>(packet);
  }

  template <typename Command, typename Parent>
  Command* append(Parent* parent) {
    std::byte* const before = packet_of<Packet>(parent);
    if (discard_.has(before)) [[unlikely]]
      return discard_.template drop<Command>();
    std::byte* const packet = memory_.allocate(Packet::kBytes<Command>);
    if (packet == nullptr) [[unlikely]]
      return discard_.template drop<Command>();
    Packet::store_next(before, packet);
    return Packet::make<Command>(packet);
  }

  template <typename Command>
  [[gnu::noinline]] Command* drop(std::byte* packet) {
    if constexpr (FreesPackets<Memory>) memory_.release(packet);
    return discard_.template drop<Command>();
  }

  Memory memory_;
  Discard<Packet> discard_;
  std::array<Bucket, kLayers> buckets_;
};

}  // namespace lab::command_bucket
