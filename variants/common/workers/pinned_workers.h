/// Gives each worker of a pool its own CPU, as Linux does it.
#pragma once

#include <memory>

#include "variants/designs/threads/worker_pool.h"

namespace lab {

/// Pins worker i to the calling thread's i-th CPU, also if other pools have pinned that thread already. The last of its
/// pools gives the calling thread its CPUs back. Null for one worker, and where the calling thread may use fewer CPUs
/// than there are workers. Best effort: a thread that cannot be pinned keeps its CPUs, which may be slower but is
/// correct.
std::unique_ptr<designs::Placement> pinned_workers(unsigned workers);

}  // namespace lab
