#include "variants/ambient_obscurance/family/cpu_renderer.h"

#include <algorithm>
#include <utility>

#include "variants/common/workers/pinned_workers.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::ambient_obscurance {

namespace {

constexpr std::int32_t kBandRows = 8;

class CpuRenderer final : public Renderer {
 public:
  CpuRenderer(const Work& work, const Steps& steps, bool threads)
      : work_(work), steps_(steps), width_(work.sequence.lens.width), height_(work.sequence.lens.height) {
    if (threads && work.inputs.threads > 1)
      pool_ = std::make_unique<designs::WorkerPool>(work.inputs.threads, pinned_workers(work.inputs.threads));
    const Chain chain = chain_of(width_, height_);
    const std::size_t pixels = work.sequence.lens.pixels();
    for (auto& z : z_) z.resize(chain.texels);
    for (auto* planes : {&results_, &penalties_})
      for (auto& plane : *planes) plane.resize(pixels);
    obscured_.resize(pixels);
    touching_.resize(pixels);
    weight_.resize(pixels);
  }

  void begin() override { frame_ = 0; }

  void render(bench::PhaseClock& clock) override {
    const std::size_t now = frame_ % 2, last = 1 - now;
    Job job = job_of(work_.sequence.lens, work_.sequence.frame(frame_), work_.settings);
    set_pattern(job, work_.patterns[frame_ % work_.patterns.size()]);
    job.has_history = frame_ > 0;
    job.z = z_[now].data();
    job.last_z = z_[last].data();
    job.obscured = obscured_.data();
    job.touching = work_.settings.counts_movers() ? touching_.data() : nullptr;
    job.result = results_[now].data();
    job.penalty = penalties_[now].data();
    job.last_result = results_[last].data();
    job.last_penalty = penalties_[last].data();
    job.weight = work_.weighs ? weight_.data() : nullptr;
    if (pool_) pool_->gather();
    clock.time(0, [&] {
      rows(job.height, [&](std::int32_t first, std::int32_t end) { steps_.linearise(job, first, end); });
      for (std::int32_t level = 1; level < job.levels; ++level)
        rows(job.chain.height[static_cast<std::size_t>(level)],
             [&](std::int32_t first, std::int32_t end) { steps_.halve(job, level, first, end); });
    });
    clock.time(
        1, [&] { rows(job.height, [&](std::int32_t first, std::int32_t end) { steps_.obscure(job, first, end); }); });
    if (work_.settings.reprojected)
      clock.time(2, [&] {
        rows(job.height, [&](std::int32_t first, std::int32_t end) { steps_.reproject(job, first, end); });
      });
    ++frame_;
  }

  std::vector<float> result() override { return work_.settings.reprojected ? results_[(frame_ - 1) % 2] : obscured_; }
  std::vector<float> weight() override { return weight_; }

  static Job job_of(const Lens& lens, const Frame& frame, const Settings& settings) {
    Job job{};
    job.width = static_cast<std::int32_t>(lens.width);
    job.height = static_cast<std::int32_t>(lens.height);
    job.chain = chain_of(lens.width, lens.height);
    job.near = lens.near;
    job.x_first = lens.x_first;
    job.y_first = lens.y_first;
    job.step = lens.step;
    job.pixels_by_depth = pixels_by_depth(lens);
    job.depth = frame.depth.data();
    job.motion_x = frame.motion_x.data();
    job.motion_y = frame.motion_y.data();
    job.moving = settings.counts_movers() ? frame.moving.data() : nullptr;
    job.forwards_movers = settings.forwards_movers;
    job.samples = static_cast<std::int32_t>(settings.samples);
    job.levels = kLevels;
    job.disocclusion = settings.terms.disocclusion;
    job.velocity = settings.terms.velocity;
    job.dangerous = settings.terms.dangerous;
    job.printed_combination = settings.printed_combination;
    return job;
  }
  static void set_pattern(Job& job, const Pattern& pattern) {
    job.spiral = pattern.spiral.data();
    job.kinds = pattern.kinds.data();
    job.kind_of = pattern.kind_of.data();
  }

 private:
  template <typename Step>
  void rows(std::int32_t height, const Step& step) {
    if (!pool_) return step(0, height);
    const auto bands = static_cast<std::size_t>((height + kBandRows - 1) / kBandRows);
    pool_->run(bands, [&](std::size_t band) {
      const std::int32_t first = static_cast<std::int32_t>(band) * kBandRows;
      step(first, std::min(first + kBandRows, height));
    });
  }

  Work work_;
  const Steps& steps_;
  std::uint32_t width_, height_;
  std::unique_ptr<designs::WorkerPool> pool_;
  std::array<std::vector<float>, 2> z_, results_, penalties_;  // of this frame and the last
  std::vector<float> obscured_, touching_, weight_;
  std::size_t frame_ = 0;
};

}  // namespace

Maker cpu_maker(const Steps* steps, bool threads) {
  if (steps == nullptr) return {.make = {}, .phases = {"frame"}, .unsupported = "needs a CPU with AVX2"};
  return {.make = [=](const Work& work) { return std::make_unique<CpuRenderer>(work, *steps, threads); },
          .phases = {"depth", "obscurance", "reprojection"},
          .parallel = threads};
}

float pixels_by_depth(const Lens& lens) {
  return kRadius / (lens.step * lens.near);
}

std::vector<float> converged(const Lens& lens, const Frame& frame, std::uint32_t samples) {
  const Settings settings{.samples = samples, .placement = Placement::kFixed, .reprojected = false};
  const std::vector<Pattern> patterns = make_patterns(settings, lens.width, lens.height, 1);
  Job job = CpuRenderer::job_of(lens, frame, settings);
  CpuRenderer::set_pattern(job, patterns.front());
  job.levels = 1;
  std::vector<float> z(job.chain.texels), obscured(lens.pixels());
  job.z = z.data();
  job.obscured = obscured.data();
  const Steps& steps = avx2_steps() != nullptr ? *avx2_steps() : scalar_steps();
  steps.linearise(job, 0, job.height);
  steps.obscure(job, 0, job.height);
  return obscured;
}

}  // namespace lab::ambient_obscurance
