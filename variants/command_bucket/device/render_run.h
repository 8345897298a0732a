/// One frame of version 7 on a real device, and whether its images would show a wrong one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/json_struct.h"
#include "variants/vulkan/device_program.h"

namespace lab::command_bucket {

struct RenderSpec {
  std::uint32_t meshes = 1000, lights = 1000;
  std::uint32_t secondaries = 0;  ///< parts of each layer; 0: all commands in the primary buffer
  std::uint64_t seed = 1;
  std::uint32_t edge = 512;   ///< of the images, pixels
  std::uint32_t frames = 1;   ///< times are medians
  bool check = false;         ///< also record it otherwise, and wrongly
  std::filesystem::path out;  ///< the folder for pictures; empty: none
};

using vulkan::Finding;

struct RenderReport {
  std::string device, driver;
  bool made_by_cpu = false;  ///< the device is a program on the CPU
  std::uint64_t meshes = 0, lights = 0, secondaries = 0;
  std::uint64_t draws = 0, maps = 0, binds = 0;  ///< recorded; binds of vertex and index buffers
  std::string digest;                            ///< of all images, 16 hex digits
  double record_ns = 0;                          ///< for one draw, maps and the primary buffer's passes included
  double execute_ms = 0;                         ///< until the fence
  std::optional<double> device_ns;               ///< by the device's own clock
  std::uint64_t unseen_draws = 0;                ///< without a pixel of their own
  std::uint64_t right_frames = 0;                ///< recorded otherwise
  Finding other_images;                          ///< of these
  std::uint64_t wrong_frames = 0;                ///< with a command dropped, repeated or swapped
  Finding unnoticed;                             ///< of these, with the same images
  bool validated = false;                        ///< the validation layer watched
  std::string planted, caught;                   ///< a violation on purpose, and what the layer said of it
  Finding validation;                            ///< what it said of the run

  bool passed() const;
  /// For people.
  std::string sentence() const;
};
LAB_JSON_STRUCT(RenderReport, device, driver, made_by_cpu, meshes, lights, secondaries, draws, maps, binds, digest,
                record_ns, execute_ms, device_ns, unseen_draws, right_frames, other_images, wrong_frames, unnoticed,
                validated, planted, caught, validation)

/// Fills in all fields but those of the device and of validation.
Expected<void> render(vulkan::Device& device, const RenderSpec& spec, RenderReport& report);

}  // namespace lab::command_bucket
