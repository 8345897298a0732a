/// The parts of vulkan_memory_child's work; protocol.h has their names. Each writes its findings as events.
#pragma once

#include "harness/probe/memory/device.h"

namespace lab::probe {

/// Images and buffers in memory from the article's policy (variants/designs/offsets/alignment_buckets.h), with the
/// validation layers.
void run_policy_part(MemoryDevice& device);

/// vkAllocateMemory and vkFreeMemory against the policy.
void run_allocation_part(MemoryDevice& device);

/// The host's writes and reads of each memory type, and two ways to write to device-local memory.
void run_access_part(MemoryDevice& device);

/// A texture that a shader samples, and one that is rewritten for each frame.
void run_textures_part(MemoryDevice& device);

/// As many allocations as maxMemoryAllocationCount permits.
void run_limit_part(MemoryDevice& device);

}  // namespace lab::probe
