#include "variants/ambient_obscurance/family/conformance.h"

#include <fmt/format.h>

#include <cmath>

#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/workloads.h"

namespace lab::ambient_obscurance {

namespace {

constexpr unsigned kThreads = 3;

struct Tried {
  Scene scene;
  std::uint32_t width, height;
  Settings settings;
};

/// Each scene in another size, none of which is a multiple of eight pixels but the first; each placement and each term.
std::vector<Tried> all_tried() {
  constexpr Terms kNone{false, false, Dangerous::kOff};
  std::vector<Tried> tried{
      {Scene::kStill, 96, 64, {}},
      {Scene::kStill, 97, 65, {.samples = 24, .reprojected = false}},
      {Scene::kCamera, 101, 67, {}},
      {Scene::kCamera, 64, 64, {.samples = 1, .terms = kNone}},
      {Scene::kObject, 127, 71, {.samples = kMostSamples, .terms = {true, false, Dangerous::kOff}}},
      {Scene::kObject, 103, 77, {.terms = {false, true, Dangerous::kPrinted}}},
      {Scene::kStanding, 99, 81, {.printed_combination = true}},
      {Scene::kObject, 257, 145, {.terms = {false, false, Dangerous::kCurrent}}},
      {Scene::kObject, 257, 145, {.forwards_movers = false}}};
  for (std::size_t i = 0; i < kPlacements.size(); ++i)
    tried.push_back({Scene::kStanding, 73, 65, {.samples = 5, .placement = static_cast<Placement>(i)}});
  return tried;
}

std::string difference(const std::vector<float>& found, const std::vector<float>& expected, double most,
                       std::uint32_t width) {
  if (found.size() != expected.size())
    return fmt::format("expected {} pixels, found {}", expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= most))
      return fmt::format("pixel {}, {}: expected {}, found {}", i % width, i / width, expected[i], found[i]);
  return "";
}

}  // namespace

std::string difference_from_scalar(const Maker& maker, double most) {
  constexpr std::size_t kFrames = 5;
  const Maker scalar = cpu_maker(&scalar_steps(), false);
  for (const Tried& tried : all_tried()) {
    const Sequence sequence = make_sequence(tried.scene, tried.width, tried.height, kFrames);
    const std::vector<Pattern> patterns = make_patterns(tried.settings, tried.width, tried.height, 1);
    const bench::Case inputs{.threads = kThreads};
    const Work work{sequence, patterns, tried.settings, inputs, true};
    const std::unique_ptr<Renderer> subject = maker.make(work), reference = scalar.make(work);
    bench::PhaseClock clock(3);
    subject->begin();
    reference->begin();
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      subject->render(clock);
      reference->render(clock);
      const auto problem = [&](const char* what, const std::string& wrong) {
        return fmt::format("{} of scene {}, {} x {}, {} samples placed by {}, frame {}: {}", what,
                           static_cast<int>(tried.scene), tried.width, tried.height, tried.settings.samples,
                           kPlacements[static_cast<std::size_t>(tried.settings.placement)], frame, wrong);
      };
      if (std::string wrong = difference(subject->result(), reference->result(), most, tried.width); !wrong.empty())
        return problem("the obscurance", wrong);
      if (!tried.settings.reprojected) continue;
      if (std::string wrong = difference(subject->weight(), reference->weight(), most, tried.width); !wrong.empty())
        return problem("the weight of history", wrong);
    }
  }
  return "";
}

std::vector<bench::ConformanceCheck> conformance_of(const Maker& maker) {
  if (!maker.unsupported.empty()) return {};
  if (maker.on_device)
    return {{"every pixel of every scene is that of the scalar steps, within the tolerance",
             [maker] { return difference_from_scalar(maker, kTolerance); }}};
  return {
      {"every pixel of every scene is that of the scalar steps", [maker] { return difference_from_scalar(maker, 0); }}};
}

}  // namespace lab::ambient_obscurance
