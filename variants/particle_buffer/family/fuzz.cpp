#include "variants/particle_buffer/family/fuzz.h"

#include <algorithm>

#include "variants/common/plans/fuzz_input.h"
#include "variants/particle_buffer/family/checked_buffer.h"
#include "variants/particle_buffer/family/scenario.h"

namespace lab::particle_buffer {

namespace {

/// That are emitted in all, and that live at once: every check walks over these, and an input should take milliseconds.
constexpr std::size_t kMostParticles = 20'000, kMostLive = 1'000;

void take_step(CheckedBuffer& buffer, FuzzInput& input, std::uint8_t step) {
  if (step < 100) {
    const std::size_t wanted = std::size_t{input.next()} * (step % 4 == 0 ? 8 : 1);
    const std::size_t count = std::min(wanted, kMostLive - buffer.buffer().live());
    const std::uint8_t lifetime = input.next();
    buffer.emit(count, lifetime == 255 ? kForever : lifetime % 32u);
  } else if (step < 130) {
    buffer.iterate(step % 2 == 0 ? Motion::kFall : Motion::kAll);
  } else if (step < 140) {
    buffer.iterate_some();
  } else if (step < 170) {
    buffer.retire();
  } else if (step < 190) {
    buffer.kill_oldest(std::size_t{input.next()} * (step % 4 == 0 ? 8 : 1));
  } else if (step < 210) {
    buffer.kill_every(1 + input.next() % 16u, step);
  } else if (step < 225) {
    buffer.clean_up();
  } else if (step < 235) {
    buffer.compact();
  } else if (step < 243) {
    buffer.add_layer(4 + input.next() % 16u * 4u);
  } else if (step < 248) {
    buffer.remove_layer(step);
  } else {
    buffer.iterate_layers();
  }
}

}  // namespace

std::string fuzz(const MakeBuffer& make, const Abilities& abilities, std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  CheckedBuffer buffer(make, abilities, {kMostParticles, 64u << input.next() % 4u});
  while (!input.ended()) {
    const std::uint8_t step = input.next();
    take_step(buffer, input, step);
    if (step % 8 == 0 || step >= 225 || input.ended())
      if (std::string problem = buffer.difference(); !problem.empty()) return problem;
  }
  return buffer.difference();
}

}  // namespace lab::particle_buffer
