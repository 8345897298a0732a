/// Elements in pages of equal size, each with an array for every data layer (L. Tönne, Paged Buffers for Particles,
/// Blender developers' blog, 2011).
///
/// New elements fill up the last page, then further pages. A dead element keeps its slot. free_dead_pages() gives back
/// pages without a live element, and all indices stay. compact() and compact_some() move live elements together in the
/// article's three steps; only then do indices change. Layers can be added and removed at any time.
///
/// The number of a page is never used again until compact() renumbers all, so that old indices find nothing: a table
/// keeps 24 bytes for each page since the oldest that lives. Walks do not look at it.
///
/// A live element has a bit in its page: walks take elements or words of them. One class, because pages are one table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#if defined(__clang__)
#define LAB_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define LAB_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace lab::designs {

/// How a walk visits the slots of a page.
enum class PageLoop {
  kSetBits,  ///< the live ones in order, one by one
  kDense,    ///< all 64 slots of each word that has a live one: the body must bear dead elements
  kChosen    ///< for each page, kDense if enough of it is live, otherwise kSetBits
};

/// Which elements a compaction moves.
enum class CompactionOrder {
  kStable,  ///< all behind the first gap: the order stays
  kFromEnd  ///< the last ones, into the gaps: as few as possible
};

class PagedLayers {
 public:
  /// Of a slot: the number of its page, times the slots of a page, plus the slot.
  using Index = std::uint64_t;
  static constexpr Index kNoIndex = ~Index{0};
  using Layer = unsigned;
  static constexpr std::size_t kMostLayers = 24;
  static constexpr std::size_t kSlotsOfWord = 64;
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  /// kChosen takes the dense loop if at least one in so many slots is live.
  static constexpr std::uint32_t kDenseShare = 12;

  struct Settings {
    std::uint32_t page_slots = 1024;  ///< a power of two, at least 64
    bool recycles = false;            ///< keeps the memory of dead pages for new ones
  };

  class Page {
   public:
    bool has_memory() const { return block_ != nullptr; }
    std::uint32_t used() const { return used_; }  ///< slots that have ever had an element
    std::uint32_t live() const { return live_; }
    /// All elements die at or after `first_death`, at or before `last_death`, if their owner tells (bound_deaths()).
    std::uint32_t first_death() const { return first_death_; }
    std::uint32_t last_death() const { return last_death_; }
    bool is_live(std::uint32_t slot) const {
      return (block_->live[slot / kSlotsOfWord] >> slot % kSlotsOfWord & 1) != 0;
    }
    /// The array of a layer. Undefined for a page without memory.
    std::byte* layer(Layer layer) const { return block_->layers[layer]; }
    template <typename T>
    T* array(Layer layer) const {
      return reinterpret_cast<T*>(block_->layers[layer]);
    }
    void bound_deaths(std::uint32_t first, std::uint32_t last) {
      first_death_ = std::min(first_death_, first);
      last_death_ = std::max(last_death_, last);
    }
    void set_first_death(std::uint32_t first) { first_death_ = first; }

   private:
    friend PagedLayers;
    struct Block {
      std::byte* layers[kMostLayers];
      std::uint64_t* live;
    };
    Block* block_ = nullptr;
    std::uint32_t used_ = 0, live_ = 0, first_death_ = kNever, last_death_ = 0;
  };

  struct Counts {
    std::uint64_t pages_allocated = 0, pages_freed = 0, pages_recycled = 0;
    std::uint64_t compactions = 0, moved = 0;
    std::size_t most_pages = 0;         ///< with memory, at once, spare ones included
    std::size_t most_extra_pages = 0;   ///< that a compaction took besides those that it had
    std::size_t index_layer_bytes = 0;  ///< the most that a compaction took
  };

  struct Compaction;

  /// New indices by old ones, while a compaction asks its owner.
  class NewIndices {
   public:
    /// kNoIndex for an element that is dead, or an index that never was.
    Index operator()(Index old) const;

   private:
    friend PagedLayers;
    NewIndices(const PagedLayers& pages, const Compaction& compaction) : pages_(pages), compaction_(compaction) {}
    const PagedLayers& pages_;
    const Compaction& compaction_;
  };
  using UpdateOwner = std::function<void(const NewIndices&)>;

  /// `layers`: the bytes of an element in each of the first layers, which share the memory of a page. At most
  /// kMostLayers - 1, because compaction needs one.
  PagedLayers(const Settings& settings, std::span<const std::size_t> layers);
  PagedLayers(const PagedLayers&) = delete;
  PagedLayers& operator=(const PagedLayers&) = delete;
  ~PagedLayers();

  /// A layer of `bytes` for each element, zeroed for those that exist. New elements of it are zeroed too, unless it is
  /// one of the first layers. None if there are kMostLayers - 1 already.
  std::optional<Layer> add_layer(std::size_t bytes);
  /// Of a layer that add_layer() gave.
  void remove_layer(Layer layer);

  /// Appends `count` live elements. Calls `fill(page, first slot, number)` for each run of them in one page.
  template <typename Fill>
  void append(std::size_t count, Fill&& fill) {
    while (count > 0) {
      Page& page = page_with_room();
      const std::uint32_t first = page.used_;
      const auto run = static_cast<std::uint32_t>(std::min<std::size_t>(count, settings_.page_slots - first));
      begin_elements(page, first, run);
      fill(page, first, run);
      count -= run;
    }
  }

  /// Kills the elements of a page whose bits are set in `bits`, of the 64 slots from `word` * 64.
  void kill_bits(Page& page, std::size_t word, std::uint64_t bits) {
    bits &= page.block_->live[word];
    page.block_->live[word] ^= bits;
    const auto killed = static_cast<std::uint32_t>(std::popcount(bits));
    page.live_ -= killed;
    live_ -= killed;
  }
  void kill_page(Page& page);

  /// Calls `body(fields, slot)` for the live elements, with `fields` from `bind(page)`. With a dense loop also for dead
  /// ones, and in any order.
  template <typename Bind, typename Body>
  void walk(PageLoop loop, Bind&& bind, Body&& body) const {
    for (const Index number : held_) {
      const Page& page = page_of(number);
      if (page.live_ == 0) continue;
      const bool dense = loop == PageLoop::kDense ||
                         (loop == PageLoop::kChosen && std::uint64_t{page.live_} * kDenseShare >= page.used_);
      const auto fields = bind(page);
      const std::size_t words = words_of(page);
      if (dense)
        walk_dense(page, words, fields, body);
      else
        walk_set_bits(page, words, fields, body);
    }
  }

  /// Calls `body(page)` for all pages with a live element; `body` may kill.
  template <typename Body>
  void for_each_page(Body&& body) {
    for (const Index number : held_)
      if (Page& page = page_of(number); page.live_ != 0) body(page);
  }
  template <typename Body>
  void for_each_page(Body&& body) const {
    for (const Index number : held_)
      if (const Page& page = page_of(number); page.live_ != 0) body(page);
  }
  std::size_t words_of(const Page& page) const { return (page.used_ + kSlotsOfWord - 1) / kSlotsOfWord; }
  std::uint64_t word(const Page& page, std::size_t number) const { return page.block_->live[number]; }
  Index index_of(const Page& page, std::uint32_t slot) const {
    return (base_ + static_cast<std::size_t>(&page - &pages_[first_])) * settings_.page_slots + slot;
  }

  /// The page and slot of an index; the page is null if the element is dead.
  std::pair<const Page*, std::uint32_t> find(Index index) const {
    const Index number = index >> shift_;
    const auto slot = static_cast<std::uint32_t>(index & (settings_.page_slots - 1));
    if (number - base_ >= pages_.size() - first_) return {nullptr, slot};  // also in front of base_
    const Page& page = pages_[first_ + static_cast<std::size_t>(number - base_)];
    return {page.has_memory() && page.is_live(slot) ? &page : nullptr, slot};
  }
  bool kill(Index index);

  /// Frees pages without a live element, or keeps their memory for new ones. Returns how many.
  std::size_t free_dead_pages();
  /// Gives back the memory of pages that are kept for new ones, all but `kept`.
  void free_spare_pages(std::size_t kept = 0);

  /// 1. adds a layer with the new index of each element, 2. calls `owner`, which may look up any index, 3. moves the
  /// elements, removes the layer and frees pages. Takes no further page of particles.
  void compact(CompactionOrder order, const UpdateOwner& owner);
  /// The same for some neighbouring pages with at most `most` live elements together: those of which it frees most.
  /// Indices of elements elsewhere stay. Returns the number of freed pages; if there is none to free, does nothing.
  std::size_t compact_some(std::size_t most, CompactionOrder order, const UpdateOwner& owner);

  /// Of an element in a layer.
  std::size_t layer_bytes(Layer layer) const { return layers_[layer].bytes; }

  std::size_t live() const { return live_; }
  std::size_t pages() const { return held_.size(); }  ///< with memory, without spare ones
  std::size_t spare_pages() const { return spare_.size(); }
  std::size_t slots() const { return held_.size() * settings_.page_slots; }
  std::size_t page_slots() const { return settings_.page_slots; }
  /// All memory: pages, spare ones, layers, the list of pages.
  std::size_t bytes() const;
  std::size_t page_bytes() const { return block_bytes() + added_bytes(); }
  const Counts& counts() const { return counts_; }

 private:
  using Block = Page::Block;
  struct LayerInfo {
    std::size_t bytes = 0;  ///< 0: there is no such layer
    bool shares_block = false;
  };

  template <typename Fields, typename Body>
  static void walk_dense(const Page& page, std::size_t words, const Fields& fields, Body& body) {
    for (std::size_t word = 0; word < words; ++word) {
      if (page.block_->live[word] == 0) continue;
      const std::size_t first = word * kSlotsOfWord;
      LAB_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < kSlotsOfWord; ++i) body(fields, first + i);
    }
  }

  /// `body` may have `prefetch(fields, first slot)`, which is called for the 64 slots of a later word.
  template <typename Fields, typename Body>
  static void walk_set_bits(const Page& page, std::size_t words, const Fields& fields, Body& body) {
    static constexpr std::size_t kWordsAhead = 4;
    for (std::size_t word = 0; word < words; ++word) {
      const std::size_t first = word * kSlotsOfWord;
      if constexpr (requires { body.prefetch(fields, first); })
        body.prefetch(fields, first + kWordsAhead * kSlotsOfWord);
      std::uint64_t bits = page.block_->live[word];
      if (bits == ~std::uint64_t{0})
        for (std::size_t i = 0; i < kSlotsOfWord; ++i) body(fields, first + i);
      else
        for (; bits != 0; bits &= bits - 1) body(fields, first + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  Page& page_of(Index number) { return pages_[first_ + static_cast<std::size_t>(number - base_)]; }
  const Page& page_of(Index number) const { return pages_[first_ + static_cast<std::size_t>(number - base_)]; }

  Page& page_with_room() {
    if (!held_.empty() && pages_.back().has_memory() && pages_.back().used_ < settings_.page_slots)
      return pages_.back();
    return add_page();
  }
  Page& add_page();
  void begin_elements(Page& page, std::uint32_t first, std::uint32_t count);
  Block* new_block();
  void free_block(Block* block);
  void give_back(Page& page);
  void compact_pages(Compaction& compaction, CompactionOrder order, const UpdateOwner& owner);
  void fill_places(const Compaction& compaction, CompactionOrder order);
  void move_elements(const Compaction& compaction);
  void drop_leading_pages();
  std::size_t block_bytes() const;
  std::size_t added_bytes() const;

  Settings settings_;
  unsigned shift_;
  LayerInfo layers_[kMostLayers];
  std::vector<Page> pages_;  // the first `first_` are gone
  std::size_t first_ = 0;
  Index base_ = 0;  // number of pages_[first_]
  std::vector<Block*> spare_;
  std::vector<Index> held_;  // numbers of the pages with memory, ascending
  std::size_t live_ = 0;
  std::size_t compaction_bytes_ = 0;  // of the new indices, while there are some
  Counts counts_;
};

}  // namespace lab::designs
