#include "variants/particle_buffer/family/checked_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "variants/particle_buffer/family/scenario.h"

namespace lab::particle_buffer {

namespace {

constexpr std::size_t kKnownDead = 64;

bool is_odd(std::uint32_t id) {
  return id % 2 != 0;
}

void move(Particle& particle, Motion motion) {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (motion == Motion::kAll || axis == kVertical) particle.position[axis] += particle.velocity[axis];
}

/// Only what the family promises to keep: a monolithic buffer marks the dead in `dies`.
bool equal(const Particle& a, const Particle& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

CheckedBuffer::CheckedBuffer(const MakeBuffer& make, const Abilities& abilities, const Setup& setup)
    : abilities_(abilities), setup_(setup), buffer_(make(setup)) {
  buffer_->on_move([this](const Buffer::NewRefs& new_ref) {
    std::set<Ref> seen;
    for (auto& [id, known] : live_) {
      known.ref = new_ref(known.ref);
      if (known.ref == kNone) problem_ = fmt::format("particle {} has no new index", id);
      if (!seen.insert(known.ref).second) problem_ = fmt::format("two particles have the new index {}", known.ref);
    }
    for (const Ref ref : dead_)
      if (new_ref(ref) != kNone) problem_ = fmt::format("a dead particle has the new index {}", new_ref(ref));
    dead_.clear();
  });
}

void CheckedBuffer::emit(std::size_t count, std::uint32_t lifetime) {
  count = std::min<std::size_t>(count, setup_.amount - next_id_);
  std::vector<Particle> born(count);
  for (Particle& particle : born) {
    const std::uint32_t id = next_id_++;
    const auto number = [id](unsigned shift) { return static_cast<float>(scatter(id) >> shift & 255); };
    particle = {.position = {number(0), number(8), number(16)},
                .velocity = {number(24) + 1, number(32) + 1, number(40) + 1},
                .rotation = {number(48), 0, 0, 1},
                .spin = {1, number(56), 3},
                .id = id,
                .born = frame_,
                .dies = frame_ + lifetime};
  }
  std::vector<Ref> refs(abilities_.indices ? count : 0);
  buffer_->emit(born, refs);
  for (std::size_t i = 0; i < count; ++i) {
    Known& known = live_[born[i].id] = {born[i], {}, refs.empty() ? kNone : refs[i]};
    for (const Layer& layer : layers_) known.layers[layer.number] = 0;
  }
}

void CheckedBuffer::iterate(Motion motion) {
  buffer_->iterate(motion);
  for (auto& [id, known] : live_) move(known.particle, motion);
}

void CheckedBuffer::iterate_some() {
  buffer_->iterate_some(is_odd);
  for (auto& [id, known] : live_)
    if (!is_odd(id)) move(known.particle, Motion::kFall);
}

void CheckedBuffer::bury(std::uint32_t id) {
  const auto found = live_.find(id);
  if (abilities_.indices && dead_.size() < kKnownDead) dead_.push_back(found->second.ref);
  live_.erase(found);
}

void CheckedBuffer::retire() {
  std::vector<std::uint32_t> dying;
  for (const auto& [id, known] : live_)
    if (known.particle.dies <= frame_) dying.push_back(id);
  const std::size_t retired = buffer_->retire(frame_);
  if (retired != dying.size()) problem_ = fmt::format("{} particles were retired, not {}", retired, dying.size());
  for (const std::uint32_t id : dying) bury(id);
  ++frame_;
}

void CheckedBuffer::kill_oldest(std::size_t count) {
  buffer_->kill_oldest(count);
  for (count = std::min(count, live_.size()); count > 0; --count) bury(live_.begin()->first);
}

void CheckedBuffer::kill_every(std::uint32_t step, std::uint32_t from) {
  const auto chosen = [=](std::uint32_t id) { return id % step == from % step; };
  buffer_->kill(chosen);
  std::vector<std::uint32_t> dying;
  for (const auto& [id, known] : live_)
    if (chosen(id)) dying.push_back(id);
  for (const std::uint32_t id : dying) bury(id);
}

void CheckedBuffer::clean_up() {
  buffer_->clean_up(frame_);
}

void CheckedBuffer::compact() {
  if (!abilities_.compacts) return;
  const std::size_t pages = buffer_->usage().pages + buffer_->usage().spare_pages;
  const std::size_t most = buffer_->usage().most_pages;
  buffer_->compact();
  const Usage usage = buffer_->usage();
  if (abilities_.pages && usage.most_pages > std::max(most, pages + 1))
    problem_ = fmt::format("compacting {} pages held {} at once, more than one besides", pages, usage.most_pages);
  if (abilities_.pages && usage.pages != (live_.size() + setup_.page_slots - 1) / setup_.page_slots)
    problem_ = fmt::format("{} particles are in {} pages of {} after compaction", live_.size(), usage.pages,
                           setup_.page_slots);
}

void CheckedBuffer::add_layer(std::size_t bytes) {
  if (!abilities_.layers) return;
  const std::optional<unsigned> layer = buffer_->add_layer(bytes);
  if (!layer) return;
  layers_.push_back({*layer, bytes});
  for (auto& [id, known] : live_) known.layers[*layer] = 0;
}

void CheckedBuffer::remove_layer(std::size_t number) {
  if (layers_.empty()) return;
  const auto gone = layers_.begin() + static_cast<std::ptrdiff_t>(number % layers_.size());
  buffer_->remove_layer(gone->number);
  for (auto& [id, known] : live_) known.layers.erase(gone->number);
  layers_.erase(gone);
}

void CheckedBuffer::iterate_layers() {
  for (const Layer& layer : layers_) {
    buffer_->iterate_layer(layer.number);
    for (auto& [id, known] : live_) known.layers[layer.number] += 1;
  }
}

std::string CheckedBuffer::wrong_refs() {
  std::vector<Ref> refs;
  std::vector<float> expected;
  for (const auto& [id, known] : live_) {
    refs.push_back(known.ref);
    expected.push_back(known.particle.position[kVertical]);
  }
  for (const Ref ref : dead_) {
    refs.push_back(ref);
    expected.push_back(kDeadHeight);
  }
  std::vector<float> heights(refs.size());
  buffer_->heights(refs, heights);
  for (std::size_t i = 0; i < refs.size(); ++i)
    if (heights[i] != expected[i])
      return fmt::format("index {} names a particle at height {}, not {}", refs[i], heights[i], expected[i]);
  return "";
}

std::string CheckedBuffer::difference() {
  if (!problem_.empty()) return problem_;
  if (buffer_->live() != live_.size()) return fmt::format("{} particles live, not {}", buffer_->live(), live_.size());
  std::string problem;
  std::size_t seen = 0;
  auto next = live_.begin();  // most walks are in the order of birth, in which a search is not needed
  buffer_->visit([&](Ref ref, const Particle& particle) {
    ++seen;
    const auto found = next != live_.end() && next->first == particle.id ? next : live_.find(particle.id);
    if (found == live_.end()) {
      problem = fmt::format("a walk visits particle {}, which is dead", particle.id);
      return;
    }
    next = std::next(found);
    const Known& known = found->second;
    if (!equal(particle, known.particle)) problem = fmt::format("particle {} has changed", particle.id);
    if (abilities_.indices && ref != known.ref)
      problem = fmt::format("particle {} has index {}, not {}", particle.id, ref, known.ref);
    for (const Layer& layer : layers_) {
      float number;
      std::memcpy(&number, buffer_->layer_at(layer.number, ref), sizeof number);
      if (number != known.layers.at(layer.number))
        problem = fmt::format("particle {} has {} in a layer of {} bytes, not {}", particle.id, number, layer.bytes,
                              known.layers.at(layer.number));
    }
  });
  if (!problem.empty()) return problem;
  if (seen != live_.size()) return fmt::format("a walk visits {} particles of {}", seen, live_.size());
  std::vector<float> heights(live_.size());
  buffer_->heights(heights);
  double sum = 0, expected = 0;
  for (const float height : heights) sum += height;
  for (const auto& [id, known] : live_) expected += known.particle.position[kVertical];
  if (sum != expected) return fmt::format("the heights add up to {}, not {}", sum, expected);
  if (abilities_.indices) problem = wrong_refs();
  return problem;
}

}  // namespace lab::particle_buffer
