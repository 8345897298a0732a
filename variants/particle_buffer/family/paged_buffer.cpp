#include "variants/particle_buffer/family/paged_buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "variants/particle_buffer/family/expiry.h"

namespace lab::particle_buffer {

namespace {

using designs::PagedLayers;
using designs::PageLoop;
using Page = PagedLayers::Page;

/// A struct for each particle; `Row` begins with it.
template <typename Row>
class RowLayout {
 public:
  using Fields = Rows<sizeof(Row)>;
  static std::vector<std::size_t> layers() { return {sizeof(Row)}; }
  static Fields bind(const Page& page) { return {page.layer(0)}; }
  static void write(const Page& page, std::uint32_t first, std::span<const Particle> born) {
    Row* const to = page.array<Row>(0) + first;
    for (std::size_t i = 0; i < born.size(); ++i) to[i] = {born[i]};
  }
  static std::uint64_t expired(const Fields& fields, std::size_t first, std::uint64_t live, std::uint32_t frame) {
    std::uint64_t dying = 0;
    for (std::uint64_t bits = live; bits != 0; bits &= bits - 1)
      if (fields.dies(first + static_cast<std::size_t>(std::countr_zero(bits))) <= frame) dying |= bits & (~bits + 1);
    return dying;
  }
};

/// An array for each field.
class ColumnLayout {
 public:
  using Fields = Columns;
  static std::vector<std::size_t> layers() { return std::vector<std::size_t>(kFields, sizeof(float)); }
  static Fields bind(const Page& page) {
    Fields fields;
    for (unsigned field = 0; field < kFields; ++field) fields.arrays[field] = page.layer(field);
    return fields;
  }
  static void write(const Page& page, std::uint32_t first, std::span<const Particle> born) {
    for (unsigned field = 0; field < kFields; ++field) {
      std::byte* to = page.layer(field) + first * sizeof(float);
      const std::byte* from = reinterpret_cast<const std::byte*>(born.data()) + field * sizeof(float);
      for (std::size_t i = 0; i < born.size(); ++i) std::memcpy(to + i * sizeof(float), from + i * sizeof(Particle), 4);
    }
  }
  static std::uint64_t expired(const Fields& fields, std::size_t first, std::uint64_t live, std::uint32_t frame) {
    return at_most(&fields.dies(first), frame) & live;
  }
};

/// A struct for each particle with pointers to whatever else may belong to it.
struct PointerParticle {
  static constexpr unsigned kPointers = 3;
  Particle particle;
  std::byte* further[kPointers] = {};  ///< "hair", "boid" and one that the user defines, as it were
};

/// Of the pages in use, one in so many is kept besides for new particles.
constexpr std::size_t kSpareShare = 32;

/// One class, because it is the interface Buffer over one PagedLayers: short functions, whose code is timed.
template <typename L>
class Paged : public Buffer {
 public:
  Paged(const Setup& setup, const PagedChoice& choice)
      : choice_(choice), dead_limit_(setup.dead_limit), pages_({setup.page_slots, choice.recycles}, L::layers()) {}

  void emit(std::span<const Particle> born, std::span<Ref> refs) override {
    std::size_t done = 0;
    pages_.append(born.size(), [&](Page& page, std::uint32_t first, std::uint32_t count) {
      const std::span<const Particle> run = born.subspan(done, count);
      L::write(page, first, run);
      if (choice_.knows_deaths)
        for (const Particle& particle : run) page.bound_deaths(particle.dies, particle.dies);
      if (!refs.empty())
        for (std::uint32_t i = 0; i < count; ++i) refs[done + i] = pages_.index_of(page, first + i);
      begun(page, first, count);
      done += count;
    });
  }

  void iterate(Motion motion) override {
    if (motion == Motion::kFall)
      pages_.walk(choice_.loop, L::bind, Move<Motion::kFall>{});
    else
      pages_.walk(choice_.loop, L::bind, Move<Motion::kAll>{});
  }

  void iterate_some(Skip skip) override {
    pages_.walk(PageLoop::kSetBits, L::bind, [skip](const auto& fields, std::size_t i) {
      if (!skip(fields.id(i))) Move<Motion::kFall>{}(fields, i);
    });
  }

  std::size_t retire(std::uint32_t frame) override {
    const std::size_t before = pages_.live();
    pages_.for_each_page([&](Page& page) {
      if (choice_.knows_deaths) {
        if (frame < page.first_death()) return;
        if (page.last_death() <= frame && !kOwnsElements) return pages_.kill_page(page);
      }
      const auto fields = L::bind(page);
      for (std::size_t word = 0; word < pages_.words_of(page); ++word)
        if (const std::uint64_t live = pages_.word(page, word); live != 0)
          kill_bits(page, word, L::expired(fields, word * PagedLayers::kSlotsOfWord, live, frame));
      if (choice_.knows_deaths) page.set_first_death(frame + 1);
    });
    return before - pages_.live();
  }

  void kill_oldest(std::size_t count) override {
    if (choice_.order == designs::CompactionOrder::kStable) {
      pages_.for_each_page([&](Page& page) {
        for (std::size_t word = 0; word < pages_.words_of(page) && count > 0; ++word) {
          std::uint64_t oldest = 0;
          for (std::uint64_t bits = pages_.word(page, word); bits != 0 && count > 0; bits &= bits - 1, --count)
            oldest |= bits & (~bits + 1);
          kill_bits(page, word, oldest);
        }
      });
      return;
    }
    // Compaction has mixed the ages.
    std::vector<std::uint32_t> ids;
    ids.reserve(pages_.live());
    pages_.walk(PageLoop::kSetBits, L::bind, [&](const auto& fields, std::size_t i) { ids.push_back(fields.id(i)); });
    count = std::min(count, ids.size());
    if (count == 0) return;
    std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count - 1), ids.end());
    kill([last = ids[count - 1]](std::uint32_t id) { return id <= last; });
  }

  void clean_up(std::uint32_t frame) override {
    pages_.free_dead_pages();
    if (choice_.clean_up == CleanUp::kFreeDeadPages || pages_needed() >= pages_.pages()) return;
    if (!too_dead(pages_.slots(), pages_.live())) return;
    if (choice_.clean_up == CleanUp::kCompactByForecast && is_better_soon(frame)) return;
    if (choice_.most_moved == 0)
      compact();
    else
      compact_some();
  }

  std::size_t live() const override { return pages_.live(); }

  Usage usage() const override {
    const PagedLayers::Counts& counts = pages_.counts();
    return {.slots = pages_.slots() + pages_.spare_pages() * pages_.page_slots(),
            .bytes = pages_.bytes() + element_bytes(),
            .pages = pages_.pages(),
            .spare_pages = pages_.spare_pages(),
            .most_pages = counts.most_pages,
            .pages_allocated = counts.pages_allocated,
            .pages_freed = counts.pages_freed,
            .pages_recycled = counts.pages_recycled,
            .compactions = counts.compactions,
            .moved = counts.moved,
            .index_layer_bytes = counts.index_layer_bytes,
            .most_extra_bytes = counts.most_extra_pages * pages_.page_bytes()};
  }

  std::vector<Span> spans() const override {
    std::vector<Span> spans;
    pages_.for_each_page([&](const Page& page) { spans.push_back({pages_.page_slots(), page.live()}); });
    return spans;
  }

  void visit(const std::function<void(Ref, const Particle&)>& each) const override {
    pages_.for_each_page([&](const Page& page) {
      const auto fields = L::bind(page);
      for (std::uint32_t slot = 0; slot < page.used(); ++slot)
        if (page.is_live(slot)) each(pages_.index_of(page, slot), fields[slot]);
    });
  }

  void kill(const std::function<bool(std::uint32_t id)>& chosen) override {
    pages_.for_each_page([&](Page& page) {
      const auto fields = L::bind(page);
      for (std::size_t word = 0; word < pages_.words_of(page); ++word) {
        std::uint64_t dying = 0;
        for (std::uint64_t bits = pages_.word(page, word); bits != 0; bits &= bits - 1)
          if (chosen(fields.id(word * PagedLayers::kSlotsOfWord + static_cast<std::size_t>(std::countr_zero(bits)))))
            dying |= bits & (~bits + 1);
        kill_bits(page, word, dying);
      }
    });
  }

  void heights(std::span<float> out) const override {
    float* next = out.data();
    pages_.walk(PageLoop::kSetBits, L::bind,
                [&next](const auto& fields, std::size_t i) { *next++ = fields.position(kVertical, i); });
  }

  void heights(std::span<const Ref> refs, std::span<float> out) const override {
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const auto [page, slot] = pages_.find(refs[i]);
      out[i] = page == nullptr ? kDeadHeight : height_of(*page, slot);
    }
  }

  void on_move(std::function<void(const NewRefs&)> owner) override { owner_ = std::move(owner); }

  void compact() override {
    pages_.compact(choice_.order, owner_call());
    pages_.free_spare_pages(pages_.pages() / kSpareShare);
  }

  std::optional<unsigned> add_layer(std::size_t bytes) override { return pages_.add_layer(bytes); }
  void remove_layer(unsigned layer) override { pages_.remove_layer(layer); }
  void iterate_layer(unsigned layer) override {
    // The first layers and those that are added have numbers of their own, and an element may have any size.
    const std::size_t bytes = layer_bytes(layer);
    pages_.walk(
        PageLoop::kSetBits, [layer](const Page& page) { return page.layer(layer); },
        [bytes](std::byte* first, std::size_t i) { *reinterpret_cast<float*>(first + i * bytes) += 1; });
  }
  const std::byte* layer_at(unsigned layer, Ref ref) const override {
    const auto [page, slot] = pages_.find(ref);
    return page->layer(layer) + slot * layer_bytes(layer);
  }

 protected:
  static constexpr bool kOwnsElements = std::same_as<L, RowLayout<PointerParticle>>;

  /// For a layout whose particles own memory: called when particles begin and before they end.
  virtual void begun(const Page&, std::uint32_t, std::uint32_t) {}
  virtual void ended(const Page&, std::size_t, std::uint64_t) {}
  virtual std::size_t element_bytes() const { return 0; }
  std::size_t layer_bytes(unsigned layer) const { return pages_.layer_bytes(layer); }

  void kill_bits(Page& page, std::size_t word, std::uint64_t bits) {
    if constexpr (kOwnsElements) ended(page, word, bits & pages_.word(page, word));
    pages_.kill_bits(page, word, bits);
  }

  // Without binding all fields.
  static float height_of(const Page& page, std::uint32_t slot) {
    if constexpr (std::same_as<L, ColumnLayout>)
      return page.array<float>(kPosition + kVertical)[slot];
    else
      return L::bind(page).position(kVertical, slot);
  }

  std::size_t pages_needed() const { return (pages_.live() + pages_.page_slots() - 1) / pages_.page_slots(); }

  void compact_some() {
    pages_.compact_some(choice_.most_moved, choice_.order, owner_call());
    pages_.free_spare_pages(pages_.pages() / kSpareShare);
  }

  PagedLayers::UpdateOwner owner_call() const {
    return [this](const PagedLayers::NewIndices& indices) {
      if (owner_) owner_([&indices](Ref old) { return indices(old); });
    };
  }

  bool too_dead(std::size_t slots, std::size_t live) const {
    return static_cast<double>(slots - live) > dead_limit_ * static_cast<double>(slots);
  }

  bool is_better_soon(std::uint32_t frame) const {
    std::size_t slots = 0, live = 0;
    pages_.for_each_page([&](const Page& page) {
      if (page.last_death() <= frame + kSoonFrames) return;
      slots += pages_.page_slots();
      live += page.live();
    });
    return !too_dead(slots, live);
  }

  PagedChoice choice_;
  double dead_limit_;
  PagedLayers pages_;
  std::function<void(const NewRefs&)> owner_;
};

/// Allocates the elements of added layers one by one, as particles with pointers to them need.
class PointerPaged : public Paged<RowLayout<PointerParticle>> {
 public:
  using Paged::Paged;
  ~PointerPaged() override {
    for (unsigned layer = 0; layer < PointerParticle::kPointers; ++layer)
      if (bytes_[layer] != 0) remove_layer(layer);
  }

  std::optional<unsigned> add_layer(std::size_t bytes) override {
    const auto free = std::ranges::find(bytes_, 0u);
    if (free == bytes_.end()) return std::nullopt;
    *free = bytes;
    const auto layer = static_cast<unsigned>(free - bytes_.begin());
    each_live([&](PointerParticle& particle) { particle.further[layer] = element(layer); });
    return layer;
  }
  void remove_layer(unsigned layer) override {
    each_live([&](PointerParticle& particle) { delete[] particle.further[layer]; });
    bytes_[layer] = 0;
  }
  void iterate_layer(unsigned layer) override {
    pages_.walk(
        PageLoop::kSetBits, [](const Page& page) { return page.array<PointerParticle>(0); },
        [layer](PointerParticle* first, std::size_t i) { *reinterpret_cast<float*>(first[i].further[layer]) += 1; });
  }
  const std::byte* layer_at(unsigned layer, Ref ref) const override {
    const auto [page, slot] = pages_.find(ref);
    return page->array<PointerParticle>(0)[slot].further[layer];
  }

 private:
  std::byte* element(unsigned layer) const { return new std::byte[bytes_[layer]](); }
  template <typename Each>
  void each_live(Each&& each) {
    pages_.walk(
        PageLoop::kSetBits, [](const Page& page) { return page.array<PointerParticle>(0); },
        [&](PointerParticle* first, std::size_t i) { each(first[i]); });
  }
  void begun(const Page& page, std::uint32_t first, std::uint32_t count) override {
    for (unsigned layer = 0; layer < PointerParticle::kPointers; ++layer)
      if (bytes_[layer] != 0)
        for (std::uint32_t i = first; i < first + count; ++i)
          page.array<PointerParticle>(0)[i].further[layer] = element(layer);
  }
  void ended(const Page& page, std::size_t word, std::uint64_t dying) override {
    for (; dying != 0; dying &= dying - 1) {
      const std::size_t slot = word * PagedLayers::kSlotsOfWord + static_cast<std::size_t>(std::countr_zero(dying));
      for (unsigned layer = 0; layer < PointerParticle::kPointers; ++layer)
        if (bytes_[layer] != 0) delete[] page.array<PointerParticle>(0)[slot].further[layer];
    }
  }
  // What the heap adds to each element is not known.
  std::size_t element_bytes() const override {
    std::size_t bytes = 0;
    for (const std::size_t each : bytes_) bytes += each * pages_.live();
    return bytes;
  }

  std::array<std::size_t, PointerParticle::kPointers> bytes_{};
};

}  // namespace

std::unique_ptr<Buffer> make_paged(const Setup& setup, const PagedChoice& choice) {
  switch (choice.layout) {
    case Layout::kRows:
      return std::make_unique<Paged<RowLayout<Particle>>>(setup, choice);
    case Layout::kPointerRows:
      return std::make_unique<PointerPaged>(setup, choice);
    case Layout::kColumns:
      return std::make_unique<Paged<ColumnLayout>>(setup, choice);
  }
  return nullptr;
}

MakeBuffer paged(const PagedChoice& choice) {
  return [choice](const Setup& setup) { return make_paged(setup, choice); };
}

MakeBuffer columns(designs::PageLoop loop) {
  return paged({.layout = Layout::kColumns,
                .clean_up = CleanUp::kCompactByForecast,
                .loop = loop,
                .recycles = true,
                .knows_deaths = true,
                .most_moved = kMostMoved});
}

}  // namespace lab::particle_buffer
