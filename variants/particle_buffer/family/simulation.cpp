#include "variants/particle_buffer/family/simulation.h"

#include <algorithm>

namespace lab::particle_buffer {

Setup setup_of(const Scenario& scenario) {
  return {static_cast<std::size_t>(scenario.emitted()), scenario.page_slots, scenario.dead_limit};
}

void Simulation::step(bench::PhaseClock& clock) {
  std::size_t count = scenario_.rate(frame_);
  std::size_t excess = 0;
  if (scenario_.rule != LoadRule::kUnlimited) {
    const std::size_t room = scenario_.most_live - buffer_.live(), wanted = count;
    count = std::min(count, scenario_.rule == LoadRule::kStopEmitting ? room : scenario_.most_live);
    not_emitted_ += wanted - count;
    excess = count > room ? count - room : 0;
    replaced_ += excess;
  }
  const std::span<const Particle> born = emitter_.next(frame_, count);
  if (excess > 0) clock.time(kKill, [&] { buffer_.kill_oldest(excess); });
  if (refs_ != nullptr) refs_->resize(born.size());
  clock.time(kEmit, [&] { buffer_.emit(born, refs_ == nullptr ? std::span<Ref>() : std::span<Ref>(*refs_)); });
  clock.time(kIterate, [&] { buffer_.iterate(Motion::kFall); });
  clock.time(kKill, [&] { buffer_.retire(frame_); });
  clock.time(kCleanUp, [&] { buffer_.clean_up(frame_); });
  ++frame_;
}

void MemoryRecord::add(const Buffer& buffer) {
  const std::size_t bytes = buffer.usage().bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes);
  if (buffer.live() == 0) return;
  bytes_ += static_cast<double>(bytes);
  live_ += static_cast<double>(buffer.live());
}

std::map<std::string, double> MemoryRecord::counters(const Buffer& buffer) const {
  const Usage usage = buffer.usage();
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {{"peak_bytes", number(peak_bytes_)},
          {"bytes_per_live", live_ == 0 ? 0 : bytes_ / live_},
          {"extra_bytes", number(usage.most_extra_bytes)},
          {"index_layer_bytes", number(usage.index_layer_bytes)},
          {"pages_allocated", number(usage.pages_allocated)},
          {"pages_recycled", number(usage.pages_recycled)},
          {"compactions", number(usage.compactions)},
          {"moved", number(usage.moved)}};
}

}  // namespace lab::particle_buffer
