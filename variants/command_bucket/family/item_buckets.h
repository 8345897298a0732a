/// Buckets whose commands all take an item of one size, in one array for each bucket: a packet has no address of its
/// own, and there is nothing to allocate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/discard.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/sorts.h"

namespace lab::command_bucket {

/// One of any command, told apart by a number. What is appended takes an item of its own.
struct UnionItem {
  enum Kind : std::uint32_t { kDraw, kMap, kUpdate };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint64_t key;
  Kind kind;
  std::uint32_t next;  ///< item that follows in the chain, or kNone
  bool appended;
  union {
    Draw draw;
    MapConstants map;
    UpdateBuffer update;
  };

  static constexpr bool kAppendsInPlace = false;

  Draw* make(Draw*) { return kind = kDraw, &draw; }
  MapConstants* make(MapConstants*) { return kind = kMap, &map; }
  UpdateBuffer* make(UpdateBuffer*) { return kind = kUpdate, &update; }

  void submit(Backend& backend) const {
    switch (kind) {
      case kDraw:
        return Draw::dispatch(&draw, backend);
      case kMap:
        return MapConstants::dispatch(&map, backend);
      case kUpdate:
        return UpdateBuffer::dispatch(&update, backend);
    }
  }
  static UnionItem& of(void* command) {
    return *reinterpret_cast<UnionItem*>(static_cast<std::byte*>(command) - offsetof(UnionItem, draw));
  }
};

/// A draw with what must be set before it, as in bgfx: a cache line for each. Keys lie apart, in the array that is
/// sorted.
struct alignas(64) DrawItem {
  enum Before : std::uint32_t { kNothing, kMap, kUpdate };

  Before before;
  bool has_draw;
  union {
    MapConstants map;
    UpdateBuffer update;
  };
  Draw draw;

  static constexpr bool kAppendsInPlace = true;

  Draw* make(Draw*) { return before = kNothing, has_draw = true, &draw; }
  MapConstants* make(MapConstants*) { return before = kMap, has_draw = false, &map; }
  UpdateBuffer* make(UpdateBuffer*) { return before = kUpdate, has_draw = false, &update; }
  Draw* append(Draw*) { return has_draw = true, &draw; }

  void submit(Backend& backend) const {
    if (before == kMap) MapConstants::dispatch(&map, backend);
    if (before == kUpdate) UpdateBuffer::dispatch(&update, backend);
    if (has_draw) Draw::dispatch(&draw, backend);
  }
  static DrawItem& of(void* command) {
    return *reinterpret_cast<DrawItem*>(static_cast<std::byte*>(command) - offsetof(DrawItem, map));
  }
};

/// As Buckets (bucket.h), but without packets: a command cannot carry data. `Slots` must leave no holes.
template <typename Item, EntrySlots Slots>
class ItemBuckets {
 public:
  static constexpr bool kSortsInParallel = false;
  static constexpr std::size_t kAtOnce = Slots::kAtOnce;

  explicit ItemBuckets(const Budget& budget)
      : discard_(budget.threads),
        buckets_{Bucket(budget, kGBuffer), Bucket(budget, kShadowMap), Bucket(budget, kLighting)} {}

  class Writer {
   public:
    explicit Writer(ItemBuckets& buckets) : buckets_(&buckets) {}
    template <typename Command>
    Command* add(Layer layer, std::uint64_t key, std::size_t /*extra*/ = 0) {
      return buckets_->add<Command>(layer, key);
    }
    template <typename Command, typename Parent>
    Command* append(Layer layer, Parent* parent) {
      return buckets_->append<Command>(layer, parent);
    }

   private:
    ItemBuckets* buckets_;
  };

  void sort(Layer layer) {
    Bucket& bucket = buckets_[layer];
    const std::size_t items = bucket.slots.compact([](std::size_t, std::size_t, std::size_t) {});
    std::size_t count = 0;
    if constexpr (Item::kAppendsInPlace) {
      count = items;
    } else {
      for (std::size_t i = 0; i < items; ++i) {
        if (bucket.items[i].appended) continue;
        bucket.entries.keys[count] = bucket.items[i].key;
        bucket.entries.values[count++] = static_cast<std::uint32_t>(i);
      }
    }
    bucket.count = count;
    RadixSort::sort(bucket.entries, bucket.scratch, count);
  }

  std::size_t size(Layer layer) const { return buckets_[layer].count; }
  std::uint64_t key(Layer layer, std::size_t i) const { return buckets_[layer].entries.keys[i]; }
  void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const {
    const Bucket& bucket = buckets_[layer];
    for (std::size_t i = first; i < last; ++i) {
      if constexpr (Item::kAppendsInPlace) {
        bucket.items[bucket.entries.values[i]].submit(backend);
      } else {
        for (std::uint32_t at = bucket.entries.values[i]; at != Item::kNone; at = bucket.items[at].next)
          bucket.items[at].submit(backend);
      }
    }
  }

  void clear() {
    for (Bucket& bucket : buckets_) {
      bucket.count = 0;
      bucket.slots.reset();
    }
    discard_.reset();
  }

  /// Of all items that a frame with its budget takes.
  std::size_t used() const {
    std::size_t items = 0;
    for (const Bucket& bucket : buckets_) items += bucket.slots.compact([](std::size_t, std::size_t, std::size_t) {});
    return items * sizeof(Item);
  }
  std::size_t dropped() const { return discard_.dropped(); }
  std::size_t grown() const { return 0; }

 private:
  struct Entries : designs::KeyedArrays<std::vector<std::uint64_t>, std::vector<std::uint32_t>> {
    explicit Entries(std::size_t size) {
      this->keys.resize(size);
      this->values.resize(size);
    }
  };

  /// A light takes two items, unless its update and its draw share one.
  static std::size_t items_of(const Budget& budget, Layer layer) {
    const std::size_t each = layer == kLighting && !Item::kAppendsInPlace ? 2 : 1;
    return Slots::capacity(each * budget.keys[layer], budget.threads);
  }

  struct Bucket {
    Bucket(const Budget& budget, Layer layer)
        : items(items_of(budget, layer)),
          entries(items.size()),
          scratch(items.size()),
          slots(items.size(), budget.threads) {}
    std::vector<Item> items;
    Entries entries;
    Entries scratch;
    Slots slots;
    std::size_t count = 0;
  };

  template <typename Command>
  Command* add(Layer layer, std::uint64_t key) {
    Bucket& bucket = buckets_[layer];
    const std::size_t slot = bucket.slots.claim();
    if (slot == designs::kNoSlot) [[unlikely]]
      return discard_.template drop<Command>();
    Item& item = bucket.items[slot];
    if constexpr (Item::kAppendsInPlace) {
      bucket.entries.keys[slot] = key;
      bucket.entries.values[slot] = static_cast<std::uint32_t>(slot);
    } else {
      item.key = key;
      item.next = Item::kNone;
      item.appended = false;
    }
    return item.make(static_cast<Command*>(nullptr));
  }

  template <typename Command, typename Parent>
  Command* append(Layer layer, Parent* parent) {
    if (discard_.has(packet_of<ArticlePacket>(parent))) [[unlikely]]
      return discard_.template drop<Command>();
    Item& before = Item::of(parent);
    if constexpr (Item::kAppendsInPlace) {
      return before.append(static_cast<Command*>(nullptr));
    } else {
      Bucket& bucket = buckets_[layer];
      const std::size_t slot = bucket.slots.claim();
      if (slot == designs::kNoSlot) [[unlikely]]
        return discard_.template drop<Command>();
      Item& item = bucket.items[slot];
      before.next = static_cast<std::uint32_t>(slot);
      item.next = Item::kNone;
      item.appended = true;
      return item.make(static_cast<Command*>(nullptr));
    }
  }

  Discard<ArticlePacket> discard_;
  std::array<Bucket, kLayers> buckets_;
};

}  // namespace lab::command_bucket
