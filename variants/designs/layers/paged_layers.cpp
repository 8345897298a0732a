#include "variants/designs/layers/paged_layers.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <numeric>

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
  for (const Index number : held_) free_block(page_of(number).block_);
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
  counts_.most_pages = std::max(counts_.most_pages, held_.size() + 1 + spare_.size());
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

void PagedLayers::free_spare_pages(std::size_t kept) {
  for (; spare_.size() > kept; spare_.pop_back(), ++counts_.pages_freed)
    free_bytes(spare_.back());  // its added layers are gone
}

PagedLayers::Page& PagedLayers::add_page() {
  // Moves the list to its front now and then, in constant time a page.
  if (first_ > 64 && first_ > pages_.size() / 2) {
    pages_.erase(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  Block* const block = new_block();
  held_.push_back(base_ + (pages_.size() - first_));
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
  // A dense walk also visits the slots behind the last element, up to the end of its word.
  const auto end = static_cast<std::uint32_t>(words_of(page) * kSlotsOfWord);
  for (Layer layer = 0; layer < kMostLayers; ++layer)
    if (const LayerInfo& info = layers_[layer]; info.bytes != 0) {
      const std::uint32_t from = info.shares_block ? page.used_ : first;
      std::memset(page.block_->layers[layer] + from * info.bytes, 0, (end - from) * info.bytes);
    }
}

std::optional<PagedLayers::Layer> PagedLayers::add_layer(std::size_t bytes) {
  assert(bytes > 0);
  Layer layer = 0;
  std::size_t layers = 0;
  for (const LayerInfo& each : layers_) layers += each.bytes != 0;
  if (layers >= kMostLayers - 1) return std::nullopt;
  while (layers_[layer].bytes != 0) ++layer;
  layers_[layer] = {bytes, false};
  for (const Index number : held_) {
    const Page& page = page_of(number);
    page.block_->layers[layer] = new_bytes(in_lines(bytes * settings_.page_slots));
    std::memset(page.block_->layers[layer], 0, bytes * settings_.page_slots);
  }
  return layer;
}

void PagedLayers::remove_layer(Layer layer) {
  assert(layers_[layer].bytes != 0 && !layers_[layer].shares_block);
  for (const Index number : held_) free_bytes(std::exchange(page_of(number).block_->layers[layer], nullptr));
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
  const std::size_t before = held_.size();
  std::erase_if(held_, [this](Index number) {
    Page& page = page_of(number);
    if (page.live_ != 0) return false;
    give_back(page);
    return true;
  });
  drop_leading_pages();
  return before - held_.size();
}

void PagedLayers::drop_leading_pages() {
  const Index first = held_.empty() ? base_ + (pages_.size() - first_) : held_.front();
  first_ += static_cast<std::size_t>(first - base_);
  base_ = first;
}

/// What is compacted. Its pages in their order have places, numbered from 0 as if each page had all its slots.
struct PagedLayers::Compaction {
  std::vector<Index> pages;  ///< their numbers
  bool renumbers = false;    ///< the list will have these pages alone, and indices are places
  Layer layer = 0;           ///< of each live element, its new place
  std::size_t live = 0;
};

PagedLayers::Index PagedLayers::NewIndices::operator()(Index old) const {
  const auto [page, slot] = pages_.find(old);
  if (page == nullptr) return kNoIndex;
  if (page->layer(compaction_.layer) == nullptr) return old;  // it is not one of the pages
  const Index place = page->array<Index>(compaction_.layer)[slot];
  if (compaction_.renumbers) return place;
  const Index slots = pages_.settings_.page_slots;
  return compaction_.pages[static_cast<std::size_t>(place >> pages_.shift_)] * slots + (place & (slots - 1));
}

void PagedLayers::compact(CompactionOrder order, const UpdateOwner& owner) {
  Compaction compaction{.pages = held_, .renumbers = true};
  compact_pages(compaction, order, owner);
  std::erase_if(pages_, [](const Page& page) { return !page.has_memory(); });
  first_ = 0;
  base_ = 0;
  held_.resize(pages_.size());
  std::iota(held_.begin(), held_.end(), Index{0});
}

std::size_t PagedLayers::compact_some(std::size_t most, CompactionOrder order, const UpdateOwner& owner) {
  std::size_t best_first = 0, best_end = 0, best_freed = 0;
  std::size_t first = 0, live = 0;
  for (std::size_t end = 1; end <= held_.size(); ++end) {
    live += page_of(held_[end - 1]).live_;
    for (; live > most; ++first) live -= page_of(held_[first]).live_;
    const std::size_t needed = (live + settings_.page_slots - 1) / settings_.page_slots, freed = end - first - needed;
    if (end > first && freed > best_freed) {
      best_first = first;
      best_end = end;
      best_freed = freed;
    }
  }
  if (best_freed == 0) return 0;
  const auto at = [this](std::size_t i) { return held_.begin() + static_cast<std::ptrdiff_t>(i); };
  Compaction compaction{.pages = {at(best_first), at(best_end)}};
  compact_pages(compaction, order, owner);
  held_.erase(at(best_end - best_freed), at(best_end));
  drop_leading_pages();
  return best_freed;
}

void PagedLayers::compact_pages(Compaction& compaction, CompactionOrder order, const UpdateOwner& owner) {
  const std::size_t index_bytes = in_lines(sizeof(Index) * settings_.page_slots);
  counts_.index_layer_bytes = std::max(counts_.index_layer_bytes, compaction.pages.size() * index_bytes);
  while (layers_[compaction.layer].bytes != 0) ++compaction.layer;  // one is kept for this
  for (const Index number : compaction.pages) {
    page_of(number).block_->layers[compaction.layer] = new_bytes(index_bytes);
    compaction.live += page_of(number).live_;
  }
  compaction_bytes_ = compaction.pages.size() * index_bytes + compaction.pages.capacity() * sizeof compaction.pages[0];
  const std::uint64_t taken = counts_.pages_allocated + counts_.pages_recycled;
  fill_places(compaction, order);
  owner(NewIndices(*this, compaction));
  move_elements(compaction);
  compaction_bytes_ = 0;
  counts_.most_extra_pages = std::max(
      counts_.most_extra_pages, static_cast<std::size_t>(counts_.pages_allocated + counts_.pages_recycled - taken));
  ++counts_.compactions;
}

void PagedLayers::fill_places(const Compaction& compaction, CompactionOrder order) {
  const std::size_t slots = settings_.page_slots;
  Index next = 0;  // of kStable: the next place; of kFromEnd: where the next gap is looked for
  const auto take_gap = [&] {
    for (;; ++next)
      if (!page_of(compaction.pages[static_cast<std::size_t>(next >> shift_)])
               .is_live(static_cast<std::uint32_t>(next & (slots - 1))))
        return next++;
  };
  for (std::size_t i = 0; i < compaction.pages.size(); ++i) {
    const Page& page = page_of(compaction.pages[i]);
    Index* const places = page.array<Index>(compaction.layer);
    for (std::size_t word = 0; word < words_of(page); ++word)
      for (std::uint64_t bits = page.block_->live[word]; bits != 0; bits &= bits - 1) {
        const std::size_t slot = word * kSlotsOfWord + static_cast<std::size_t>(std::countr_zero(bits));
        const Index place = i * slots + slot;
        places[slot] = order == CompactionOrder::kStable ? next++ : place < compaction.live ? place : take_gap();
      }
  }
}

void PagedLayers::move_elements(const Compaction& compaction) {
  struct Bounds {
    std::uint32_t first = kNever, last = 0;
  };
  std::vector<Bounds> bounds(compaction.pages.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;  // of slots, from one page to one other
  for (std::size_t source = 0; source < compaction.pages.size(); ++source) {
    const Page& page = page_of(compaction.pages[source]);
    const Index* const places = page.array<Index>(compaction.layer);
    std::size_t target = 0;
    bool any = false;
    const auto flush = [&] {
      if (!any) return;
      bounds[target].first = std::min(bounds[target].first, page.first_death_);
      bounds[target].last = std::max(bounds[target].last, page.last_death_);
      const Page& to = page_of(compaction.pages[target]);
      for (Layer each = 0; each < kMostLayers && !moves.empty(); ++each)
        if (layers_[each].bytes != 0) copy_elements(page.layer(each), to.layer(each), layers_[each].bytes, moves);
      counts_.moved += moves.size();
      moves.clear();
      any = false;
    };
    for (std::size_t word = 0; word < words_of(page); ++word)
      for (std::uint64_t bits = page.block_->live[word]; bits != 0; bits &= bits - 1) {
        const auto slot =
            static_cast<std::uint32_t>(word * kSlotsOfWord + static_cast<unsigned>(std::countr_zero(bits)));
        const auto to = static_cast<std::size_t>(places[slot] >> shift_);
        if (any && to != target) flush();
        target = to;
        any = true;
        const auto to_slot = static_cast<std::uint32_t>(places[slot] & (settings_.page_slots - 1));
        if (to != source || to_slot != slot) moves.emplace_back(slot, to_slot);
      }
    flush();
  }

  for (std::size_t i = 0; i < compaction.pages.size(); ++i) {
    Page& page = page_of(compaction.pages[i]);
    free_bytes(std::exchange(page.block_->layers[compaction.layer], nullptr));
    const std::size_t before = i * settings_.page_slots;
    if (before >= compaction.live) {
      page.live_ = 0;  // they live on elsewhere
      give_back(page);
      continue;
    }
    const auto left = static_cast<std::uint32_t>(std::min<std::size_t>(compaction.live - before, settings_.page_slots));
    std::memset(page.block_->live, 0, settings_.page_slots / 8);
    page.used_ = page.live_ = left;
    for (std::uint32_t slot = 0; slot < left; slot += kSlotsOfWord)
      page.block_->live[slot / kSlotsOfWord] =
          left - slot >= kSlotsOfWord ? ~std::uint64_t{0} : (std::uint64_t{1} << (left - slot)) - 1;
    page.first_death_ = bounds[i].first;
    page.last_death_ = bounds[i].last;
  }
}

std::size_t PagedLayers::bytes() const {
  return held_.size() * page_bytes() + spare_.size() * block_bytes() + pages_.capacity() * sizeof(Page) +
         held_.capacity() * sizeof(Index) + spare_.capacity() * sizeof(Block*) + compaction_bytes_ + sizeof *this;
}

}  // namespace lab::designs
