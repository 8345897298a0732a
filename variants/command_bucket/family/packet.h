/// A command packet with the article's layout: pointer to the next packet of the chain, backend function that executes
/// the command, the command itself; no padding. The article's packets have 20 and 36 bytes. With pointers of 8 bytes
/// that leaves commands of 4 (map a constant buffer) and 20 bytes (draw). Packets are aligned to 4 bytes only, so the
/// two pointers may be unaligned. They are copied with memcpy, which is one ordinary move on x86-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "harness/bench/checksum.h"

namespace lab::command_bucket {

struct Draw;
struct MapConstants;

/// Takes the calls in place of the checksum: records them for a real rendering API.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void draw(const Draw& draw) = 0;
  virtual void map(const MapConstants& map) = 0;
};

/// Stands for the rendering API: computes a checksum of the arguments of all calls, in order, unless it has a recorder.
struct Backend {
  bench::Checksum checksum;
  std::uint64_t calls = 0;
  Recorder* recorder = nullptr;
};

using Dispatch = void (*)(const void* command, Backend& backend);

/// Stands for a draw call; the fields are its arguments.
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

/// Makes a packet in `memory` (kPacketBytes<Command>) that ends its chain. Returns its uninitialised command.
template <typename Command>
Command* make_packet(std::byte* memory) {
  const Dispatch dispatch = &Command::dispatch;
  store_next_packet(memory, nullptr);
  std::memcpy(memory + kDispatchAt, &dispatch, sizeof dispatch);
  return ::new (memory + kCommandAt) Command;
}

/// The packet that contains `command`.
template <typename Command>
std::byte* packet_of(Command* command) {
  return reinterpret_cast<std::byte*>(command) - kCommandAt;
}

/// Calls the backend for `packet` and all that follow in its chain.
inline void submit_chain(const std::byte* packet, Backend& backend) {
  for (; packet != nullptr; packet = next_packet(packet)) dispatch_of(packet)(packet + kCommandAt, backend);
}

}  // namespace lab::command_bucket
