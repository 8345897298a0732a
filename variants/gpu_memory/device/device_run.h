/// A plan on a real device: each resource is a VkImage or a VkBuffer in memory that a variant places and
/// vkAllocateMemory gives. What is counted is compared with the simulated device, which runs the same plan.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/error.h"
#include "harness/base/json_struct.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"
#include "variants/vulkan/device_program.h"

namespace lab::gpu_memory {

struct DeviceCounts {
  std::uint64_t resources = 0;           ///< that were placed
  std::uint64_t device_allocations = 0;  ///< calls of vkAllocateMemory
  std::uint64_t most_allocations = 0;    ///< at once
  std::uint64_t device_bytes = 0;        ///< the most at once
  bool operator==(const DeviceCounts&) const = default;
};
LAB_JSON_STRUCT(DeviceCounts, resources, device_allocations, most_allocations, device_bytes)

using vulkan::Finding;

struct DeviceReport {
  std::string device, driver;
  std::string policy, table;  ///< names; no table: it is not known what the driver should require
  DeviceCounts planned, counted;
  Finding other_places;        ///< resources that lie where the simulated device did not put them
  Finding other_requirements;  ///< that the table does not have, of all different resources of the plan
  std::uint64_t images = 0, buffers = 0, compared_bytes = 0;
  Finding wrong_contents;
  std::uint64_t left_allocations = 0;  ///< after the end
  bool validated = false;              ///< the validation layer watched
  std::string planted, caught;         ///< a violation on purpose, and what the layer said of it
  Finding validation;                  ///< what it said of the run
  bool agree = false;                  ///< counts and places are the planned ones

  /// A table that differs is a finding, not a failure.
  bool passed() const;
  /// For people.
  std::string sentence() const;
};
LAB_JSON_STRUCT(DeviceReport, device, driver, policy, table, planned, counted, other_places, other_requirements, images,
                buffers, compared_bytes, wrong_contents, left_allocations, validated, planted, caught, validation,
                agree)

/// The table of the device's driver; null if there is none.
const DeviceTable* table_of(const vulkan::Device& device);

/// Runs the plan, which is made of `report.table`, and fills in all fields but those of validation. Each resource has
/// contents of its own, which are compared before it is freed.
Expected<void> run_on(vulkan::Device& device, const Subject& subject, ResourcePlan plan, DeviceReport& report);

}  // namespace lab::gpu_memory
