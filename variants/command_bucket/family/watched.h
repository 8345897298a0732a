/// A frame that notes what each of its threads does while commands are added.
#pragma once

#include <vector>

#include "harness/bench/exhibits.h"
#include "variants/command_bucket/family/command_bucket.h"

namespace lab::command_bucket {

/// Renders a frame, and then another one, whose adding is watched. Returns what its threads did, by the begin, in
/// nanoseconds since the adding began: "task", "wait", "packet", "entry", "block" (README.md).
std::vector<bench::Event> watched_frame(const Renderer& renderer, const Scene& scene, designs::WorkerPool& pool);

}  // namespace lab::command_bucket
