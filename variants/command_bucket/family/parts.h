/// A version's packet memory and entry slots behind virtual calls. The exhibit of events is not timed, so it is
/// compiled once for the family, over these, and not again for each version: a second frame in a version's file would
/// also change which functions of the first, timed one the compiler inlines.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/packet_memory.h"

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

struct Parts {
  std::unique_ptr<AnyMemory> (*make_memory)(const Budget& budget) = nullptr;
  std::optional<FreeOrder> frees = {};  ///< none: all packets at once
  std::unique_ptr<AnySlots> (*make_slots)(unsigned threads) = nullptr;
  std::size_t (*capacity)(std::size_t claims, unsigned threads) = nullptr;
  std::size_t slots_per_claim = 1;  ///< of data that threads share: Slots::kSlotsPerClaim, if it has one
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
  explicit ErasedSlots(unsigned threads) : slots_(threads) {}
  std::size_t claim() override { return slots_.claim(); }
  void reset() override { slots_.reset(); }

 private:
  Slots slots_;
};

template <PacketMemory Memory, EntrySlots Slots>
Parts parts_of() {
  Parts parts;
  parts.make_memory = [](const Budget& budget) -> std::unique_ptr<AnyMemory> {
    return std::make_unique<ErasedMemory<Memory>>(budget);
  };
  if constexpr (FreesPackets<Memory>) parts.frees = Memory::kFreeOrder;
  parts.make_slots = [](unsigned threads) -> std::unique_ptr<AnySlots> {
    return std::make_unique<ErasedSlots<Slots>>(threads);
  };
  parts.capacity = [](std::size_t claims, unsigned threads) { return Slots::capacity(claims, threads); };
  if constexpr (requires { Slots::kSlotsPerClaim; }) parts.slots_per_claim = Slots::kSlotsPerClaim;
  return parts;
}

}  // namespace lab::command_bucket
