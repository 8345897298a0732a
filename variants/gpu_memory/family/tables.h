/// What four drivers require of images and buffers, as results/reference/atlas keeps it. The tables are part of each
/// executable.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace lab::gpu_memory {

/// An RGBA8 image in optimal tiling with one mip level.
struct ImageNeeds {
  unsigned width = 0, height = 0;  ///< texels, powers of two up to 4096
  std::uint64_t bytes = 0, alignment = 1;
};

/// A storage buffer.
struct BufferNeeds {
  std::uint64_t length = 0;  ///< as asked, bytes
  std::uint64_t bytes = 0, alignment = 1;
};

struct DeviceTable {
  const char* name;           ///< as part of a workload's name: "navi10"
  const char* title;          ///< for people
  std::uint64_t granularity;  ///< bufferImageGranularity, bytes
  std::vector<ImageNeeds> images;
  std::vector<BufferNeeds> buffers;
};

/// lavapipe, an integrated GPU, and two dedicated ones of different makers. Ends the process if a table is malformed.
const std::array<DeviceTable, 4>& device_tables();

/// The lavapipe that packages.json pins, 22.3.6: for runs on a real device, not for workloads.
const DeviceTable& pinned_lavapipe_table();

}  // namespace lab::gpu_memory
