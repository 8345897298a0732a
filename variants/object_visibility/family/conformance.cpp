#include "variants/object_visibility/family/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "harness/base/random.h"
#include "variants/object_visibility/family/scene_images.h"
#include "variants/object_visibility/family/workloads.h"

namespace lab::object_visibility {

namespace {

constexpr std::size_t kScenes = 1000;
constexpr unsigned kThreads = 3;  // more than some images have rows

struct Size {
  std::uint32_t width, height;
};
/// Not multiples of a vector, a word or a tile; and such multiples.
constexpr std::array<Size, 10> kSizes{
    {{1, 1}, {7, 1}, {1, 9}, {8, 8}, {33, 5}, {64, 4}, {257, 2}, {65, 64}, {129, 67}, {512, 24}}};

std::string difference(Counter& counter, const OwnedImage& image, std::uint32_t largest) {
  const Expected<Counts> found = count_pixels(counter, image.view(), largest);
  if (!found) return found.error().what;
  const Counts expected = simple_counts(image.view(), largest);
  for (std::uint32_t id = 0; id < expected.size(); ++id)
    if ((*found)[id] != expected[id])
      return fmt::format("{} x {}, ids to {}: expected {} pixels of {}, found {}", image.width, image.height, largest,
                         expected[id], id, (*found)[id]);
  return "";
}

std::string random_scenes(Counter& counter) {
  Random random(1);
  for (std::size_t scene = 0; scene < kScenes; ++scene) {
    const auto& [width, height] = kSizes[scene % kSizes.size()];
    const auto largest = static_cast<std::uint32_t>(scene % 7 == 0 ? random.between(200, 5000) : random.below(70));
    // From single pixels to an image of one id, and runs in which some tiles have few ends and some have many.
    const double run = std::exp2(static_cast<double>(random.below(15)));
    OwnedImage image = runs_image(width, height, run, largest, random.next());
    if (scene % 5 == 0) {
      const OwnedImage other = runs_image(width, height, 1 + static_cast<double>(random.below(40)), largest, scene);
      const std::size_t from = random.below(image.ids.size());
      std::copy(other.ids.begin() + static_cast<std::ptrdiff_t>(from), other.ids.end(),
                image.ids.begin() + static_cast<std::ptrdiff_t>(from));
    }
    if (std::string wrong = difference(counter, image, largest); !wrong.empty())
      return fmt::format("scene {}: {}", scene, wrong);
  }
  return "";
}

std::string bodies(Counter& counter) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const VisibleScene scene = make_scene(seed * 3, seed);
    const auto largest = static_cast<std::uint32_t>(scene.bodies.size());
    if (std::string wrong = difference(counter, id_image(scene, 97, 61), largest); !wrong.empty()) return wrong;
  }
  return "";
}

/// Runs that end at the ends of rows, or go on over them; 0 and the largest id at both ends of the image.
std::string edges(Counter& counter) {
  for (const auto& [width, height] : kSizes)
    for (const std::uint32_t largest : {1u, 64u, kMostId}) {
      if (largest == kMostId && width * height > 2000) continue;  // clearing its table takes longest
      OwnedImage image{width, height, std::vector<std::uint32_t>(std::size_t{width} * height)};
      for (const std::uint32_t period : {1u, 2u}) {
        for (std::size_t i = 0; i < image.ids.size(); ++i) image.ids[i] = i / width / period % 2 == 0 ? largest : 0;
        if (std::string wrong = difference(counter, image, largest); !wrong.empty()) return wrong;
        std::ranges::reverse(image.ids);
        if (std::string wrong = difference(counter, image, largest); !wrong.empty()) return wrong;
      }
      std::ranges::fill(image.ids, kBackground);
      if (std::string wrong = difference(counter, image, largest); !wrong.empty()) return wrong;
      image.ids.back() = largest;
      if (std::string wrong = difference(counter, image, largest); !wrong.empty()) return wrong;
    }
  return "";
}

std::string error_of(Counter& counter, const IdImage& image, std::uint32_t largest) {
  const Expected<Counts> found = count_pixels(counter, image, largest);
  return found ? "no error" : found.error().what;
}

std::string other_sentence(const std::string& found, const std::string& expected) {
  return found == expected ? "" : fmt::format("expected '{}', found '{}'", expected, found);
}

std::string unknown_ids(Counter& counter) {
  for (const auto& [width, height] : kSizes) {
    OwnedImage image = runs_image(width, height, 8, 64, 7);
    const std::size_t pixels = image.ids.size();
    for (const std::size_t at : {std::size_t{0}, pixels / 2, pixels - 1})
      for (const std::uint32_t id : {65u, 66u, 200u, 0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu}) {
        const std::uint32_t before = std::exchange(image.ids[at], id);
        const std::string expected =
            fmt::format("pixel ({}, {}): expected an id of at most 64, the largest of a known object, found {}",
                        at % width, at / width, id);
        if (std::string wrong = other_sentence(error_of(counter, image.view(), 64), expected); !wrong.empty())
          return wrong;
        image.ids[at] = before;
      }
    // The counter still works.
    if (std::string wrong = difference(counter, image, 64); !wrong.empty()) return wrong;
  }
  return "";
}

std::string malformed_images(Counter& counter) {
  const std::vector<std::uint32_t> ids(6, 1);
  if (std::string wrong =
          other_sentence(error_of(counter, {0, 0, {}}, 1), "expected an image with pixels, found an empty one");
      !wrong.empty())
    return wrong;
  if (std::string wrong =
          other_sentence(error_of(counter, {3, 1, ids}, 1), "expected 3 pixels for an image of 3 x 1, found 6");
      !wrong.empty())
    return wrong;
  return other_sentence(error_of(counter, {65536, 65537, ids}, 1),
                        "expected 4295032832 pixels for an image of 65536 x 65537, found 6");
}

}  // namespace

Counts simple_counts(const IdImage& image, std::uint32_t largest) {
  Counts counts(std::size_t{largest} + 1);
  for (const std::uint32_t id : image.ids)
    if (id != kBackground) ++counts[id];
  return counts;
}

std::vector<bench::ConformanceCheck> make_checks(const MakeCounter& make, const Ability& ability) {
  using Check = std::string (*)(Counter & counter);
  constexpr std::array<std::pair<const char*, Check>, 5> kChecks{
      {{"the pixels of each object are counted in 1,000 random scenes", random_scenes},
       {"the pixels of each body are counted where bodies hide each other", bodies},
       {"runs end at the ends of rows or go on, from 0 to the largest id", edges},
       {"an id beyond the table is an error that names the first such pixel", unknown_ids},
       {"an empty image and one of another size than its pixels are errors", malformed_images}}};
  std::vector<bench::ConformanceCheck> checks;
  for (const auto& [name, check] : kChecks)
    checks.push_back({name, [make, ability, check = check]() -> std::string {
                        if (!why_unsupported(ability).empty()) return "";
                        designs::WorkerPool pool = make_pool(ability, kThreads);
                        const std::unique_ptr<Counter> counter = make({pool, ""});
                        return check(*counter);
                      }});
  return checks;
}

}  // namespace lab::object_visibility
