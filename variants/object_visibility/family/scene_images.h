/// The images that workloads and tests count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/bench/exhibits.h"
#include "variants/common/scenes/ray_scene.h"
#include "variants/object_visibility/family/object_visibility.h"

namespace lab::object_visibility {

/// An image with its pixels.
struct OwnedImage {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> ids;
  IdImage view() const { return {width, height, ids}; }
};

/// Each pixel begins a new run with probability 1 / `run`, always of another id: ids from 0 to `largest`.
OwnedImage runs_image(std::uint32_t width, std::uint32_t height, double run, std::uint32_t largest, std::uint64_t seed);

/// A floor and bodies on it, from the side: many hide others, wholly or in part. Body i has the id i + 1.
struct VisibleScene {
  std::vector<Body> bodies;
  PinholeCamera camera;
};
VisibleScene make_scene(std::size_t bodies, std::uint64_t seed);
/// A floor and three bodies near the camera, all of them visible (visible_ids), as in the article's pictures.
VisibleScene make_close_scene(std::uint64_t seed);
OwnedImage id_image(const VisibleScene& scene, std::uint32_t width, std::uint32_t height);

/// The same as a renderer with antialiasing writes it: each pixel is the mean of the ids of its samples.
struct BlendedImage {
  std::uint32_t width = 0, height = 0;
  std::vector<float> values;
  OwnedImage samples;  ///< kSamples times as wide and as high
};
inline constexpr std::uint32_t kSamples = 4;
BlendedImage blended_image(const VisibleScene& scene, std::uint32_t width, std::uint32_t height);

/// What becomes of a blended image.
struct WrongPixels {
  std::uint64_t blended = 0;           ///< pixels of several ids
  std::uint64_t wrong = 0;             ///< pixels whose id none of their samples has
  std::uint64_t of_other_objects = 0;  ///< of these, with an id that an object of the scene has
  std::vector<bool> is_wrong;
};
WrongPixels wrong_pixels(const BlendedImage& image, const std::vector<std::uint32_t>& ids, std::uint32_t largest);

/// Whether any of a body's bounding box may be in the picture: the frustum test of a renderer.
bool in_frustum(const PinholeCamera& camera, const Body& body, double aspect);
/// How many bodies the frustum alone lists, and of these, how many are not visible.
struct Listed {
  std::uint64_t listed = 0;
  std::uint64_t hidden = 0;  ///< no pixel: behind others, or outside with a box that is not
  std::uint64_t below_threshold = 0;
};
Listed listed_by_frustum(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height);

/// How many bodies have pixels where they are alone, and none in the scene: others hide them wholly.
std::uint64_t occluded(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height);
/// How many bodies have pixels in the scene, but not above the threshold, and would be above it alone: of these, others
/// leave a few pixels.
std::uint64_t nearly_occluded(const VisibleScene& scene, const Counts& counts, std::uint32_t width,
                              std::uint32_t height);
/// Of the pairs of visible bodies: those whose origins are in another order from the camera than the nearest points
/// that are seen of them.
std::uint64_t misordered(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height);

/// A colour for each id. Pixels of `marked`, if there are any, are white, and the others dark.
bench::Picture picture_of(const IdImage& image, const std::vector<bool>& marked = {});

}  // namespace lab::object_visibility
