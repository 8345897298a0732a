#include "variants/particle_buffer/family/conformance.h"

#include <fmt/format.h>

#include <functional>

#include "harness/base/random.h"
#include "variants/particle_buffer/family/checked_buffer.h"
#include "variants/particle_buffer/family/scenario.h"

namespace lab::particle_buffer {

namespace {

using Check = std::function<std::string(CheckedBuffer&)>;

constexpr std::size_t kAmount = 200'000;

/// A check on buffers of small and of usual pages.
bench::ConformanceCheck check(std::string name, const MakeBuffer& make, const Abilities& abilities,
                              Check what_is_wrong) {
  return {std::move(name), [=] {
            for (const std::uint32_t slots : {64u, 1024u}) {
              CheckedBuffer buffer(make, abilities, {kAmount, slots});
              if (std::string problem = what_is_wrong(buffer); !problem.empty())
                return fmt::format("pages of {}: {}", slots, problem);
            }
            return std::string();
          }};
}

std::string fills_and_empties(CheckedBuffer& buffer) {
  for (unsigned round = 0; round < 3; ++round) {
    buffer.emit(5'000, 3);
    if (std::string problem = buffer.difference(); !problem.empty()) return problem;
    for (unsigned frame = 0; frame < 4; ++frame) {
      buffer.iterate(Motion::kFall);
      if (std::string problem = buffer.difference(); !problem.empty()) return problem;
      buffer.retire();
      buffer.clean_up();
    }
    if (buffer.buffer().live() != 0) return "particles outlive their lifetime";
    if (std::string problem = buffer.difference(); !problem.empty()) return problem;
  }
  return "";
}

std::string keeps_frames(CheckedBuffer& buffer) {
  Random random(1);
  for (unsigned frame = 0; frame < 120; ++frame) {
    for (unsigned lot = 0; lot < 4; ++lot)
      buffer.emit(random.below(150), static_cast<std::uint32_t>(lot == 0 ? random.between(20, 60) : random.below(8)));
    buffer.iterate(frame % 3 == 0 ? Motion::kAll : Motion::kFall);
    if (frame % 5 == 0) buffer.iterate_some();
    buffer.retire();
    buffer.clean_up();
    if (std::string problem = buffer.difference(); !problem.empty()) return fmt::format("frame {}: {}", frame, problem);
  }
  return "";
}

std::string replaces_the_oldest(CheckedBuffer& buffer) {
  Random random(2);
  for (unsigned frame = 0; frame < 60; ++frame) {
    buffer.emit(random.below(300), static_cast<std::uint32_t>(random.between(1, 40)));
    buffer.kill_oldest(random.below(200));
    buffer.retire();
    buffer.clean_up();
    if (std::string problem = buffer.difference(); !problem.empty()) return fmt::format("frame {}: {}", frame, problem);
  }
  return "";
}

std::string survives_compaction(CheckedBuffer& buffer) {
  Random random(3);
  for (unsigned round = 0; round < 30; ++round) {
    buffer.emit(random.below(3'000), kForever);
    buffer.kill_every(static_cast<std::uint32_t>(random.between(2, 9)), static_cast<std::uint32_t>(random.next()));
    if (round % 4 == 3) buffer.kill_oldest(random.below(2'000));
    buffer.compact();
    if (std::string problem = buffer.difference(); !problem.empty()) return fmt::format("round {}: {}", round, problem);
    if (round % 7 == 0) buffer.clean_up();
  }
  buffer.kill_every(1, 0);
  buffer.compact();
  return buffer.difference();
}

std::string keeps_layers(CheckedBuffer& buffer) {
  Random random(4);
  for (unsigned frame = 0; frame < 80; ++frame) {
    buffer.emit(random.below(400), static_cast<std::uint32_t>(random.between(1, 30)));
    if (frame % 20 == 5) buffer.add_layer(32);
    if (frame % 20 == 10) buffer.add_layer(12);
    if (frame % 20 == 15) buffer.remove_layer(frame);
    buffer.iterate_layers();
    buffer.retire();
    buffer.clean_up();
    if (frame % 10 == 9) buffer.compact();
    if (std::string problem = buffer.difference(); !problem.empty()) return fmt::format("frame {}: {}", frame, problem);
  }
  return "";
}

}  // namespace

std::vector<bench::ConformanceCheck> checks_of(const MakeBuffer& make, const Abilities& abilities) {
  std::vector<bench::ConformanceCheck> checks{
      check("particles live as long as they should, and an emptied buffer fills again", make, abilities,
            fills_and_empties),
      check("what lives is the same as in a model after every frame", make, abilities, keeps_frames),
      check("the oldest particles can be killed first", make, abilities, replaces_the_oldest)};
  if (abilities.compacts)
    checks.push_back(check("indices and contents survive every compaction, which takes no more than one page besides",
                           make, abilities, survives_compaction));
  if (abilities.layers)
    checks.push_back(check("layers that come and go keep the values of each particle", make, abilities, keeps_layers));
  return checks;
}

}  // namespace lab::particle_buffer
