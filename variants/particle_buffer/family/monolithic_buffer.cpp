#include "variants/particle_buffer/family/monolithic_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "variants/particle_buffer/family/paged_buffer.h"

namespace lab::particle_buffer {

namespace {

class Monolithic : public Buffer {
 public:
  Monolithic(const Setup& setup, Growth growth) : growth_(growth) {
    if (growth != Growth::kFixedAmount) return;
    particles_ = std::make_unique<Particle[]>(setup.amount);  // zeroed, and so touched
    capacity_ = setup.amount;
  }

  void emit(std::span<const Particle> born, std::span<Ref> refs) override {
    if (born.empty()) return;  // without any memory, perhaps
    if (used_ + born.size() > capacity_) make_room(born.size());
    std::memcpy(&particles_[used_], born.data(), born.size_bytes());
    for (std::size_t i = 0; i < refs.size(); ++i) refs[i] = used_ + i;
    for (Layer& layer : layers_)
      if (layer.bytes != 0) std::memset(&layer.elements[used_ * layer.bytes], 0, born.size() * layer.bytes);
    used_ += born.size();
    live_ += born.size();
  }

  void iterate(Motion motion) override {
    if (motion == Motion::kFall)
      each_live(Move<Motion::kFall>{});
    else
      each_live(Move<Motion::kAll>{});
  }

  void iterate_some(Skip skip) override {
    each_live([skip](const Rows<>& particles, std::size_t i) {
      if (!skip(particles.id(i))) Move<Motion::kFall>{}(particles, i);
    });
  }

  std::size_t retire(std::uint32_t frame) override {
    const std::size_t before = live_;
    each_live([&](const Rows<>& particles, std::size_t i) {
      if (particles.dies(i) <= frame) bury(i);
    });
    return before - live_;
  }

  void kill_oldest(std::size_t count) override {
    for (count = std::min(count, live_); count > 0; ++oldest_)
      if (particles_[oldest_].dies != 0) {
        bury(oldest_);
        --count;
      }
  }

  void clean_up(std::uint32_t) override {
    if (growth_ != Growth::kFixedAmount &&
        static_cast<double>(capacity_ - live_) > kDeadLimit * static_cast<double>(capacity_))
      compact();
  }

  void compact() override { copy_all(live_); }

  std::size_t live() const override { return live_; }

  Usage usage() const override {
    std::size_t bytes = capacity_ * sizeof(Particle) + sizeof *this;
    for (const Layer& layer : layers_) bytes += layer.elements.capacity();
    return {.slots = capacity_,
            .bytes = bytes,
            .compactions = copies_,
            .moved = moved_,
            .index_layer_bytes = index_bytes_,
            .most_extra_bytes = extra_bytes_};
  }
  std::vector<Span> spans() const override { return {{capacity_, live_}}; }

  void visit(const std::function<void(Ref, const Particle&)>& each) const override {
    each_live([&each](const Rows<>& particles, std::size_t i) { each(i, particles[i]); });
  }
  void kill(const std::function<bool(std::uint32_t id)>& chosen) override {
    each_live([&](const Rows<>& particles, std::size_t i) {
      if (chosen(particles.id(i))) bury(i);
    });
  }
  void heights(std::span<float> out) const override {
    float* next = out.data();
    each_live([&next](const Rows<>& particles, std::size_t i) { *next++ = particles.position(kVertical, i); });
  }
  void heights(std::span<const Ref> refs, std::span<float> out) const override {
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const bool is_live = refs[i] < used_ && particles_[refs[i]].dies != 0;
      out[i] = is_live ? particles_[refs[i]].position[kVertical] : kDeadHeight;
    }
  }
  void on_move(std::function<void(const NewRefs&)> owner) override { owner_ = std::move(owner); }

  std::optional<unsigned> add_layer(std::size_t bytes) override {
    layers_.push_back({bytes, std::vector<std::byte>(capacity_ * bytes)});
    return static_cast<unsigned>(layers_.size() - 1);
  }
  void remove_layer(unsigned layer) override { layers_[layer] = {}; }
  void iterate_layer(unsigned layer) override {
    each_live([&to = layers_[layer]](const Rows<>&, std::size_t i) {
      *reinterpret_cast<float*>(&to.elements[i * to.bytes]) += 1;
    });
  }
  const std::byte* layer_at(unsigned layer, Ref ref) const override {
    return &layers_[layer].elements[ref * layers_[layer].bytes];
  }

 private:
  struct Layer {
    std::size_t bytes = 0;
    std::vector<std::byte> elements = {};
  };

  template <typename Body>
  void each_live(Body&& body) const {
    const Rows<> particles{reinterpret_cast<std::byte*>(particles_.get())};
    for (std::size_t i = 0; i < used_; ++i)
      if (particles.dies(i) != 0) body(particles, i);
  }
  void bury(std::size_t i) {
    particles_[i].dies = 0;
    --live_;
  }

  void make_room(std::size_t born) {
    const std::size_t needed = live_ + born;
    copy_all(growth_ == Growth::kByHalf ? needed + needed / 2 : needed);
  }

  void copy_all(std::size_t capacity) {
    if (owner_) tell_owner();
    std::unique_ptr<Particle[]> particles = std::make_unique_for_overwrite<Particle[]>(capacity);
    std::vector<std::size_t> from;
    from.reserve(layers_.empty() ? 0 : live_);
    std::size_t to = 0;
    each_live([&](const Rows<>& old, std::size_t i) {
      particles[to++] = old[i];
      if (!layers_.empty()) from.push_back(i);
    });
    std::size_t largest = 0;  // of the layers, which follow one by one
    for (Layer& layer : layers_) {
      largest = std::max(largest, layer.bytes);
      std::vector<std::byte> elements(capacity * layer.bytes);
      for (std::size_t i = 0; i < from.size(); ++i)
        std::copy_n(layer.elements.begin() + static_cast<std::ptrdiff_t>(from[i] * layer.bytes), layer.bytes,
                    elements.begin() + static_cast<std::ptrdiff_t>(i * layer.bytes));
      layer.elements = std::move(elements);
    }
    extra_bytes_ = std::max(extra_bytes_, capacity * (sizeof(Particle) + largest) + from.capacity() * sizeof from[0]);
    particles_ = std::move(particles);
    capacity_ = capacity;
    used_ = live_;
    oldest_ = 0;
    ++copies_;
    moved_ += live_;
  }

  void tell_owner() {
    std::vector<Ref> indices(used_, kNone);
    Ref next = 0;
    each_live([&](const Rows<>&, std::size_t i) { indices[i] = next++; });
    index_bytes_ = std::max(index_bytes_, used_ * sizeof(Ref));
    owner_([&indices](Ref old) { return old < indices.size() ? indices[old] : kNone; });
  }

  const Growth growth_;
  std::unique_ptr<Particle[]> particles_;
  std::vector<Layer> layers_;
  std::function<void(const NewRefs&)> owner_;
  std::size_t capacity_ = 0, used_ = 0, live_ = 0, oldest_ = 0;
  std::uint64_t copies_ = 0, moved_ = 0;
  std::size_t index_bytes_ = 0, extra_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Buffer> make_monolithic(const Setup& setup, Growth growth) {
  return std::make_unique<Monolithic>(setup, growth);
}

Abilities monolithic_abilities(Growth growth) {
  const bool fixed = growth == Growth::kFixedAmount;
  return {.indices = true, .compacts = !fixed, .layers = true, .walks_all = fixed};
}

}  // namespace lab::particle_buffer
