/// The frames of three configurations, written in C++ as one would without a configuration: what the data is compared
/// with. The shaders are the same, compiled with this program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "harness/base/error.h"
#include "variants/render_config/engine/frame_renderer.h"
#include "variants/render_config/engine/objects.h"

namespace lab::render_config {

/// forward.json; deferred.json with cascades_atlas; greyscale/settings.json.
enum class CodedFrame : std::uint8_t { kForward, kDeferred, kGreyscale };

Expected<std::unique_ptr<FrameRenderer>> make_coded(CodedFrame frame, Objects& objects, std::uint32_t width,
                                                    std::uint32_t height);

}  // namespace lab::render_config
