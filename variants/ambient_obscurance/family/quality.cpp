#include "variants/ambient_obscurance/family/quality.h"

#include <algorithm>
#include <cmath>

#include "variants/ambient_obscurance/family/cpu_renderer.h"

namespace lab::ambient_obscurance {

double root_mean_square(std::span<const float> values, std::span<const float> reference) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = double{values[i]} - double{reference[i]};
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double banding(std::span<const float> values, std::span<const float> reference, std::uint32_t width,
               std::uint32_t height) {
  constexpr std::uint32_t kEdge = 4;
  double squares = 0;
  std::size_t count = 0;
  for (std::uint32_t y = 0; y + kEdge <= height; y += kEdge)
    for (std::uint32_t x = 0; x + kEdge <= width; x += kEdge, ++count) {
      double sum = 0;
      for (std::uint32_t row = y; row < y + kEdge; ++row)
        for (std::uint32_t column = x; column < x + kEdge; ++column) {
          const std::size_t i = std::size_t{row} * width + column;
          sum += double{values[i]} - double{reference[i]};
        }
      squares += sum * sum / (kEdge * kEdge) / (kEdge * kEdge);
    }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

double energy(std::span<const float> values, std::span<const float> reference, std::span<const std::size_t> pixels) {
  double sum = 0;
  for (const std::size_t i : pixels) {
    const double d = double{values[i]} - double{reference[i]};
    sum += d * d;
  }
  return sum;
}

Maker fastest_maker() {
  return cpu_maker(avx2_steps() != nullptr ? avx2_steps() : &scalar_steps(), false);
}

namespace {

std::vector<float> rendered(const Maker& maker, const Work& work) {
  bench::PhaseClock clock(3);
  const std::unique_ptr<Renderer> renderer = maker.make(work);
  renderer->begin();
  for (std::size_t i = 0; i < work.sequence.count; ++i) renderer->render(clock);
  return renderer->result();
}

}  // namespace

std::vector<float> last_result(const Sequence& sequence, const Settings& settings, std::uint64_t seed) {
  const std::vector<Pattern> patterns = make_patterns(settings, sequence.lens.width, sequence.lens.height, seed);
  return rendered(fastest_maker(), {sequence, patterns, settings, {.seed = seed}, false});
}

Phases last_results(const Maker& maker, const Sequence& sequence, const Settings& settings, const bench::Case& inputs) {
  std::vector<Pattern> patterns = make_patterns(settings, sequence.lens.width, sequence.lens.height, inputs.seed);
  const Sequence shown = settings.reprojected ? sequence : last_alone(sequence);
  Phases phases;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    phases.push_back(rendered(maker, {shown, patterns, settings, inputs, false}));
    std::ranges::rotate(patterns, patterns.begin() + 1);
  }
  return phases;
}

Phases last_results(const Sequence& sequence, const Settings& settings, std::uint64_t seed) {
  return last_results(fastest_maker(), sequence, settings, {.seed = seed});
}

std::vector<float> mean_of(const Phases& phases) {
  std::vector<float> mean;
  for (std::size_t i = 0; i < phases.front().size(); ++i) {
    double sum = 0;
    for (const std::vector<float>& phase : phases) sum += double{phase[i]};
    mean.push_back(static_cast<float>(sum / static_cast<double>(phases.size())));
  }
  return mean;
}

double root_mean_square(const Phases& phases, std::span<const float> reference, std::span<const std::size_t> pixels) {
  double sum = 0;
  for (const std::vector<float>& phase : phases) sum += energy(phase, reference, pixels);
  return std::sqrt(sum / static_cast<double>(phases.size() * pixels.size()));
}

HistoryEffect history_effect(const Phases& with, const Phases& without, std::span<const std::size_t> pixels) {
  const std::vector<float> mean = mean_of(with);
  HistoryEffect effect{energy(mean, mean_of(without), pixels), 0};
  for (const std::vector<float>& phase : with) effect.noise += energy(phase, mean, pixels);
  effect.noise /= static_cast<double>(with.size());
  return effect;
}

}  // namespace lab::ambient_obscurance
