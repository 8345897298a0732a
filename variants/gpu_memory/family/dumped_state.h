/// What an allocator holds, as dump.h writes it.
#pragma once

#include <string>

#include "variants/gpu_memory/family/dump.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// The state at the end of a plan, on its simulated heap. Ends the process with status 2 if a request is refused.
DumpedMemory state_after(const Subject& subject, const ResourcePlan& plan, const std::string& device);

}  // namespace lab::gpu_memory
