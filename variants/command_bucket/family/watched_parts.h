/// The parts of a version behind virtual calls. The exhibit of events is not timed, so it is compiled once for the
/// family, over these, and not again for each version: a second frame in a version's file would also change which
/// functions of the first, timed one the compiler inlines.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/run_buckets.h"

namespace lab::command_bucket {

/// As in PacketMemory and FreesPackets.
class AnyMemory {
 public:
  virtual ~AnyMemory() = default;
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* packet) = 0;
  virtual void reset() = 0;
  virtual std::size_t used() const = 0;
};

/// As in EntrySlots. Holes are left as they are.
class AnySlots {
 public:
  virtual ~AnySlots() = default;
  virtual std::size_t claim() = 0;
  virtual void reset() = 0;
};

enum class StoreKind { kBuckets, kUnionItems, kDrawItems, kPagedRuns, kWholeRuns };

struct WatchedParts {
  StoreKind kind = StoreKind::kBuckets;
  std::unique_ptr<AnyMemory> (*make_memory)(const Budget& budget) = nullptr;  ///< of kBuckets
  std::optional<FreeOrder> frees = {};                                        ///< none: all packets at once
  std::unique_ptr<AnySlots> (*make_slots)(std::size_t capacity, unsigned threads) = nullptr;  ///< not of runs
  std::size_t (*capacity)(std::size_t claims, unsigned threads) = nullptr;
  std::size_t at_once = 1;  ///< entries that a thread claims at once
};

template <PacketMemory Memory>
class ErasedMemory final : public AnyMemory {
 public:
  explicit ErasedMemory(const Budget& budget) : memory_(budget) {}
  // Flattened: a further call of Memory::allocate would change which functions of the timed frame are inlined.
  [[gnu::flatten]] std::byte* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(std::byte* packet) override {
    if constexpr (FreesPackets<Memory>) memory_.release(packet);
  }
  void reset() override { memory_.reset(); }
  std::size_t used() const override { return memory_.used(); }

 private:
  Memory memory_;
};

template <EntrySlots Slots>
class ErasedSlots final : public AnySlots {
 public:
  ErasedSlots(std::size_t capacity, unsigned threads) : slots_(capacity, threads) {}
  [[gnu::flatten]] std::size_t claim() override { return slots_.claim(); }
  void reset() override { slots_.reset(); }

 private:
  Slots slots_;
};

template <EntrySlots Slots>
WatchedParts parts_of_slots(StoreKind kind) {
  WatchedParts parts;
  parts.kind = kind;
  parts.make_slots = [](std::size_t capacity, unsigned threads) -> std::unique_ptr<AnySlots> {
    return std::make_unique<ErasedSlots<Slots>>(capacity, threads);
  };
  parts.capacity = [](std::size_t claims, unsigned threads) { return Slots::capacity(claims, threads); };
  parts.at_once = Slots::kAtOnce;
  return parts;
}

template <PacketMemory Memory, EntrySlots Slots, typename Sort>
WatchedParts parts_of(Buckets<Memory, Slots, Sort>*) {
  WatchedParts parts = parts_of_slots<Slots>(StoreKind::kBuckets);
  parts.make_memory = [](const Budget& budget) -> std::unique_ptr<AnyMemory> {
    return std::make_unique<ErasedMemory<Memory>>(budget);
  };
  if constexpr (FreesPackets<Memory>) parts.frees = Memory::kFreeOrder;
  return parts;
}

template <typename Item, EntrySlots Slots>
WatchedParts parts_of(ItemBuckets<Item, Slots>*) {
  return parts_of_slots<Slots>(std::is_same_v<Item, UnionItem> ? StoreKind::kUnionItems : StoreKind::kDrawItems);
}

template <typename Packet, typename Sort, std::size_t kEntries, bool kParallel>
WatchedParts parts_of(RunBuckets<Packet, Sort, kEntries, kParallel>*) {
  WatchedParts parts;
  parts.kind = kEntries == kWholeBucket ? StoreKind::kWholeRuns : StoreKind::kPagedRuns;
  parts.at_once = kEntries == kWholeBucket ? 1 : kEntries;
  return parts;
}

}  // namespace lab::command_bucket
