#include "variants/ambient_obscurance/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "harness/bench/exhibits.h"
#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/quality.h"

namespace lab::ambient_obscurance {

namespace {

constexpr std::uint32_t kWidth = 256, kHeight = 144;
constexpr std::size_t kFrames = 24;       // the first weighs at most 0.92^23 = 0.15 in the last
constexpr std::size_t kBandFrames = 8;    // in which the shelf left the band of ghosts
constexpr std::size_t kJudgedFrames = 8;  // the last ones of a still scene: a cycle of the article's turns

/// What a workload renders.
struct Plan {
  Scene scene = Scene::kStill;
  Settings settings = {};
  std::size_t frames = kFrames;
  std::size_t before = 0;  ///< frames before them, which are not timed
  std::uint32_t width = kWidth, height = kHeight;
  bool judged = true;  ///< has an error
};

/// Everything that lasts as long as a renderer. Not movable: the renderer has its address.
class Stage {
 public:
  Stage(const Maker& maker, const Plan& plan, const bench::Case& inputs, bool weighs = false)
      : plan_(plan),
        inputs_(inputs),
        sequence_(make_sequence(plan.scene, plan.width, plan.height, plan.before + plan.frames)),
        patterns_(make_patterns(plan.settings, plan.width, plan.height, inputs.seed)),
        renderer_(maker.make({sequence_, patterns_, plan_.settings, inputs_, weighs})) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Renderer& renderer() { return *renderer_; }
  const Sequence& sequence() const { return sequence_; }
  const Plan& plan() const { return plan_; }
  const bench::Case& inputs() const { return inputs_; }

  /// All frames, without history at first. Calls after(i) for each.
  template <typename After>
  void render(bench::PhaseClock& clock, const After& after) {
    renderer_->begin();
    bench::PhaseClock untimed(kMostPhases);
    for (std::size_t i = 0; i < sequence_.count; ++i) {
      renderer_->render(i < plan_.before ? untimed : clock);
      after(i);
    }
  }

  const std::vector<float>& reference() {
    if (reference_.empty())
      reference_ = converged(sequence_.lens, sequence_.frame(sequence_.count - 1), kConvergedSamples);
    return reference_;
  }

  struct Quality {
    double error, banding;
  };
  /// Of the last frame; of a still scene the root mean square over the last frames.
  Quality quality() {
    bench::PhaseClock clock(kMostPhases);
    double squares = 0, bands = 0;
    std::size_t judged = 0;
    render(clock, [&](std::size_t i) {
      const std::size_t from = plan_.scene == Scene::kStill ? sequence_.count - std::min(sequence_.count, kJudgedFrames)
                                                            : sequence_.count - 1;
      if (i < from) return;
      const std::vector<float> result = renderer_->result();
      squares += std::pow(root_mean_square(result, reference()), 2);
      bands += std::pow(ambient_obscurance::banding(result, reference(), plan_.width, plan_.height), 2);
      ++judged;
    });
    const auto count = static_cast<double>(judged);
    return {std::sqrt(squares / count), std::sqrt(bands / count)};
  }

  static constexpr std::size_t kMostPhases = 3;

 private:
  Plan plan_;
  bench::Case inputs_;
  Sequence sequence_;
  std::vector<Pattern> patterns_;
  std::unique_ptr<Renderer> renderer_;
  std::vector<float> reference_;
};

class FramesTask : public bench::Task {
 public:
  FramesTask(const Maker& maker, const Plan& plan, const bench::Case& inputs) : stage_(maker, plan, inputs) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    stage_.render(clock, [](std::size_t) {});
    return 0;
  }
  std::vector<float> answer() const override { return stage_.renderer().result(); }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters;
    stage_.renderer().add_counters(counters);
    return counters;
  }
  std::map<std::string, double> costly_counters() const override {
    if (!stage_.plan().judged) return {};
    const Stage::Quality quality = stage_.quality();
    std::map<std::string, double> counters{{"error_to_converged", quality.error}, {"banding", quality.banding}};
    if (moves(stage_.plan().scene)) {
      const std::vector<std::size_t> band = left_band(stage_.sequence(), kBandFrames);
      const double ghosts = energy(stage_.renderer().result(), stage_.reference(), band);
      counters["ghosting"] = ghosts;
      const Settings& settings = stage_.plan().settings;
      if (settings.reprojected && settings.terms.dangerous != Dangerous::kOff) {
        Settings without = settings;
        without.terms.dangerous = Dangerous::kOff;
        counters["ghosting_left"] =
            ghosts / energy(last_result(stage_.sequence(), without, stage_.inputs().seed), stage_.reference(), band);
      }
    }
    return counters;
  }

 private:
  mutable Stage stage_;  // what is asked after the timing renders again
};

/// 6 samples with history and 24 without, in turns.
class AgainstTask final : public bench::Task {
 public:
  AgainstTask(const Maker& maker, const bench::Case& inputs)
      : six_(maker, Plan{}, inputs), many_(maker, {.settings = {.samples = 24, .reprojected = false}}, inputs) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    six_.renderer().begin();
    many_.renderer().begin();
    for (std::size_t i = 0; i < kFrames; ++i) {
      // Four times as many samples: a third of the frames is enough.
      if (i % 6 == 0) many_ns_.push_back(timed(many_));
      const double ns = timed(six_);
      six_ns_.push_back(ns);
      clock.add(0, ns);
      if (i % 6 == 3) many_ns_.push_back(timed(many_));
    }
    return 0;
  }
  std::vector<float> answer() const override { return six_.renderer().result(); }
  std::map<std::string, double> counters() const override {
    return {{"time_by_24", median(six_ns_) / median(many_ns_)}};
  }
  std::map<std::string, double> costly_counters() const override {
    return {{"error_by_24", six_.quality().error / many_.quality().error}};
  }

 private:
  static double timed(Stage& stage) {
    // The workers of the other renderer stay awake for a millisecond, on the same cores.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    bench::PhaseClock clock(Stage::kMostPhases);
    stage.renderer().render(clock);
    double ns = 0;
    for (const double of_phase : clock.nanoseconds()) ns += of_phase;
    return ns;
  }
  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  mutable Stage six_, many_;
  std::vector<double> six_ns_, many_ns_;  // of all frames, side by side
};

bench::Picture picture_of(std::span<const float> values, std::uint32_t width, std::uint32_t height) {
  bench::Picture picture{width, height, 1, {}};
  for (const float value : values)
    picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 1.f) * 255)));
  return picture;
}

bench::Workload workload_of(const Maker& maker, std::string name, std::string title, const Plan& plan) {
  using enum bench::MetricKind;
  using enum bench::Better;
  bench::Workload workload;
  workload.name = std::move(name);
  workload.title = std::move(title);
  workload.phases = maker.phases;
  if (!plan.settings.reprojected) std::erase(workload.phases, "reprojection");
  workload.operations = plan.frames;
  workload.operation = "frame";
  workload.parallel = maker.parallel;
  workload.repeatable = !maker.parallel && !maker.on_device;
  workload.tolerance = bench::Tolerance{bench::Distance::kMaximum, kTolerance, "of the sky that is seen"};
  workload.metrics = maker.metrics;
  workload.unsupported = maker.unsupported;
  if (plan.judged) {
    workload.metrics.push_back(
        {"error_to_converged", "Error against 1,024 samples, root mean square", "", kExact, kLess, true});
    workload.metrics.push_back({"banding", "The same of means over 4 x 4 pixels", "", kExact, kLess, true});
  }
  if (moves(plan.scene)) {
    workload.metrics.push_back({"ghosting", "Squared error in the band that the shelf left", "", kExact, kLess, true});
    if (plan.settings.reprojected && plan.settings.terms.dangerous != Dangerous::kOff)
      workload.metrics.push_back(
          {"ghosting_left", "Of it, by that without the term of dangerous samples", "", kExact, kLess, true});
  }
  if (workload.unsupported.empty())
    workload.prepare = [maker, plan](const bench::Case& inputs) {
      return std::make_unique<FramesTask>(maker, plan, inputs);
    };
  return workload;
}

/// The last frame, the reference, and with `weights` what history weighed.
void exhibit(bench::Workload& workload, const Maker& maker, const Plan& plan, bool weights) {
  if (!maker.exhibits || !workload.unsupported.empty()) return;
  workload.exhibits.push_back({"obscurance", "Ambient obscurance", bench::ExhibitKind::kImage});
  if (weights) workload.exhibits.push_back({"history", "Weight of history", bench::ExhibitKind::kImage});
  const bool reference = plan.settings.samples == 24;
  if (reference) workload.exhibits.push_back({"converged", "1,024 samples", bench::ExhibitKind::kImage});
  workload.exhibit = [=](const bench::Case& inputs, bench::ExhibitFiles& files) {
    Stage stage(maker, plan, inputs, true);
    bench::PhaseClock clock(Stage::kMostPhases);
    stage.render(clock, [](std::size_t) {});
    files.image("obscurance", picture_of(stage.renderer().result(), plan.width, plan.height));
    if (weights) files.image("history", picture_of(stage.renderer().weight(), plan.width, plan.height));
    if (reference) files.image("converged", picture_of(stage.reference(), plan.width, plan.height));
  };
}

struct NamedScene {
  Scene scene;
  const char *name, *title;
};
constexpr std::array<NamedScene, 3> kScenes{{{Scene::kStill, "still", "nothing moves"},
                                             {Scene::kCamera, "camera", "the camera moves"},
                                             {Scene::kObject, "object", "a shelf moves that hangs before a wall"}}};

/// Sweeps over the number of samples.
void add_sweeps(std::vector<bench::Workload>& workloads, const Maker& maker) {
  for (const NamedScene& of : kScenes)
    for (const bool reprojected : {false, true}) {
      Plan plan{.scene = of.scene, .settings = {.reprojected = reprojected}};
      if (of.scene == Scene::kStill && !reprojected) plan.frames = kJudgedFrames;
      bench::Workload workload = workload_of(
          maker, fmt::format("{}_{}", of.name, reprojected ? "reprojected" : "plain"),
          fmt::format("{} history, by the number of samples: {}", reprojected ? "With" : "Without", of.title), plan);
      workload.axis = bench::Axis{
          "samples", "",
          reprojected ? std::vector<bench::AxisPoint>{{3}, {6}, {12}} : std::vector<bench::AxisPoint>{{6}, {12}, {24}}};
      if (workload.prepare)
        workload.prepare = [maker, plan](const bench::Case& inputs) {
          Plan at = plan;
          at.settings.samples = static_cast<std::uint32_t>(inputs.point);
          return std::make_unique<FramesTask>(maker, at, inputs);
        };
      workloads.push_back(std::move(workload));
    }
}

struct NamedTerms {
  Scene scene;
  const char *name, *title;
  Settings settings;
};
constexpr Dangerous kOff = Dangerous::kOff, kPrinted = Dangerous::kPrinted, kMeant = Dangerous::kMeant;
const std::array<NamedTerms, 16> kTerms{{
    {Scene::kStill, "still_24", "24 samples without history; nothing moves", {.samples = 24, .reprojected = false}},
    {Scene::kObject, "object_24", "24 samples without history; a shelf moves", {.samples = 24, .reprojected = false}},
    {Scene::kCamera, "camera_no_terms", "All history counts; the camera moves", {.terms = {false, false, kOff}}},
    {Scene::kCamera, "camera_all", "All terms; the camera moves", {}},
    {Scene::kObject, "object_no_terms", "All history counts; a shelf moves", {.terms = {false, false, kOff}}},
    {Scene::kObject, "object_disocclusion", "Disocclusion alone; a shelf moves", {.terms = {true, false, kOff}}},
    {Scene::kObject, "object_velocity", "Velocity alone; a shelf moves", {.terms = {false, true, kOff}}},
    {Scene::kObject, "object_dangerous", "Dangerous samples alone; a shelf moves", {.terms = {false, false, kMeant}}},
    {Scene::kObject,
     "object_dangerous_printed",
     "Dangerous samples alone, as the code is printed; a shelf moves",
     {.terms = {false, false, kPrinted}}},
    {Scene::kObject,
     "object_3_dangerous",
     "Dangerous samples alone, of 3; a shelf moves",
     {.samples = 3, .terms = {false, false, kMeant}}},
    {Scene::kObject,
     "object_3_dangerous_printed",
     "Dangerous samples alone, of 3, as the code is printed; a shelf moves",
     {.samples = 3, .terms = {false, false, kPrinted}}},
    {Scene::kObject, "object_others", "All terms but dangerous samples; a shelf moves", {.terms = {true, true, kOff}}},
    {Scene::kObject, "object_all", "All terms; a shelf moves", {}},
    {Scene::kObject,
     "object_printed",
     "All of it as the code is printed; a shelf moves",
     {.terms = {true, true, kPrinted}, .printed_combination = true}},
    {Scene::kStanding,
     "standing_others",
     "All terms but dangerous samples; a shelf moves over the floor",
     {.terms = {true, true, kOff}}},
    {Scene::kStanding, "standing_all", "All terms; a shelf moves over the floor", {}},
}};

}  // namespace

std::vector<bench::Workload> make_workloads(const Maker& maker) {
  std::vector<bench::Workload> workloads;
  const Plan few{.scene = Scene::kObject, .frames = 3, .before = 1, .judged = false};
  workloads.push_back(workload_of(
      maker, "frames", fmt::format("A frame of {} x {} pixels, 6 samples with history", kWidth, kHeight), few));
  const Plan full{.frames = 1, .before = 1, .width = 1920, .height = 1080, .judged = false};
  workloads.push_back(workload_of(maker, "full_hd", "A frame of 1920 x 1080 pixels, 6 samples with history", full));

  bench::Workload against =
      workload_of(maker, "six_by_24", "6 samples with history against 24 without; nothing moves", {.judged = false});
  against.phases = {"frame"};
  against.metrics.push_back({"time_by_24", "Time by that of 24 samples without history", "",
                             bench::MetricKind::kQuality, bench::Better::kLess});
  against.metrics.push_back({"error_by_24", "Error by that of 24 samples without history", "",
                             bench::MetricKind::kExact, bench::Better::kLess, true});
  if (against.prepare)
    against.prepare = [maker](const bench::Case& inputs) { return std::make_unique<AgainstTask>(maker, inputs); };
  workloads.push_back(std::move(against));

  add_sweeps(workloads, maker);
  // What follows is about quality, which all variants have alike. So one has it.
  Maker shown = maker;
  if (!shown.exhibits && shown.unsupported.empty()) shown.unsupported = "its images are those of the reference";
  for (const NamedTerms& of : kTerms) {
    const Plan plan{.scene = of.scene, .settings = of.settings};
    workloads.push_back(workload_of(shown, of.name, of.title, plan));
    const Terms& terms = of.settings.terms;
    const bool alone_or_all = terms.dangerous != kOff || terms.disocclusion != terms.velocity;
    exhibit(workloads.back(), maker, plan, of.scene == Scene::kObject && of.settings.reprojected && alone_or_all);
  }
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    const Plan plan{.settings = {.placement = static_cast<Placement>(i)}};
    workloads.push_back(
        workload_of(shown, fmt::format("placement_{}", kPlacements[i]),
                    fmt::format("6 samples with history, placed by {}; nothing moves", kPlacementTitles[i]), plan));
    exhibit(workloads.back(), maker, plan, false);
  }
  return workloads;
}

}  // namespace lab::ambient_obscurance
