/// Records a sorted frame: all commands into the primary buffer, or equal parts of each layer on the workers of a pool.
#pragma once

#include <cstddef>

#include "variants/command_bucket/device/scene_renderer.h"
#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::command_bucket {

/// Between begin_frame() and end_frame().
inline void record_primary(const Frame& frame, SceneRenderer& renderer) {
  for (const Layer layer : kAllLayers) {
    Backend backend;
    backend.recorder = &renderer.begin_layer(layer);
    frame.submit(layer, 0, frame.size(layer), backend);
    renderer.end_layer(layer);
  }
}

/// The same in at most the renderer's number of recorders. Task i of the pool records part i of each layer.
inline void record_parts(const Frame& frame, SceneRenderer& renderer, designs::WorkerPool& pool, unsigned parts) {
  pool.run(parts, [&](std::size_t part) {
    for (const Layer layer : kAllLayers) {
      const std::size_t count = frame.size(layer);
      const std::size_t first = count * part / parts, last = count * (part + 1) / parts;
      const auto recorder = static_cast<unsigned>(part);
      Backend backend;
      backend.recorder = &renderer.begin_part(layer, recorder, first);
      frame.submit(layer, first, last, backend);
      renderer.end_part(layer, recorder);
    }
  });
  for (const Layer layer : kAllLayers) renderer.execute_parts(layer);
}

}  // namespace lab::command_bucket
