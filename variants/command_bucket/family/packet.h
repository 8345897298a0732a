/// A command packet with the article's layout: pointer to the next packet of the chain, backend function that executes
/// the command, the command itself, and data that it may carry; no padding. The article's packets have 20 and 36 bytes.
/// With pointers of 8 bytes that leaves commands of 4 (map a constant buffer) and 20 bytes (draw). Packets are aligned
/// to 4 bytes only, so the two pointers may be unaligned. They are copied with memcpy, which is one ordinary move on
/// x86-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "variants/command_bucket/family/commands.h"

namespace lab::command_bucket {

struct ArticlePacket {
  static constexpr std::size_t kNextAt = 0;
  static constexpr std::size_t kDispatchAt = kNextAt + sizeof(void*);
  static constexpr std::size_t kCommandAt = kDispatchAt + sizeof(Dispatch);

  template <typename Command>
  static constexpr std::size_t kBytes = kCommandAt + sizeof(Command);

  static std::byte* next(const std::byte* packet) {
    std::byte* next;
    std::memcpy(&next, packet + kNextAt, sizeof next);
    return next;
  }

  static void store_next(std::byte* packet, std::byte* next) { std::memcpy(packet + kNextAt, &next, sizeof next); }

  static Dispatch dispatch(const std::byte* packet) {
    Dispatch dispatch;
    std::memcpy(&dispatch, packet + kDispatchAt, sizeof dispatch);
    return dispatch;
  }

  /// Makes a packet in `memory` (kBytes<Command>, and then its data) that ends its chain. Returns its uninitialised
  /// command.
  template <typename Command>
  static Command* make(std::byte* memory) {
    const Dispatch dispatch = &Command::dispatch;
    store_next(memory, nullptr);
    std::memcpy(memory + kDispatchAt, &dispatch, sizeof dispatch);
    return ::new (memory + kCommandAt) Command;
  }
};

static_assert(ArticlePacket::kBytes<MapConstants> == 20 && ArticlePacket::kBytes<Draw> == 36);
static_assert(ArticlePacket::kCommandAt % kPacketAlignment == 0);

/// The same with two offsets of 4 bytes in place of the two pointers: packets of 12 and 28 bytes. The next packet is
/// given by its distance, so that both must lie in one buffer; the backend function by its distance from another one of
/// the same program, so that new commands need no table.
struct CompactPacket {
  static constexpr std::size_t kNextAt = 0;
  static constexpr std::size_t kDispatchAt = kNextAt + sizeof(std::int32_t);
  static constexpr std::size_t kCommandAt = kDispatchAt + sizeof(std::int32_t);

  template <typename Command>
  static constexpr std::size_t kBytes = kCommandAt + sizeof(Command);

  static std::byte* next(const std::byte* packet) {
    std::int32_t distance;
    std::memcpy(&distance, packet + kNextAt, sizeof distance);
    return distance == 0 ? nullptr : const_cast<std::byte*>(packet) + distance;
  }

  static void store_next(std::byte* packet, std::byte* next) {
    const auto distance = static_cast<std::int32_t>(next == nullptr ? 0 : next - packet);
    std::memcpy(packet + kNextAt, &distance, sizeof distance);
  }

  static Dispatch dispatch(const std::byte* packet) {
    std::int32_t distance;
    std::memcpy(&distance, packet + kDispatchAt, sizeof distance);
    return reinterpret_cast<Dispatch>(reinterpret_cast<std::intptr_t>(&Draw::dispatch) + distance);
  }

  template <typename Command>
  static Command* make(std::byte* memory) {
    const auto distance = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(&Command::dispatch) -
                                                    reinterpret_cast<std::intptr_t>(&Draw::dispatch));
    store_next(memory, nullptr);
    std::memcpy(memory + kDispatchAt, &distance, sizeof distance);
    return ::new (memory + kCommandAt) Command;
  }
};

static_assert(CompactPacket::kBytes<MapConstants> == 12 && CompactPacket::kBytes<Draw> == 28);

/// The packet that contains `command`.
template <typename Packet, typename Command>
std::byte* packet_of(Command* command) {
  return reinterpret_cast<std::byte*>(command) - Packet::kCommandAt;
}

/// The size of a packet with its command and the data that it carries.
template <typename Packet>
std::size_t bytes_of(const std::byte* packet) {
  const Dispatch dispatch = Packet::dispatch(packet);
  if (dispatch == &MapConstants::dispatch) return Packet::template kBytes<MapConstants>;
  if (dispatch == &Draw::dispatch) return Packet::template kBytes<Draw>;
  const auto* const update = reinterpret_cast<const UpdateBuffer*>(packet + Packet::kCommandAt);
  return Packet::template kBytes<UpdateBuffer> + (update->staged != 0 ? kUpdateBytes : 0);
}

/// Calls the backend for `packet` and all that follow in its chain.
template <typename Packet>
void submit_chain(const std::byte* packet, Backend& backend) {
  for (; packet != nullptr; packet = Packet::next(packet))
    Packet::dispatch(packet)(packet + Packet::kCommandAt, backend);
}

}  // namespace lab::command_bucket
