#include "variants/designs/layers/paged_layers.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <new>

namespace lab::designs {

namespace {

constexpr std::size_t kLine = 64;  // of the cache

std::size_t in_lines(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

std::byte* new_bytes(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kLine}));
}
void free_bytes(void* memory) {
  ::operator delete (memory, std::align_val_t{kLine});
}

template <typename T>
void copy_as(const std::byte* from, std::byte* to, std::span<const std::pair<std::uint32_t, std::uint32_t>> moves) {
  for (const auto& [source, target] : moves) std::memcpy(to + target * sizeof(T), from + source * sizeof(T), sizeof(T));
}

/// One layer of elements of `bytes` each, from slots of one page to slots of another.
void copy_elements(const std::byte* from, std::byte* to, std::size_t bytes,
                   std::span<const std::pair<std::uint32_t, std::uint32_t>> moves) {
  struct Bytes64 {
    std::byte bytes[64];
  };
  if (bytes == sizeof(std::uint32_t)) return copy_as<std::uint32_t>(from, to, moves);
  if (bytes == sizeof(std::uint64_t)) return copy_as<std::uint64_t>(from, to, moves);
  if (bytes == sizeof(Bytes64)) return copy_as<Bytes64>(from, to, moves);
  for (const auto& [source, target] : moves) std::memcpy(to + target * bytes, from + source * bytes, bytes);
}

}  // namespace

PagedLayers::PagedLayers(const Settings& settings, std::span<const std::size_t> layers)
    : settings_(settings), shift_(static_cast<unsigned>(std::countr_zero(settings.page_slots))) {
  assert(std::has_single_bit(settings.page_slots) && settings.page_slots >= kSlotsOfWord);
  assert(layers.size() < kMostLayers);
  for (std::size_t i = 0; i < layers.size(); ++i) layers_[i] = {layers[i], true};
}

PagedLayers::~PagedLayers() {
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (pages_[i].has_memory()) free_block(pages_[i].block_);
  free_spare_pages();
}

/// Head, bits, and the first layers. Each array begins a line further than a multiple of the page's size behind the one
/// before, so that equal slots of different layers do not compete for the same set of a cache.
std::size_t PagedLayers::block_bytes() const {
  std::size_t bytes = in_lines(sizeof(Block)) + in_lines(settings_.page_slots / 8);
  for (const LayerInfo& layer : layers_)
    if (layer.shares_block) bytes += in_lines(layer.bytes * settings_.page_slots) + kLine;
  return bytes;
}

/// Of a page, in layers that were added.
std::size_t PagedLayers::added_bytes() const {
  std::size_t bytes = 0;
  for (const LayerInfo& layer : layers_)
    if (!layer.shares_block) bytes += in_lines(layer.bytes * settings_.page_slots);
  return bytes;
}

PagedLayers::Block* PagedLayers::new_block() {
  Block* block = nullptr;
  if (!spare_.empty()) {
    block = spare_.back();
    spare_.pop_back();
    ++counts_.pages_recycled;
  } else {
    std::byte* at = new_bytes(block_bytes());
    block = new (at) Block{};
    at += in_lines(sizeof(Block));
    block->live = reinterpret_cast<std::uint64_t*>(at);
    at += in_lines(settings_.page_slots / 8);
    for (Layer layer = 0; layer < kMostLayers; ++layer)
      if (layers_[layer].shares_block) {
        block->layers[layer] = at;
        at += in_lines(layers_[layer].bytes * settings_.page_slots) + kLine;
      }
    ++counts_.pages_allocated;
  }
  std::memset(block->live, 0, settings_.page_slots / 8);
  for (Layer layer = 0; layer < kMostLayers; ++layer)
    if (layers_[layer].bytes != 0 && !layers_[layer].shares_block)
      block->layers[layer] = new_bytes(in_lines(layers_[layer].bytes * settings_.page_slots));
  ++held_;
  counts_.most_pages = std::max(counts_.most_pages, held_ + spare_.size());
  return block;
}

void PagedLayers::free_block(Block* block) {
  for (Layer layer = 0; layer < kMostLayers; ++layer)
    if (layers_[layer].bytes != 0 && !layers_[layer].shares_block) free_bytes(block->layers[layer]);
  free_bytes(block);
}

void PagedLayers::give_back(Page& page) {
  Block* const block = std::exchange(page.block_, nullptr);
  live_ -= page.live_;
  page = Page{};
  --held_;
  if (settings_.recycles) {
    for (Layer layer = 0; layer < kMostLayers; ++layer)
      if (layers_[layer].bytes != 0 && !layers_[layer].shares_block)
        free_bytes(std::exchange(block->layers[layer], nullptr));
    spare_.push_back(block);
  } else {
    free_block(block);
    ++counts_.pages_freed;
  }
}

void PagedLayers::free_spare_pages() {
  for (Block* const block : spare_) free_bytes(block);  // their added layers are gone
  counts_.pages_freed += spare_.size();
  spare_.clear();
}

PagedLayers::Page& PagedLayers::add_page() {
  // Moves the list to its front now and then, in constant time a page.
  if (first_ > 64 && first_ > pages_.size() / 2) {
    pages_.erase(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  Block* const block = new_block();
  Page& page = pages_.emplace_back();
  page.block_ = block;
  return page;
}

void PagedLayers::begin_elements(Page& page, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t slot = first; slot < first + count;) {
    const std::uint32_t bit = slot % kSlotsOfWord,
                        run = std::min<std::uint32_t>(kSlotsOfWord - bit, first + count - slot);
    const std::uint64_t ones = run == kSlotsOfWord ? ~std::uint64_t{0} : (std::uint64_t{1} << run) - 1;
    page.block_->live[slot / kSlotsOfWord] |= ones << bit;
    slot += run;
  }
  page.used_ += count;
  page.live_ += count;
  live_ += count;
  for (Layer layer = 0; layer < kMostLayers; ++layer)
    if (layers_[layer].bytes != 0 && !layers_[layer].shares_block)
      std::memset(page.block_->layers[layer] + first * layers_[layer].bytes, 0, count * layers_[layer].bytes);
}

std::optional<PagedLayers::Layer> PagedLayers::add_layer(std::size_t bytes) {
  assert(bytes > 0);
  Layer layer = 0;
  std::size_t layers = 0;
  for (const LayerInfo& each : layers_) layers += each.bytes != 0;
  if (layers >= kMostLayers - 1) return std::nullopt;
  while (layers_[layer].bytes != 0) ++layer;
  layers_[layer] = {bytes, false};
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (Page& page = pages_[i]; page.has_memory()) {
      page.block_->layers[layer] = new_bytes(in_lines(bytes * settings_.page_slots));
      std::memset(page.block_->layers[layer], 0, bytes * page.used_);
    }
  return layer;
}

void PagedLayers::remove_layer(Layer layer) {
  assert(layers_[layer].bytes != 0 && !layers_[layer].shares_block);
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (Page& page = pages_[i]; page.has_memory()) free_bytes(std::exchange(page.block_->layers[layer], nullptr));
  layers_[layer] = {};
}

void PagedLayers::kill_page(Page& page) {
  std::memset(page.block_->live, 0, settings_.page_slots / 8);
  live_ -= page.live_;
  page.live_ = 0;
}

bool PagedLayers::kill(Index index) {
  const auto [found, slot] = find(index);
  if (found == nullptr) return false;
  kill_bits(pages_[static_cast<std::size_t>(found - pages_.data())], slot / kSlotsOfWord,
            std::uint64_t{1} << slot % kSlotsOfWord);
  return true;
}

std::size_t PagedLayers::free_dead_pages() {
  std::size_t freed = 0;
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (pages_[i].has_memory() && pages_[i].live_ == 0) {
      give_back(pages_[i]);
      ++freed;
    }
  for (; first_ < pages_.size() && !pages_[first_].has_memory(); ++first_) ++base_;
  return freed;
}

PagedLayers::Index PagedLayers::NewIndices::operator()(Index old) const {
  const auto [page, slot] = pages_.find(old);
  return page == nullptr ? kNoIndex : page->array<Index>(layer_)[slot];
}

// Pages without memory leave the list: only indices change, and the owner is about to hear of that.
void PagedLayers::fill_new_indices(Layer layer, CompactionOrder order) {
  const std::size_t live = live_, slots = settings_.page_slots;
  Index next = 0;                            // of kStable: the next place
  std::size_t hole_page = first_, hole = 0;  // of kFromEnd: where the next gap is looked for,
  Index hole_first = 0, first = 0;           // and the place of that page's and of this page's first slot
  const auto take_gap = [&] {
    for (;; hole = 0, ++hole_page) {
      if (!pages_[hole_page].has_memory()) continue;
      for (; hole < slots; ++hole)
        if (!pages_[hole_page].is_live(static_cast<std::uint32_t>(hole))) return hole_first + hole++;
      hole_first += slots;
    }
  };
  for (std::size_t i = first_; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    if (!page.has_memory()) continue;
    Index* const indices = page.array<Index>(layer);
    for (std::size_t word = 0; word < words_of(page); ++word)
      for (std::uint64_t bits = page.block_->live[word]; bits != 0; bits &= bits - 1) {
        const std::size_t slot = word * kSlotsOfWord + static_cast<std::size_t>(std::countr_zero(bits));
        const Index place = first + slot;
        indices[slot] = order == CompactionOrder::kStable ? next++ : place < live ? place : take_gap();
      }
    first += slots;
  }
}

void PagedLayers::compact(CompactionOrder order, const UpdateOwner& owner) {
  const std::size_t index_bytes = in_lines(sizeof(Index) * settings_.page_slots);
  counts_.index_layer_bytes = std::max(counts_.index_layer_bytes, held_ * index_bytes);
  const std::optional<Layer> layer = [&] {
    // The layer that is kept for this.
    for (Layer each = 0; each < kMostLayers; ++each)
      if (layers_[each].bytes == 0) return std::optional<Layer>(each);
    return std::optional<Layer>();
  }();
  layers_[*layer] = {sizeof(Index), false};
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (pages_[i].has_memory()) pages_[i].block_->layers[*layer] = new_bytes(index_bytes);
  fill_new_indices(*layer, order);

  owner(NewIndices(*this, *layer));

  // Only now may pages leave the list.
  std::vector<std::size_t> with_memory;
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (pages_[i].has_memory()) with_memory.push_back(i);
  struct Bounds {
    std::uint32_t first = kNever, last = 0;
  };
  std::vector<Bounds> bounds(with_memory.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
  const std::size_t live = live_;
  for (std::size_t source = 0; source < with_memory.size(); ++source) {
    const Page& page = pages_[with_memory[source]];
    const Index* const indices = page.array<Index>(*layer);
    std::size_t target = 0;
    bool any = false;
    const auto flush = [&] {
      if (!any) return;
      bounds[target].first = std::min(bounds[target].first, page.first_death_);
      bounds[target].last = std::max(bounds[target].last, page.last_death_);
      const Page& to = pages_[with_memory[target]];
      for (Layer each = 0; each < kMostLayers && !moves.empty(); ++each)
        if (layers_[each].bytes != 0 && each != *layer)
          copy_elements(page.layer(each), to.layer(each), layers_[each].bytes, moves);
      counts_.moved += moves.size();
      moves.clear();
      any = false;
    };
    for (std::size_t word = 0; word < words_of(page); ++word)
      for (std::uint64_t bits = page.block_->live[word]; bits != 0; bits &= bits - 1) {
        const auto slot =
            static_cast<std::uint32_t>(word * kSlotsOfWord + static_cast<unsigned>(std::countr_zero(bits)));
        const auto to = static_cast<std::size_t>(indices[slot] >> shift_);
        if (any && to != target) flush();
        target = to;
        any = true;
        const auto to_slot = static_cast<std::uint32_t>(indices[slot] & (settings_.page_slots - 1));
        if (to != source || to_slot != slot) moves.emplace_back(slot, to_slot);
      }
    flush();
  }
  for (std::size_t i = first_; i < pages_.size(); ++i)
    if (pages_[i].has_memory()) free_bytes(std::exchange(pages_[i].block_->layers[*layer], nullptr));
  layers_[*layer] = {};

  for (std::size_t i = 0; i < with_memory.size(); ++i) {
    Page& page = pages_[with_memory[i]];
    const std::size_t before = i * settings_.page_slots;
    if (before >= live) {
      page.live_ = 0;
      give_back(page);
      continue;
    }
    const auto left = static_cast<std::uint32_t>(std::min<std::size_t>(live - before, settings_.page_slots));
    std::memset(page.block_->live, 0, settings_.page_slots / 8);
    page.used_ = page.live_ = left;
    for (std::uint32_t slot = 0; slot < left; slot += kSlotsOfWord)
      page.block_->live[slot / kSlotsOfWord] =
          left - slot >= kSlotsOfWord ? ~std::uint64_t{0} : (std::uint64_t{1} << (left - slot)) - 1;
    page.first_death_ = bounds[i].first;
    page.last_death_ = bounds[i].last;
  }
  std::erase_if(pages_, [](const Page& page) { return !page.has_memory(); });
  first_ = 0;
  base_ = 0;
  ++counts_.compactions;
}

std::size_t PagedLayers::bytes() const {
  return held_ * (block_bytes() + added_bytes()) + spare_.size() * block_bytes() + pages_.capacity() * sizeof(Page) +
         spare_.capacity() * sizeof(Block*) + sizeof *this;
}

}  // namespace lab::designs
