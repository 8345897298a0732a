#include "variants/ambient_obscurance/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/bench/exhibits.h"
#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/quality.h"
#include "variants/common/workloads/workload.h"

namespace lab::ambient_obscurance {

namespace {

using enum bench::MetricKind;
using enum bench::Better;

constexpr std::uint32_t kWidth = 256, kHeight = 144;
constexpr std::size_t kFrames = 24;      // the first weighs at most 0.92^23 = 0.15 in the last
constexpr std::size_t kBandFrames = 8;   // in which the shelf left the band of ghosts
constexpr std::size_t kPlainFrames = 8;  // without history and motion: a cycle of the article's turns
constexpr std::uint64_t kRandomDraws = 32;
/// Of workloads that render two ways in turns. In version 1 all threads of the second renderer shared one CPU.
constexpr int kTurnsVersion = 2;

/// What a workload asks beyond the error.
enum class Asks : std::uint8_t {
  kNothing,
  kMotion,  ///< what history weighs and is worth where pixels move
  kDither,  ///< the banding, by that of radii that are not shifted
  kRandom,  ///< the error, by that of random turns
};

/// What a workload renders.
struct Plan {
  Scene scene = Scene::kStill;
  Settings settings = {};
  std::size_t frames = kFrames;
  std::size_t before = 0;  ///< frames before them, which are not timed
  std::uint32_t width = kWidth, height = kHeight;
  bool judged = true;  ///< has an error
  Asks asks = Asks::kNothing;

  bool has_ghosts() const { return judged && moves(scene) && settings.reprojected; }
  bool has_ghosts_left() const { return has_ghosts() && settings.counts_movers(); }
};

/// Everything that lasts as long as a renderer. Not movable: the renderer has its address.
class Stage {
 public:
  Stage(const Maker& maker, const Plan& plan, const bench::Case& inputs, bool weighs = false)
      : maker_(maker),
        plan_(plan),
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

  /// Whether one of these metrics is asked for.
  bool wants(std::initializer_list<std::string_view> metrics) const {
    return !maker_.wants || std::ranges::any_of(metrics, maker_.wants);
  }

  /// All frames, without history at first.
  void render(bench::PhaseClock& clock) {
    renderer_->begin();
    bench::PhaseClock untimed(kMostPhases);
    for (std::size_t i = 0; i < sequence_.count; ++i) renderer_->render(i < plan_.before ? untimed : clock);
  }

  const std::vector<float>& reference() {
    if (reference_.empty())
      reference_ = converged(sequence_.lens, sequence_.frame(sequence_.count - 1), kConvergedSamples);
    return reference_;
  }

  /// The last frame in all phases of the noise.
  const Phases& phases() {
    if (phases_.empty()) phases_ = last_results(maker_, sequence_, plan_.settings, inputs_);
    return phases_;
  }
  /// The same with other settings, by the CPU.
  Phases phases_with(const Settings& settings) const { return last_results(sequence_, settings, inputs_.seed); }

  /// Of the last frame, the root mean square over all phases.
  double error() {
    return mean_square_root(phases(), [this](const auto& image) { return root_mean_square(image, reference()); });
  }
  double banding() { return banding_of(phases(), reference()); }
  double banding_of(const Phases& phases, std::span<const float> reference) const {
    return mean_square_root(phases, [&](const auto& image) {
      return ambient_obscurance::banding(image, reference, plan_.width, plan_.height);
    });
  }

  static constexpr std::size_t kMostPhases = 3;

 private:
  template <typename Measure>
  static double mean_square_root(const Phases& phases, const Measure& measure) {
    double squares = 0;
    for (const std::vector<float>& image : phases) squares += std::pow(measure(image), 2);
    return std::sqrt(squares / static_cast<double>(phases.size()));
  }

  const Maker maker_;
  Plan plan_;
  bench::Case inputs_;
  Sequence sequence_;
  std::vector<Pattern> patterns_;
  std::unique_ptr<Renderer> renderer_;
  std::vector<float> reference_;
  Phases phases_;
};

using Counters = std::map<std::string, double>;

void add_ghosts(Counters& counters, Stage& stage) {
  const Settings& settings = stage.plan().settings;
  Settings plain = settings, safe = settings;
  plain.reprojected = false;
  safe.terms.dangerous = Dangerous::kOff;
  const std::vector<std::size_t> band = left_band(stage.sequence(), kBandFrames);
  const Phases without_history = stage.phases_with(plain);
  const HistoryEffect effect = history_effect(stage.phases(), without_history, band);
  counters["ghosting"] = effect.ghosts;
  counters["ghosting_noise"] = effect.noise;
  if (stage.plan().has_ghosts_left() && stage.wants({"ghosting_left"}))
    counters["ghosting_left"] = effect.ghosts / history_effect(stage.phases_with(safe), without_history, band).ghosts;
}

double mean_over(std::span<const float> values, std::span<const std::size_t> pixels) {
  double sum = 0;
  for (const std::size_t i : pixels) sum += double{values[i]};
  return sum / static_cast<double>(pixels.size());
}

/// `weights`: what history weighs.
void add_motion(Counters& counters, Stage& stage, std::span<const float> weights) {
  const Frame& last = stage.sequence().frame(stage.sequence().count - 1);
  const std::vector<std::size_t> moved = moved_pixels(last, true), still = moved_pixels(last, false);
  if (stage.wants({"error_by_still"})) {
    // Without the dither: what moves meets the offsets of all pixels, which is another gain.
    Settings even = stage.plan().settings;
    even.placement = Placement::kHalton;
    const Phases standing = last_results(standing_still(stage.sequence()), even, stage.inputs().seed);
    counters["error_by_still"] = root_mean_square(stage.phases_with(even), stage.reference(), moved) /
                                 root_mean_square(standing, stage.reference(), moved);
  }
  counters["history_moved"] = mean_over(weights, moved);
  if (!moves(stage.plan().scene)) return;
  counters["history_still"] = mean_over(weights, still);
  counters["history_uncovered"] = mean_over(weights, left_band(stage.sequence(), 1));
}

/// The error of random turns, one for each frame: the root mean square over draws.
double random_error(Stage& stage) {
  Settings settings = stage.plan().settings;
  settings.placement = Placement::kRandom;
  double squares = 0;
  for (std::uint64_t i = 0; i < kRandomDraws; ++i)
    squares += std::pow(
        root_mean_square(last_result(stage.sequence(), settings, stage.inputs().seed + i), stage.reference()), 2);
  return std::sqrt(squares / kRandomDraws);
}

class FramesTask : public bench::Task {
 public:
  FramesTask(const Maker& maker, const Plan& plan, const bench::Case& inputs) : stage_(maker, plan, inputs) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    stage_.render(clock);
    return 0;
  }
  std::vector<float> answer() const override { return stage_.renderer().result(); }
  Counters counters() const override {
    Counters counters;
    stage_.renderer().add_counters(counters);
    return counters;
  }
  Counters costly_counters() const override {
    const Plan& plan = stage_.plan();
    if (!plan.judged) return {};
    Counters counters;
    if (stage_.wants({"error_to_converged", "error_by_random"})) counters["error_to_converged"] = stage_.error();
    if (stage_.wants({"banding", "banding_left"})) counters["banding"] = stage_.banding();
    if (plan.has_ghosts() && stage_.wants({"ghosting", "ghosting_noise", "ghosting_left"}))
      add_ghosts(counters, stage_);
    if (plan.asks == Asks::kMotion &&
        stage_.wants({"error_by_still", "history_moved", "history_still", "history_uncovered"})) {
      Stage weighing(fastest_maker(), plan, stage_.inputs(), true);
      bench::PhaseClock clock(Stage::kMostPhases);
      weighing.render(clock);
      add_motion(counters, stage_, weighing.renderer().weight());
    }
    if (plan.asks == Asks::kDither && stage_.wants({"banding_left", "rings_left"})) {
      Settings even = plan.settings;
      even.placement = Placement::kHalton;
      const Phases without_dither = stage_.phases_with(even);
      if (stage_.wants({"banding_left"}))
        counters["banding_left"] = counters["banding"] / stage_.banding_of(without_dither, stage_.reference());
      if (stage_.wants({"rings_left"})) {
        Settings many = plan.settings;
        many.samples = kMostSamples;
        const std::vector<float> of_many = last_result(stage_.sequence(), many, stage_.inputs().seed);
        counters["rings_left"] =
            stage_.banding_of(stage_.phases(), of_many) / stage_.banding_of(without_dither, of_many);
      }
    }
    if (plan.asks == Asks::kRandom && stage_.wants({"error_by_random"}))
      counters["error_by_random"] = counters["error_to_converged"] / random_error(stage_);
    return counters;
  }

 private:
  mutable Stage stage_;  // what is asked after the timing renders again
};

/// The times of a renderer's frames, by phase.
class TimedFrames {
 public:
  /// The next frame.
  void render(Renderer& renderer) {
    // The workers of another renderer stay awake for a millisecond, on the same cores.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    bench::PhaseClock clock(Stage::kMostPhases);
    renderer.render(clock);
    for (std::size_t i = 0; i < phases_ns_.size(); ++i) phases_ns_[i].push_back(clock.nanoseconds()[i]);
    frames_ns_.push_back(std::accumulate(clock.nanoseconds().begin(), clock.nanoseconds().end(), 0.0));
  }
  double last_ns() const { return frames_ns_.back(); }
  double frame_ns() const { return median(frames_ns_); }
  double phase_ns(std::size_t phase) const { return median(phases_ns_[phase]); }

 private:
  std::array<std::vector<double>, Stage::kMostPhases> phases_ns_;
  std::vector<double> frames_ns_;
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
      if (i % 6 == 0) many_frames_.render(many_.renderer());
      six_frames_.render(six_.renderer());
      clock.add(0, six_frames_.last_ns());
      if (i % 6 == 3) many_frames_.render(many_.renderer());
    }
    return 0;
  }
  std::vector<float> answer() const override { return six_.renderer().result(); }
  Counters counters() const override { return {{"time_by_24", six_frames_.frame_ns() / many_frames_.frame_ns()}}; }
  Counters costly_counters() const override { return {{"error_by_24", six_.error() / many_.error()}}; }

 private:
  mutable Stage six_, many_;
  TimedFrames six_frames_, many_frames_;
};

/// Frames whose samples look for what moves, and frames without a moving bit, in turns.
class MovingBitTask final : public bench::Task {
 public:
  MovingBitTask(const Maker& maker, const bench::Case& inputs)
      : marked_(maker, kMarked, inputs), bare_(maker, kBare, inputs), in_phases_(maker.phases.size() > 1) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    marked_.renderer().begin();
    bare_.renderer().begin();
    for (std::size_t i = 0; i < kFrames; ++i) {
      if (i % 2 == 0) bare_frames_.render(bare_.renderer());
      marked_frames_.render(marked_.renderer());
      clock.add(0, marked_frames_.last_ns());
      if (i % 2 == 1) bare_frames_.render(bare_.renderer());
    }
    return 0;
  }
  std::vector<float> answer() const override { return marked_.renderer().result(); }
  Counters counters() const override {
    Counters counters{{"frame_by_unmarked", marked_frames_.frame_ns() / bare_frames_.frame_ns()}};
    if (in_phases_)
      counters["sampling_by_unmarked"] = marked_frames_.phase_ns(kSampling) / bare_frames_.phase_ns(kSampling);
    return counters;
  }

 private:
  static constexpr std::size_t kSampling = 1;  // of the phases of a CPU
  static constexpr Plan kMarked{.scene = Scene::kObject};
  static constexpr Plan kBare{.scene = Scene::kObject, .settings = {.terms = {true, true, Dangerous::kOff}}};

  mutable Stage marked_, bare_;
  TimedFrames marked_frames_, bare_frames_;
  bool in_phases_;
};

bench::Picture picture_of(std::span<const float> values, std::uint32_t width, std::uint32_t height) {
  bench::Picture picture{width, height, 1, {}};
  for (const float value : values)
    picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 1.f) * 255)));
  return picture;
}

bench::Workload workload_of(const Maker& maker, std::string name, std::string title, const Plan& plan) {
  bench::Workload workload = make_workload(std::move(name), std::move(title), maker.phases, plan.frames, "frame");
  if (!plan.settings.reprojected) std::erase(workload.phases, "reprojection");
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
  const auto metric = [&workload](const char* metric_name, const char* what, bench::Better better) {
    workload.metrics.push_back({metric_name, what, "", kExact, better, true});
  };
  if (plan.has_ghosts()) {
    metric("ghosting", "Squared error of the mean over phases that history adds, in the band that the shelf left",
           kLess);
    metric("ghosting_noise", "Squared differences of a phase from that mean, in the same band", kLess);
  }
  if (plan.has_ghosts_left()) metric("ghosting_left", "Ghosting by that without the term of dangerous samples", kLess);
  if (plan.asks == Asks::kMotion) {
    metric("error_by_still", "Error where pixels move, by that where the same stand still", kLess);
    metric("history_moved", "What history weighs where pixels move", kNeither);
    if (moves(plan.scene)) {
      metric("history_still", "What history weighs where pixels stand still", kNeither);
      metric("history_uncovered", "What history weighs where the shelf was in the last frame", kNeither);
    }
  }
  if (plan.asks == Asks::kDither) {
    metric("banding_left", "Banding by that of radii that are not shifted", kLess);
    metric("rings_left", "The same of the difference to 64 samples with history", kLess);
  }
  if (plan.asks == Asks::kRandom) metric("error_by_random", "Error by that of random turns, over 32 draws", kLess);
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
    stage.render(clock);
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
      if (of.scene == Scene::kStill && !reprojected) plan.frames = kPlainFrames;
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
const std::array<NamedTerms, 20> kTerms{{
    {Scene::kStill, "still_24", "24 samples without history; nothing moves", {.samples = 24, .reprojected = false}},
    {Scene::kObject, "object_24", "24 samples without history; a shelf moves", {.samples = 24, .reprojected = false}},
    {Scene::kCamera, "camera_no_terms", "All history counts; the camera moves", {.terms = {false, false, kOff}}},
    {Scene::kCamera, "camera_velocity", "Velocity alone; the camera moves", {.terms = {false, true, kOff}}},
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
     "object_dangerous_current",
     "Dangerous samples of the frame alone, nothing smoothed; a shelf moves",
     {.terms = {false, false, Dangerous::kCurrent}}},
    {Scene::kObject,
     "object_dangerous_level_0",
     "Dangerous samples alone, without the moving bit in coarser levels; a shelf moves",
     {.terms = {false, false, kMeant}, .forwards_movers = false}},
    {Scene::kObject,
     "object_3_dangerous_current",
     "Dangerous samples of the frame alone, of 3; a shelf moves",
     {.samples = 3, .terms = {false, false, Dangerous::kCurrent}}},
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

/// What an image's size may turn round.
void add_sizes(std::vector<bench::Workload>& workloads, const Maker& maker) {
  struct Sized {
    Scene scene;
    Asks asks;
    const char *name, *title;
  };
  static constexpr std::array<Sized, 4> kSized{
      {{Scene::kStill, Asks::kDither, "dither_still", "6 samples with history and a Bayer matrix; nothing moves"},
       {Scene::kCamera, Asks::kDither, "dither_camera", "6 samples with history and a Bayer matrix; the camera moves"},
       {Scene::kObject, Asks::kNothing, "ghosts_hanging", "All terms; a shelf moves"},
       {Scene::kStanding, Asks::kNothing, "ghosts_standing", "All terms; a shelf moves over the floor"}}};
  static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kSizes{
      {{128, 72}, {192, 108}, {256, 144}, {320, 180}, {480, 270}}};
  for (const Sized& of : kSized)
    for (const auto& [width, height] : kSizes)
      workloads.push_back(workload_of(maker, fmt::format("{}_{}x{}", of.name, width, height),
                                      fmt::format("{}; {} x {} pixels", of.title, width, height),
                                      {.scene = of.scene, .width = width, .height = height, .asks = of.asks}));
}

bench::Workload moving_bit_workload(const Maker& maker) {
  bench::Workload workload =
      workload_of(maker, "moving_bit", "With the moving bit and without it, in turns; a shelf moves",
                  {.scene = Scene::kObject, .judged = false});
  if (maker.phases.size() > 1)
    workload.metrics.push_back(
        {"sampling_by_unmarked", "Time of the sampling by that without the moving bit", "", kQuality, kLess});
  workload.metrics.push_back({"frame_by_unmarked", "Time of a frame by that without the term", "", kQuality, kLess});
  workload.phases = {"frame"};
  workload.version = kTurnsVersion;
  if (workload.prepare)
    workload.prepare = [maker](const bench::Case& inputs) { return std::make_unique<MovingBitTask>(maker, inputs); };
  return workload;
}

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
  against.version = kTurnsVersion;
  against.metrics.push_back({"time_by_24", "Time by that of 24 samples without history", "", kQuality, kLess});
  against.metrics.push_back({"error_by_24", "Error by that of 24 samples without history", "", kExact, kLess, true});
  if (against.prepare)
    against.prepare = [maker](const bench::Case& inputs) { return std::make_unique<AgainstTask>(maker, inputs); };
  workloads.push_back(std::move(against));
  workloads.push_back(moving_bit_workload(maker));

  add_sweeps(workloads, maker);
  // What follows is about quality, which all variants have alike. So one has it.
  Maker shown = maker;
  if (!shown.exhibits && shown.unsupported.empty()) shown.unsupported = "its images are those of the reference";
  for (const NamedTerms& of : kTerms) {
    const bool moving = of.scene != Scene::kStill && of.settings.reprojected;
    const Plan plan{.scene = of.scene, .settings = of.settings, .asks = moving ? Asks::kMotion : Asks::kNothing};
    workloads.push_back(workload_of(shown, of.name, of.title, plan));
    const Terms& terms = of.settings.terms;
    const bool alone_or_all = terms.dangerous != kOff || terms.disocclusion != terms.velocity;
    exhibit(workloads.back(), maker, plan, of.scene == Scene::kObject && of.settings.reprojected && alone_or_all);
  }
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    const auto placement = static_cast<Placement>(i);
    const Plan plan{.settings = {.placement = placement},
                    .asks = placement == Placement::kHalton ? Asks::kRandom : Asks::kNothing};
    workloads.push_back(
        workload_of(shown, fmt::format("placement_{}", kPlacements[i]),
                    fmt::format("6 samples with history, placed by {}; nothing moves", kPlacementTitles[i]), plan));
    exhibit(workloads.back(), maker, plan, false);
  }
  add_sizes(workloads, shown);
  return workloads;
}

}  // namespace lab::ambient_obscurance
