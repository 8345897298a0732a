#include "variants/command_bucket/family/commands.h"

#include <cassert>

namespace lab::command_bucket {

void Draw::dispatch(const void* command, Backend& backend) {
  const Draw& draw = *static_cast<const Draw*>(command);
  ++backend.calls;
  if (backend.recorder != nullptr) return backend.recorder->draw(draw);
  backend.checksum.word(std::uint64_t{draw.index_count} << 32 | draw.first_index);
  backend.checksum.word(std::uint64_t{draw.base_vertex} << 32 | std::uint64_t{draw.vertex_buffer} << 16 |
                        draw.index_buffer);
  backend.checksum.word(draw.constants);
}

void MapConstants::dispatch(const void* command, Backend& backend) {
  const MapConstants& map = *static_cast<const MapConstants*>(command);
  ++backend.calls;
  if (backend.recorder != nullptr) return backend.recorder->map(map);
  backend.checksum.word(std::uint64_t{map.buffer} << 16 | map.value);
}

void UpdateBuffer::dispatch(const void* command, Backend& backend) {
  const UpdateBuffer& update = *static_cast<const UpdateBuffer*>(command);
  ++backend.calls;
  assert(backend.recorder == nullptr && backend.buffers != nullptr);
  if (update.staged != 0)
    std::memcpy(backend.buffers + std::size_t{update.buffer} * kUpdateBytes, update.data(), kUpdateBytes);
  backend.checksum.word(update.buffer);
}

}  // namespace lab::command_bucket
