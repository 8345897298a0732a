/// A command packet, laid out as the article has it: the next packet of the chain, the backend function that carries
/// the command out, the command itself; no padding. With pointers of 8 bytes the article's packets of 20 and 36 bytes
/// leave commands of 4 (map a constant buffer) and 20 bytes (draw). Packets lie on multiples of 4 only, so the two
/// pointers in front may be unaligned and are copied, which on x86-64 is one ordinary move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "harness/bench/checksum.h"

namespace lab::command_bucket {

/// Stands for the rendering API: sums what it is called with, in the order of the calls.
struct Backend {
  bench::Checksum checksum;
  std::uint64_t calls = 0;
};

using Dispatch = void (*)(const void* command, Backend& backend);

/// Stands for a draw call; every field is an argument of it.
struct Draw {
  std::uint32_t index_count;
  std::uint32_t first_index;
  std::uint32_t base_vertex;
  std::uint16_t vertex_buffer;
  std::uint16_t index_buffer;
  std::uint32_t constants;

  static void dispatch(const void* command, Backend& backend);
};

/// Stands for mapping a constant buffer and writing to it.
struct MapConstants {
  std::uint16_t buffer;
  std::uint16_t value;

  static void dispatch(const void* command, Backend& backend);
};

inline constexpr std::size_t kNextAt = 0;
inline constexpr std::size_t kDispatchAt = kNextAt + sizeof(void*);
inline constexpr std::size_t kCommandAt = kDispatchAt + sizeof(Dispatch);
inline constexpr std::size_t kPacketAlignment = 4;

template <typename Command>
inline constexpr std::size_t kPacketBytes = kCommandAt + sizeof(Command);

static_assert(kPacketBytes<MapConstants> == 20 && kPacketBytes<Draw> == 36);
static_assert(alignof(Draw) <= kPacketAlignment && kCommandAt % kPacketAlignment == 0);

inline std::byte* next_packet(const std::byte* packet) {
  std::byte* next;
  std::memcpy(&next, packet + kNextAt, sizeof next);
  return next;
}

inline void store_next_packet(std::byte* packet, std::byte* next) {
  std::memcpy(packet + kNextAt, &next, sizeof next);
}

inline Dispatch dispatch_of(const std::byte* packet) {
  Dispatch dispatch;
  std::memcpy(&dispatch, packet + kDispatchAt, sizeof dispatch);
  return dispatch;
}

/// Makes `memory` (kPacketBytes<Command>) a packet that ends its chain; its command is still to be filled.
template <typename Command>
Command* make_packet(std::byte* memory) {
  const Dispatch dispatch = &Command::dispatch;
  store_next_packet(memory, nullptr);
  std::memcpy(memory + kDispatchAt, &dispatch, sizeof dispatch);
  return ::new (memory + kCommandAt) Command;
}

/// The packet that `command` lies in.
template <typename Command>
std::byte* packet_of(Command* command) {
  return reinterpret_cast<std::byte*>(command) - kCommandAt;
}

/// Calls the backend with `packet` and those that hang on it.
inline void submit_chain(const std::byte* packet, Backend& backend) {
  for (; packet != nullptr; packet = next_packet(packet)) dispatch_of(packet)(packet + kCommandAt, backend);
}

}  // namespace lab::command_bucket
