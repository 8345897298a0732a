#include "variants/object_visibility/family/scene_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "harness/base/random.h"
#include "variants/object_visibility/family/prompt.h"

namespace lab::object_visibility {

namespace {

/// Of the pixel's samples, a callback for each.
template <typename Visit>
void for_samples(const OwnedImage& samples, std::uint32_t x, std::uint32_t y, Visit&& visit) {
  for (std::uint32_t row = 0; row < kSamples; ++row)
    for (std::uint32_t column = 0; column < kSamples; ++column)
      visit(samples.ids[std::size_t{y * kSamples + row} * samples.width + x * kSamples + column]);
}

double between(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.below(1u << 20)) / (1u << 20);
}

/// The camera, and the floor below it.
VisibleScene floor_alone() {
  return {{{BodyShape::kBox, {0, -0.5, -6}, {14, 0.5, 14}}}, look_at({0, 1.8, 6}, {0, 0.8, -4}, 0.5)};
}

}  // namespace

OwnedImage runs_image(std::uint32_t width, std::uint32_t height, double run, std::uint32_t largest,
                      std::uint64_t seed) {
  OwnedImage image{width, height, std::vector<std::uint32_t>(std::size_t{width} * height)};
  Random random(seed);
  const auto limit = static_cast<std::uint64_t>(0x1p32 / run);
  std::uint32_t id = static_cast<std::uint32_t>(random.below(std::uint64_t{largest} + 1));
  for (std::uint32_t& pixel : image.ids) {
    if (largest > 0 && random.below(1ull << 32) < limit) {
      const auto other = static_cast<std::uint32_t>(random.below(largest));
      id = other + (other >= id ? 1 : 0);
    }
    pixel = id;
  }
  return image;
}

VisibleScene make_scene(std::size_t bodies, std::uint64_t seed) {
  Random random(seed);
  const auto from = [&random](double low, double high) { return between(random, low, high); };
  VisibleScene scene = floor_alone();
  while (scene.bodies.size() < bodies) {
    const double size = from(0.15, 0.9);
    const bool sphere = random.below(2) == 0;
    const Vector3 half = sphere ? Vector3{size, size, size} : Vector3{size, from(0.2, 1.6), from(0.2, 0.9)};
    scene.bodies.push_back({sphere ? BodyShape::kSphere : BodyShape::kBox, {from(-9, 9), half.y, from(-16, 4)}, half});
  }
  scene.bodies.resize(bodies);
  return scene;
}

VisibleScene make_close_scene(std::uint64_t seed) {
  constexpr std::size_t kBodies = 4;
  constexpr std::uint32_t kPreviewWidth = 192, kPreviewHeight = 108;
  Random random(seed);
  const auto from = [&random](double low, double high) { return between(random, low, high); };
  for (;;) {
    VisibleScene scene = floor_alone();
    while (scene.bodies.size() < kBodies) {
      const double size = from(0.5, 1.2);
      const bool sphere = random.below(2) == 0;
      const Vector3 half = sphere ? Vector3{size, size, size} : Vector3{size, from(0.5, 1.2), from(0.3, 0.9)};
      scene.bodies.push_back({sphere ? BodyShape::kSphere : BodyShape::kBox, {from(-2, 2), half.y, from(-2, 2)}, half});
    }
    Counts counts(kBodies + 1);
    for (const std::uint32_t id : id_image(scene, kPreviewWidth, kPreviewHeight).ids) ++counts[id];
    counts[kBackground] = 0;
    if (visible_ids(counts, std::size_t{kPreviewWidth} * kPreviewHeight).size() == kBodies) return scene;
  }
}

OwnedImage id_image(const VisibleScene& scene, std::uint32_t width, std::uint32_t height) {
  SeenBodies seen = see(scene.bodies, scene.camera, width, height);
  for (std::uint32_t& body : seen.body) body = body == kNoBody ? kBackground : body + 1;
  return {width, height, std::move(seen.body)};
}

BlendedImage blended_image(const VisibleScene& scene, std::uint32_t width, std::uint32_t height) {
  BlendedImage image{width, height, {}, id_image(scene, width * kSamples, height * kSamples)};
  image.values.reserve(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      float sum = 0;
      for_samples(image.samples, x, y, [&sum](std::uint32_t id) { sum += static_cast<float>(id); });
      image.values.push_back(sum / (kSamples * kSamples));
    }
  return image;
}

WrongPixels wrong_pixels(const BlendedImage& image, const std::vector<std::uint32_t>& ids, std::uint32_t largest) {
  WrongPixels wrong;
  std::size_t pixel = 0;
  for (std::uint32_t y = 0; y < image.height; ++y)
    for (std::uint32_t x = 0; x < image.width; ++x, ++pixel) {
      const std::uint32_t id = ids[pixel];
      const std::uint32_t first = image.samples.ids[std::size_t{y * kSamples} * image.samples.width + x * kSamples];
      bool several = false, found = false;
      for_samples(image.samples, x, y, [&](std::uint32_t sample) {
        several = several || sample != first;
        found = found || sample == id;
      });
      wrong.blended += several ? 1 : 0;
      wrong.wrong += found ? 0 : 1;
      wrong.of_other_objects += !found && id != kBackground && id <= largest ? 1 : 0;
      wrong.is_wrong.push_back(!found);
    }
  return wrong;
}

bool in_frustum(const PinholeCamera& camera, const Body& body, double aspect) {
  const Vector3 half = body.shape == BodyShape::kSphere ? Vector3{body.half.x, body.half.x, body.half.x} : body.half;
  const Vector3 to = body.middle - camera.eye;
  const double across = camera.tangent * aspect;
  // Each plane goes through the eye, and its normal points into the frustum.
  const std::array<Vector3, 5> normals{
      camera.forward, camera.forward * across + camera.right, camera.forward * across - camera.right,
      camera.forward * camera.tangent + camera.up, camera.forward * camera.tangent - camera.up};
  return std::ranges::all_of(normals, [&](const Vector3& normal) {
    const double reach = std::abs(normal.x) * half.x + std::abs(normal.y) * half.y + std::abs(normal.z) * half.z;
    return dot(normal, to) + reach > 0;
  });
}

Listed listed_by_frustum(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height) {
  Listed listed;
  const auto visible = visible_ids(counts, std::uint64_t{width} * height);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (!in_frustum(scene.camera, scene.bodies[i], static_cast<double>(width) / height)) continue;
    ++listed.listed;
    const auto id = static_cast<std::uint32_t>(i + 1);
    if (counts[id] == 0)
      ++listed.hidden;
    else if (!visible.contains(id))
      ++listed.below_threshold;
  }
  return listed;
}

namespace {

/// How many pixels a body has where it is alone.
std::uint64_t pixels_alone(const VisibleScene& scene, std::size_t body, std::uint32_t width, std::uint32_t height) {
  const SeenBodies alone = see(std::span(scene.bodies).subspan(body, 1), scene.camera, width, height);
  return static_cast<std::uint64_t>(std::ranges::count_if(alone.body, [](std::uint32_t at) { return at != kNoBody; }));
}

/// Whether so many pixels of one object make it visible.
bool are_visible(std::uint64_t pixels, std::uint32_t width, std::uint32_t height) {
  const Counts counts{0, static_cast<Counts::value_type>(pixels)};
  return !visible_ids(counts, std::uint64_t{width} * height).empty();
}

/// A body is nearly all hidden if at most this share of its pixels is seen.
constexpr double kNearlyHidden = 0.1;

}  // namespace

std::uint64_t occluded(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height) {
  std::uint64_t found = 0;
  for (std::uint32_t id = 1; id <= scene.bodies.size(); ++id)
    if (counts[id] == 0 && are_visible(pixels_alone(scene, id - 1, width, height), width, height)) ++found;
  return found;
}

std::uint64_t nearly_occluded(const VisibleScene& scene, const Counts& counts, std::uint32_t width,
                              std::uint32_t height) {
  const std::uint64_t pixels = std::uint64_t{width} * height;
  const auto visible = visible_ids(counts, pixels);
  std::uint64_t found = 0;
  for (std::uint32_t id = 1; id <= scene.bodies.size(); ++id) {
    if (counts[id] == 0 || visible.contains(id)) continue;
    const std::uint64_t alone = pixels_alone(scene, id - 1, width, height);
    if (are_visible(alone, width, height) &&
        static_cast<double>(counts[id]) <= kNearlyHidden * static_cast<double>(alone))
      ++found;
  }
  return found;
}

std::uint64_t misordered(const VisibleScene& scene, const Counts& counts, std::uint32_t width, std::uint32_t height) {
  const SeenBodies seen = see(scene.bodies, scene.camera, width, height);
  std::vector<double> nearest(scene.bodies.size(), std::numeric_limits<double>::infinity());
  std::size_t pixel = 0;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x, ++pixel) {
      if (seen.body[pixel] == kNoBody) continue;
      const Vector3 ray = ray_direction(scene.camera, x, y, width, height) * double{seen.depth[pixel]};
      double& least = nearest[seen.body[pixel]];
      least = std::min(least, std::sqrt(dot(ray, ray)));
    }
  const auto from_origin = [&scene](std::uint32_t id) {
    const Vector3 way = scene.bodies[id - 1].middle - scene.camera.eye;
    return dot(way, way);
  };
  const auto visible = visible_ids(counts, std::uint64_t{width} * height);
  std::uint64_t found = 0;
  for (const std::uint32_t a : visible)
    for (const std::uint32_t b : visible)
      if (a < b && (from_origin(a) < from_origin(b)) != (nearest[a - 1] < nearest[b - 1])) ++found;
  return found;
}

bench::Picture picture_of(const IdImage& image, const std::vector<bool>& marked) {
  bench::Picture picture{image.width, image.height, 3, {}};
  picture.pixels.reserve(image.ids.size() * 3);
  for (std::size_t i = 0; i < image.ids.size(); ++i) {
    const std::uint64_t mixed = image.ids[i] == kBackground ? 0 : Random(image.ids[i]).next();
    const bool white = !marked.empty() && marked[i];
    for (const unsigned shift : {0u, 8u, 16u}) {
      const auto colour = static_cast<std::uint8_t>(image.ids[i] == kBackground ? 0 : 64 + (mixed >> shift) % 160);
      picture.pixels.push_back(white ? 255 : marked.empty() ? colour : static_cast<std::uint8_t>(colour / 3));
    }
  }
  return picture;
}

}  // namespace lab::object_visibility
