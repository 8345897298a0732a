/// The commands of a frame, and the backends that execute them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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
  std::byte* buffers = nullptr;  ///< what UpdateBuffer writes: kUpdateBytes for each number of a buffer
};

using Dispatch = void (*)(const void* command, Backend& backend);

/// Of packets: commands have members of at most this size.
inline constexpr std::size_t kPacketAlignment = 4;

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

/// Bytes of one update of a buffer: the constants of a light.
inline constexpr std::size_t kUpdateBytes = 256;

/// Stands for filling a buffer of the device with kUpdateBytes. The data lie behind the command in its packet and are
/// copied to the buffer (staging); or the frame has written them where the device reads them, because it owns that half
/// of a double buffer, and nothing is left to do.
struct UpdateBuffer {
  std::uint32_t buffer;
  std::uint32_t staged;  ///< 1: the data follow the command; 0: they are in place

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }

  static void dispatch(const void* command, Backend& backend);
};

static_assert(alignof(Draw) <= kPacketAlignment && alignof(MapConstants) <= kPacketAlignment &&
              alignof(UpdateBuffer) <= kPacketAlignment);

}  // namespace lab::command_bucket
