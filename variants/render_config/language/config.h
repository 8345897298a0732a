/// A render config whose names are resolved: what a renderer needs, in plain data. README.md describes the language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "variants/render_config/language/located_json.h"

namespace lab::render_config {

enum class Format : std::uint8_t {
  kR8,
  kRg8,
  kRgba8,
  kR16f,
  kRg16f,
  kRgba16f,
  kR32f,
  kRg32f,
  kRgba32f,
  kRgb10a2,
  kR11g11b10f,
  kRgb8,
  kRgb16f,
  kRgb32f,
  kDepth16,
  kDepth24,
  kDepth32,
  kDepth24Stencil8
};
inline constexpr std::array<std::string_view, 18> kFormats{
    "r8",      "rg8",        "rgba8", "r16f",   "rg16f",  "rgba16f", "r32f",    "rg32f",   "rgba32f",
    "rgb10a2", "r11g11b10f", "rgb8",  "rgb16f", "rgb32f", "depth16", "depth24", "depth32", "depth24_stencil8"};
constexpr bool is_depth(Format format) {
  return format >= Format::kDepth16;
}

/// Of a texel, as a device may store it at least.
constexpr std::uint64_t texel_bytes(Format format) {
  constexpr std::array<std::uint8_t, kFormats.size()> kBytes{1, 2, 4, 2, 4, 8, 4, 8, 16, 4, 4, 3, 6, 12, 2, 4, 4, 4};
  return kBytes[static_cast<std::size_t>(format)];
}

/// An image. Its size is `scale` of the output's, or `pixels` if they are not 0.
struct Resource {
  std::string name;
  Place place;
  Format format = Format::kRgba8;
  double scale = 1;
  std::array<std::uint32_t, 2> pixels{};
};

/// A cascade of the sun's shadow.
struct View {
  std::string name;
  Place place;
  std::uint32_t cascade = 0, of = 1;
  double reach = 60, split = 0.5;
  bool sphere = true;
  std::uint32_t pixels = 1024;
};

enum class Cull : std::uint8_t { kNone, kBack, kFront };
enum class DepthTest : std::uint8_t { kOff, kLess, kLessEqual, kEqual };
enum class Blend : std::uint8_t { kNone, kOver, kAdd };
inline constexpr std::array<std::string_view, 3> kCulls{"none", "back", "front"}, kBlends{"none", "over", "add"};
inline constexpr std::array<std::string_view, 4> kDepthTests{"off", "less", "less_equal", "equal"};

struct Shader {
  std::string name;
  Place place;
  std::string vertex = {}, fragment = {};  ///< paths of GLSL; no fragment shader: ""
  Place vertex_place = {}, fragment_place = {};
  Cull cull = Cull::kNone;
  DepthTest depth = DepthTest::kOff;
  bool depth_write = true;
  Blend blend = Blend::kNone;
};

struct Input {
  std::string name;  ///< in GLSL
  Place place;
  std::size_t resource = 0;
  bool linear = false;
  bool previous = false;  ///< what the resource held at the end of the last frame
};
struct Constant {
  std::string name;
  Place place;
  std::vector<float> values;  ///< 1 to 4
};

/// A pass of a frame. The numbers of resources, shaders and views are places in Config's lists; view 0 is the camera,
/// 1 is views[0].
struct Pass {
  std::string name;  ///< "lighting[0]": the generator, and the place in it
  Place place;
  bool fullscreen = false;
  std::size_t shader = 0;                                         ///< of a fullscreen pass
  std::size_t order = 0;                                          ///< of a layer
  std::vector<std::optional<std::size_t>> material_shaders = {};  ///< of a layer: by material of the environment
  std::size_t view = 0;
  std::vector<std::size_t> targets = {};
  std::optional<std::size_t> depth = {};
  /// By target, and then depth. Nothing: what was drawn before stays.
  std::vector<std::optional<std::array<float, 4>>> clears = {};
  bool covers = false;  ///< every pixel of its targets is drawn, so what was there before does not matter
  std::array<double, 4> viewport{0, 0, 1, 1};
  std::vector<Input> inputs = {};
  std::vector<Constant> constants = {};
};

struct Config {
  std::vector<Resource> resources;
  std::vector<View> views;
  std::vector<Shader> shaders;
  std::vector<Pass> frame;
  std::size_t output = 0;  ///< a resource of the format rgba8, of the output's size

  /// By resource: whether a pass of the frame reads it as previous.
  std::vector<bool> histories() const;
  /// Of the resource in an output of that size; each at least 1.
  std::array<std::uint32_t, 2> size_of(std::size_t resource, std::uint32_t width, std::uint32_t height) const;
};

inline constexpr std::size_t kMostTargets = 8;                   ///< of colour, of a pass
inline constexpr std::size_t kMostInputs = 8;                    ///< of a pass
inline constexpr std::uint64_t kMostImageBytes = 2'000'000'000;  ///< of all images of a frame

/// What a configuration can ask for.
struct RenderEnvironment {
  std::vector<std::string_view> materials, orders;
  std::size_t most_views = 7;               ///< besides the camera
  std::size_t most_targets = kMostTargets;  ///< at most that
  std::uint32_t most_pixels = 16'384;       ///< an edge of an image
  /// Whether an image of the format can be drawn to and sampled.
  std::function<bool(Format)> supports = [](Format) { return true; };
  /// Whether an image of the format can be read between texels, and whether what is drawn to it can be blended.
  std::function<bool(Format)> filters = [](Format) { return true; }, blends = [](Format) { return true; };
};

}  // namespace lab::render_config
