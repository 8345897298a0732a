/// What the family's variants differ in: how a frame renderer comes to be, and how it records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "harness/base/error.h"
#include "variants/render_config/coded/coded_frames.h"
#include "variants/render_config/engine/frame_renderer.h"
#include "variants/render_config/engine/objects.h"
#include "variants/render_config/engine/shader_compiler.h"
#include "variants/render_config/family/registration.h"
#include "variants/render_config/language/config.h"

namespace lab::render_config {

/// A frame renderer in the making. Phases of a load: read() and then make().
class FrameMaker {
 public:
  virtual ~FrameMaker() = default;
  /// Reads the files of the configuration; nothing to do where it is code.
  virtual Expected<void> read(CodedFrame which) = 0;
  /// Of what was read last.
  virtual Expected<std::unique_ptr<FrameRenderer>> make(Objects& objects, std::uint32_t width,
                                                        std::uint32_t height) = 0;
};

/// The folder of the shipped configurations, and the file of one of them.
std::filesystem::path configurations();
std::filesystem::path file_of(CodedFrame which);

}  // namespace lab::render_config
