#include "variants/ambient_obscurance/family/quality.h"

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

std::vector<float> last_result(const Sequence& sequence, const Settings& settings, std::uint64_t seed) {
  const std::vector<Pattern> patterns = make_patterns(settings, sequence.lens.width, sequence.lens.height, seed);
  const bench::Case inputs{.seed = seed};
  const Steps* steps = avx2_steps() != nullptr ? avx2_steps() : &scalar_steps();
  const std::unique_ptr<Renderer> renderer =
      cpu_maker(steps, false).make({sequence, patterns, settings, inputs, false});
  bench::PhaseClock clock(3);
  renderer->begin();
  for (std::size_t i = 0; i < sequence.count; ++i) renderer->render(clock);
  return renderer->result();
}

}  // namespace lab::ambient_obscurance
