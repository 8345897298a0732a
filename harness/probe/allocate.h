/// Real allocations on a device: starts vulkan_memory_child once for each part of the work (memory/protocol.h) and
/// collects what it finds. A crash or a hang costs only its part.
#pragma once

#include <filesystem>

#include "harness/base/error.h"
#include "harness/probe/probe.h"
#include "harness/results/memory_findings.h"

namespace lab::probe {

struct AllocateSpec {
  std::filesystem::path child;  ///< vulkan_memory_child
  bool quick = false;           ///< few repetitions of small sizes: for tests
  bool layers = false;          ///< the validation layers in every part, not only in the policy's
};

/// Whether a column is of a device that is really there: its driver answered, and on this machine.
bool is_allocatable(const results::DriverColumn& column);

/// Allocates on the device of a column that probe() returned with the same `probe`. An error: no child executable, or
/// no such driver on this machine. What the device or its driver does wrong is in the findings.
Expected<results::MemoryFindings> allocate(const ProbeSpec& probe, const AllocateSpec& spec,
                                           const results::DriverColumn& column);

}  // namespace lab::probe
