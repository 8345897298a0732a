/// What a run of a scenario looks like: the article's film as data, and the times of frames.
#pragma once

#include "harness/bench/variant.h"
#include "variants/particle_buffer/family/buffer.h"
#include "variants/particle_buffer/family/scenario.h"

namespace lab::particle_buffer {

/// Adds to `workload`: bytes per live particle over the frames, pages as bars in a picture, and the events of pages.
bench::Workload with_film(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make);

/// Adds the numbers of particles emitted, allocated and live over the frames.
bench::Workload with_counts(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make);

/// Adds the time of each frame.
bench::Workload with_frame_times(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make);

}  // namespace lab::particle_buffer
