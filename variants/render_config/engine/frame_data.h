/// What shaders read in each frame, as configurations/shaders/frame.glsl declares it, and the views that are part of
/// it. Metres. The world is right-handed; no view mirrors it, so what is counter-clockwise seen from a view's place in
/// the world is so on the screen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lab::render_config {

inline constexpr std::size_t kMostViews = 8;  ///< the camera is the first

/// Columns, as GLSL has them. Clip space is Vulkan's: y down, depth from 0 to 1.
using Matrix = std::array<float, 16>;
using Four = std::array<float, 4>;

/// Where the scene is seen from. `forward` and `up` may have any length and need not be perpendicular, only not
/// parallel.
struct Camera {
  std::array<float, 3> eye, forward, up;
  float field_of_view = 1;  ///< vertical, radians
  float aspect = 1;         ///< width by height
  float near = 0.1f, far = 200;
};

/// A view besides the camera: one of the cascades of the sun's shadow. README.md has the meaning.
struct CascadeSpec {
  std::uint32_t cascade = 0, of = 1;
  float reach = 60, split = 0.5f;
  bool sphere = true;
  std::uint32_t pixels = 1024;  ///< edge of its image
  bool operator==(const CascadeSpec&) const = default;
};

/// std140.
struct ViewData {
  Matrix view_projection;
  Four eye;    ///< w: the near distance. Of a cascade: the middle of its near side, and 0
  Four range;  ///< x, y: distances from the camera, along its direction, that a view covers; z: edge of a cascade's
               ///< texel in metres (the longer one), 0 of the camera
};
struct FrameData {
  Matrix inverse_view_projection;   ///< of the camera
  Matrix previous_view_projection;  ///< of the camera, in the last frame
  Four sun_direction;               ///< to the sun
  Four sun_colour, sky_colour;
  Four output_size;  ///< width, height, and 1 by each
  Four time;         ///< seconds; number of the frame
  std::array<ViewData, kMostViews> views;
};
/// std430: three rows of a transformation, a colour whose fourth value is the opacity, and the rows of the last frame.
struct ObjectData {
  std::array<Four, 3> rows;
  Four colour;
  std::array<Four, 3> previous_rows;
};

/// Depth 0 is at the near distance.
ViewData camera_view(const Camera& camera);
/// The cascade's box encloses every point that the camera sees between the ends of its range, and what casts shadows
/// into it from at most 60 m towards the sun. Depth 0 is towards the sun. `sun`: to the sun, of any length.
ViewData cascade_view(const Camera& camera, std::array<float, 3> sun, const CascadeSpec& spec);

/// Fills in everything; views that are not used are 0. `views`: those after the camera, at most kMostViews - 1.
/// `previous`: of the last frame.
FrameData frame_data(const Camera& camera, std::array<float, 3> sun, std::span<const CascadeSpec> views,
                     std::uint32_t width, std::uint32_t height, double seconds, std::uint64_t frame,
                     const Matrix& previous);

}  // namespace lab::render_config
