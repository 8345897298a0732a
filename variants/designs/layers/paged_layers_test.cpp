#include "variants/designs/layers/paged_layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

using Index = PagedLayers::Index;
using Layer = PagedLayers::Layer;
using Page = PagedLayers::Page;

constexpr Index kNoIndex = PagedLayers::kNoIndex;
constexpr std::array<std::size_t, 3> kFirstLayers{4, 64, 12};
constexpr std::array<std::size_t, 5> kAddedLayers{8, 88, 4, 12, 64};
constexpr std::array kOrders{CompactionOrder::kStable, CompactionOrder::kFromEnd};

/// Bytes that belong to a value: zeros to 0.
std::string bytes_of(std::uint64_t value, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count && value != 0; ++i)
    bytes[i] = static_cast<char>((value * 0x9e3779b97f4a7c15u + i * 0xbf58476d1ce4e5b9u) >> 56);
  return bytes;
}

std::string bytes_at(const PagedLayers& pages, const Page& page, Layer layer, std::uint32_t slot) {
  const std::size_t bytes = pages.layer_bytes(layer);
  return {reinterpret_cast<const char*>(page.layer(layer)) + slot * bytes, bytes};
}

/// All live indices in the order of a walk.
std::vector<Index> indices_of(const PagedLayers& pages) {
  std::vector<Index> indices;
  pages.for_each_page([&](const Page& page) {
    for (std::uint32_t slot = 0; slot < page.used(); ++slot)
      if (page.is_live(slot)) indices.push_back(pages.index_of(page, slot));
  });
  return indices;
}

void append(PagedLayers& pages, std::size_t count) {
  pages.append(count, [](const Page&, std::uint32_t, std::uint32_t) {});
}

void compact(PagedLayers& pages, CompactionOrder order) {
  pages.compact(order, [](const PagedLayers::NewIndices&) {});
}

/// Pages and a plain model: elements by index, with a value for each layer.
class Checked {
 public:
  Checked(const PagedLayers::Settings& settings, std::uint64_t seed)
      : slots_(settings.page_slots), recycles_(settings.recycles), random_(seed), pages_(settings, kFirstLayers) {}

  void append(std::size_t count) {
    std::size_t filled = 0;
    pages_.append(count, [&](Page& page, std::uint32_t first, std::uint32_t run) {
      filled += run;
      ASSERT_LE(first + run, slots_);
      for (std::uint32_t slot = first; slot < first + run; ++slot) {
        const Index index = pages_.index_of(page, slot);
        ASSERT_FALSE(live_.contains(index));
        const auto dies = static_cast<std::uint32_t>(random_() % 1'000);
        page.bound_deaths(dies, dies);
        Element& element = live_[index] = {++made_, dies, {}};
        for (Layer layer = 0; layer < kFirstLayers.size(); ++layer) {
          const std::string bytes = bytes_of(made_, kFirstLayers[layer]);
          std::memcpy(page.layer(layer) + slot * bytes.size(), bytes.data(), bytes.size());
        }
        for (const auto& [layer, bytes] : added_) element.values[layer] = 0;
      }
      PageModel& model = held_[pages_.index_of(page, 0) / slots_];
      if (model.used == 0) ++(spare_ > 0 ? recycled_ : allocated_);
      if (model.used == 0 && spare_ > 0) --spare_;
      ASSERT_EQ(model.used, first);
      model.used += run;
      model.live += run;
      most_pages_ = std::max(most_pages_, held_.size() + spare_);
    });
    EXPECT_EQ(filled, count);
  }

  void kill_some(std::size_t count) {
    for (; count > 0 && !live_.empty(); --count) {
      const Index index = random_live()->first;
      EXPECT_TRUE(pages_.kill(index));
      EXPECT_FALSE(pages_.kill(index));
      bury(index);
    }
  }
  /// Of one word, dead ones included, which changes nothing of them.
  void kill_bits() {
    if (live_.empty()) return;
    const Index first = random_live()->first / 64 * 64;
    const std::uint64_t bits = random_();
    pages_.for_each_page([&](Page& page) {
      if (first / slots_ == pages_.index_of(page, 0) / slots_) pages_.kill_bits(page, first % slots_ / 64, bits);
    });
    for (Index i = 0; i < 64; ++i)
      if ((bits >> i & 1) != 0 && live_.contains(first + i)) bury(first + i);
  }
  void kill_page() {
    if (live_.empty()) return;
    const Index number = random_live()->first / slots_;
    pages_.for_each_page([&](Page& page) {
      if (pages_.index_of(page, 0) / slots_ == number) pages_.kill_page(page);
    });
    kill_model_of(number);
  }
  void kill_all() {
    pages_.for_each_page([&](Page& page) { pages_.kill_page(page); });
    while (!live_.empty()) kill_model_of(live_.begin()->first / slots_);
  }

  void free_dead_pages() {
    std::size_t dead = 0;
    for (auto at = held_.begin(); at != held_.end();) {
      dead += at->second.live == 0;
      at = at->second.live == 0 ? held_.erase(at) : std::next(at);
    }
    (recycles_ ? spare_ : freed_) += dead;
    EXPECT_EQ(pages_.free_dead_pages(), dead);
  }
  void free_spare_pages() {
    freed_ += std::exchange(spare_, 0);
    pages_.free_spare_pages();
  }

  void add_layer(std::size_t bytes) {
    std::set<Layer> taken;
    for (const auto& [layer, size] : added_) taken.insert(layer);
    const std::optional<Layer> layer = pages_.add_layer(bytes);
    if (kFirstLayers.size() + added_.size() == PagedLayers::kMostLayers - 1) {
      EXPECT_EQ(layer, std::nullopt);
      return;
    }
    ASSERT_NE(layer, std::nullopt);
    // The lowest number that is free.
    auto expected = static_cast<Layer>(kFirstLayers.size());
    while (taken.contains(expected)) ++expected;
    EXPECT_EQ(*layer, expected);
    EXPECT_EQ(pages_.layer_bytes(*layer), bytes);
    added_[*layer] = bytes;
    for (auto& [index, element] : live_) element.values[*layer] = 0;
  }
  void remove_layer() {
    if (added_.empty()) return;
    const auto gone = std::next(added_.begin(), static_cast<std::ptrdiff_t>(random_() % added_.size()));
    pages_.remove_layer(gone->first);
    for (auto& [index, element] : live_) element.values.erase(gone->first);
    added_.erase(gone);
  }
  /// Of all live elements, all that was added.
  void write_layers() {
    const std::uint64_t salt = random_();
    for (auto& [index, element] : live_)
      for (const auto& [layer, size] : added_) {
        const std::string bytes = bytes_of(element.values[layer] = element.id ^ salt, size);
        const auto [page, slot] = pages_.find(index);
        ASSERT_NE(page, nullptr);
        std::memcpy(page->layer(layer) + slot * size, bytes.data(), size);
      }
  }

  void compact(CompactionOrder order) {
    // The places of elements if pages without memory leave the list.
    std::map<Index, Index> places;
    std::vector<Index> ordinals;
    for (const auto& [number, page] : held_) ordinals.push_back(number);
    for (const auto& [index, element] : live_)
      places[index] =
          static_cast<Index>(std::ranges::lower_bound(ordinals, index / slots_) - ordinals.begin()) * slots_ +
          index % slots_;
    const std::size_t pages = pages_.pages() + pages_.spare_pages(), most = pages_.counts().most_pages;
    std::map<Index, Element> moved;
    std::uint64_t moves = 0;
    unsigned calls = 0;
    compacting_ = true;
    pages_.compact(order, [&](const PagedLayers::NewIndices& new_index) {
      ++calls;
      EXPECT_LE(pages_.pages() + pages_.spare_pages(), pages + 1);
      check();  // nothing has moved yet
      for (const auto& [index, element] : live_) {
        const Index to = new_index(index);
        EXPECT_TRUE(moved.emplace(to, element).second) << "two elements have the index " << to;
        moves += to != places[index];
        if (order == CompactionOrder::kFromEnd && places[index] < live_.size()) {
          EXPECT_EQ(to, places[index]);
        }
      }
      for (const Index index : strangers()) EXPECT_EQ(new_index(index), kNoIndex) << index;
    });
    compacting_ = false;
    EXPECT_EQ(calls, 1u);
    EXPECT_LE(pages_.counts().most_pages, std::max(most, pages + 1));
    if (!moved.empty()) {
      EXPECT_EQ(moved.rbegin()->first, live_.size() - 1) << "the new indices have no gap";
    }
    if (order == CompactionOrder::kStable) {
      EXPECT_EQ(ids_of(moved), ids_of(live_));
    } else {
      std::size_t holes = live_.size();
      for (const auto& [index, place] : places) holes -= place < live_.size();
      EXPECT_EQ(moves, holes);
    }
    index_bytes_ = std::max(index_bytes_, held_.size() * slots_ * sizeof(Index));
    moves_ += moves;
    ++compactions_;
    const std::size_t needed = (live_.size() + slots_ - 1) / slots_;
    (recycles_ ? spare_ : freed_) += held_.size() - needed;
    live_ = std::move(moved);
    dead_.clear();  // these indices may be used again
    held_.clear();
    for (const auto& [index, element] : live_) {
      PageModel& page = held_[index / slots_];
      ++page.used;
      ++page.live;
    }
    EXPECT_EQ(held_.size(), needed);
  }

  /// Everything that can be asked.
  void check() {
    std::vector<Index> indices;
    std::size_t wrong = 0;
    for (const auto& [index, element] : live_) {
      indices.push_back(index);
      const auto [page, slot] = pages_.find(index);
      ASSERT_NE(page, nullptr) << index;
      EXPECT_EQ(slot, index % slots_);
      EXPECT_EQ(pages_.index_of(*page, slot), index);
      EXPECT_LE(page->first_death(), element.dies);
      EXPECT_GE(page->last_death(), element.dies);
      for (Layer layer = 0; layer < kFirstLayers.size(); ++layer)
        wrong += bytes_at(pages_, *page, layer, slot) != bytes_of(element.id, kFirstLayers[layer]);
      for (const auto& [layer, bytes] : added_)
        wrong += bytes_at(pages_, *page, layer, slot) != bytes_of(element.values.at(layer), bytes);
    }
    EXPECT_EQ(wrong, 0u) << "elements of layers";
    EXPECT_EQ(indices_of(pages_), indices);
    for (const Index index : strangers()) {
      EXPECT_EQ(pages_.find(index).first, nullptr) << index;
      EXPECT_FALSE(pages_.kill(index)) << index;
    }
    for (const auto& [number, model] : held_) {
      if (model.live == 0) continue;
      const Page& page = *pages_.find(live_.lower_bound(number * slots_)->first).first;
      EXPECT_EQ(page.used(), model.used);
      EXPECT_EQ(page.live(), model.live);
    }
    EXPECT_EQ(pages_.live(), live_.size());
    EXPECT_EQ(pages_.pages(), held_.size());
    EXPECT_EQ(pages_.slots(), held_.size() * slots_);
    EXPECT_EQ(pages_.spare_pages(), spare_);
    const PagedLayers::Counts& counts = pages_.counts();
    EXPECT_EQ(counts.pages_allocated, allocated_);
    EXPECT_EQ(counts.pages_freed, freed_);
    EXPECT_EQ(counts.pages_recycled, recycled_);
    EXPECT_EQ(counts.compactions, compactions_);
    EXPECT_EQ(counts.moved, moves_);
    EXPECT_EQ(counts.most_pages, most_pages_);
    if (!compacting_) {
      EXPECT_EQ(counts.index_layer_bytes, index_bytes_);
    }
  }

  /// A random step, and what it leaves.
  void step() {
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
        append(random_() % (random_() % 4 == 0 ? 3 * slots_ : slots_ / 2));
        break;
      case 3:
      case 4:
        kill_some(random_() % (live_.size() / 2 + 1));
        break;
      case 5:
        for (std::uint64_t words = random_() % 8; words > 0; --words) kill_bits();
        break;
      case 6:
        kill_page();
        break;
      case 7:
      case 8:
        free_dead_pages();
        break;
      case 9:
        free_spare_pages();
        break;
      case 10:
        add_layer(kAddedLayers[random_() % kAddedLayers.size()]);
        break;
      case 11:
        remove_layer();
        break;
      case 12:
        write_layers();
        break;
      case 13:
        if (random_() % 8 == 0) kill_all();
        break;
      default:
        compact(kOrders[random_() % 2]);
    }
    check();
  }

 private:
  struct Element {
    std::uint64_t id;
    std::uint32_t dies;
    std::map<Layer, std::uint64_t> values;  ///< of layers that were added
  };
  struct PageModel {
    std::uint32_t used = 0, live = 0;
  };
  using Elements = std::map<Index, Element>;

  static std::vector<std::uint64_t> ids_of(const Elements& elements) {
    std::vector<std::uint64_t> ids;
    for (const auto& [index, element] : elements) ids.push_back(element.id);
    return ids;
  }
  Elements::iterator random_live() {
    const auto at = live_.lower_bound(random_() % (live_.rbegin()->first + 1));
    return at == live_.end() ? live_.begin() : at;
  }
  void bury(Index index) {
    live_.erase(index);
    dead_.push_back(index);
    --held_.at(index / slots_).live;
  }
  void kill_model_of(Index page) {
    for (auto at = live_.lower_bound(page * slots_); at != live_.end() && at->first / slots_ == page;
         at = live_.lower_bound(page * slots_))
      bury(at->first);
  }
  /// Indices of elements that are dead, and such that never were.
  std::vector<Index> strangers() const {
    std::vector<Index> indices = dead_;
    const Index end = live_.empty() ? 0 : live_.rbegin()->first + 1;
    for (const Index beyond : {Index{0}, Index{1}, Index{slots_}, Index{1} << 32, Index{1} << 63})
      if (end + beyond >= end && !live_.contains(end + beyond)) indices.push_back(end + beyond);
    indices.insert(indices.end(), {kNoIndex, kNoIndex - 1, kNoIndex - slots_, kNoIndex / 2});
    return indices;
  }

  const std::size_t slots_;
  const bool recycles_;
  std::mt19937_64 random_;
  PagedLayers pages_;
  Elements live_;
  std::vector<Index> dead_;
  std::map<Layer, std::size_t> added_;
  std::map<Index, PageModel> held_;  ///< by number: pages with memory
  std::size_t spare_ = 0, most_pages_ = 0, index_bytes_ = 0;
  std::uint64_t made_ = 0, allocated_ = 0, freed_ = 0, recycled_ = 0, compactions_ = 0, moves_ = 0;
  bool compacting_ = false;
};

TEST(PagedLayers, are_the_same_as_a_plain_model_after_any_steps) {
  for (const std::uint32_t slots : {64u, 128u, 256u, 512u, 1024u})
    for (const bool recycles : {false, true})
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Checked checked({slots, recycles}, seed);
        for (int i = 0; i < 120; ++i) {
          checked.step();
          ASSERT_FALSE(::testing::Test::HasFailure())
              << "pages of " << slots << " recycles " << recycles << " seed " << seed << " step " << i;
        }
      }
}

TEST(PagedLayers, hold_as_many_layers_as_they_say_and_compact_all_of_them) {
  for (const CompactionOrder order : kOrders) {
    Checked checked({64, false}, 1);
    checked.append(1'000);
    for (int i = 0; i < 40; ++i) checked.add_layer(kAddedLayers[static_cast<unsigned>(i) % kAddedLayers.size()]);
    checked.write_layers();
    checked.kill_some(600);
    checked.compact(order);
    for (int i = 0; i < 5; ++i) checked.remove_layer();
    for (int i = 0; i < 9; ++i) checked.add_layer(12);
    checked.append(100);
    checked.check();
  }
}

TEST(PagedLayers, refuse_one_layer_more_and_use_a_number_again) {
  PagedLayers pages({}, {});
  std::vector<Layer> layers, expected;
  while (const std::optional<Layer> layer = pages.add_layer(4)) layers.push_back(*layer);
  for (Layer layer = 0; layer < PagedLayers::kMostLayers - 1; ++layer) expected.push_back(layer);
  EXPECT_EQ(layers, expected);
  pages.remove_layer(7);
  EXPECT_EQ(pages.add_layer(88), std::optional<Layer>(7));
  EXPECT_EQ(pages.layer_bytes(7), 88u);
  EXPECT_EQ(pages.add_layer(4), std::nullopt);
}

TEST(PagedLayers, zero_a_layer_for_elements_old_and_new_even_where_others_have_been) {
  for (const bool recycles : {false, true}) {
    PagedLayers pages({64, recycles}, kFirstLayers);
    append(pages, 200);
    for (int round = 0; round < 4; ++round) {
      const Layer layer = pages.add_layer(12).value();
      append(pages, 100);
      std::size_t other = 0;
      pages.for_each_page([&](Page& page) {
        for (std::uint32_t slot = 0; slot < page.used(); ++slot)
          if (page.is_live(slot)) other += bytes_at(pages, page, layer, slot) != std::string(12, '\0');
        std::memset(page.layer(layer), 0xff, std::size_t{12} * page.used());
        pages.kill_bits(page, 0, 0x5555555555555555u << round % 2);
      });
      EXPECT_EQ(other, 0u);
      compact(pages, CompactionOrder::kFromEnd);
      pages.remove_layer(layer);
    }
  }
}

TEST(PagedLayers, find_only_what_lives) {
  PagedLayers pages({64, false}, kFirstLayers);
  EXPECT_EQ(pages.find(0).first, nullptr) << "nothing was ever given";
  append(pages, 150);
  EXPECT_NE(pages.find(149).first, nullptr);
  for (const Index index : {Index{150}, Index{191}, Index{192}, Index{1} << 40, kNoIndex - 63, kNoIndex})
    EXPECT_EQ(pages.find(index).first, nullptr) << index;
  for (Index index = 0; index < 64; ++index) EXPECT_TRUE(pages.kill(index));
  for (Index index = 70; index < 150; ++index) EXPECT_TRUE(pages.kill(index));
  EXPECT_EQ(pages.free_dead_pages(), 2u);
  EXPECT_EQ(indices_of(pages), (std::vector<Index>{64, 65, 66, 67, 68, 69}));
  for (const Index index : {Index{0}, Index{63}, Index{70}, Index{128}, Index{149}, kNoIndex}) {
    EXPECT_EQ(pages.find(index).first, nullptr) << index;
    EXPECT_FALSE(pages.kill(index)) << index;
  }
}

// --- compaction ------------------------------------------------------------------------------------------------------

TEST(PagedLayers, ask_their_owner_once_for_all_indices_before_anything_moves) {
  PagedLayers pages({64, false}, kFirstLayers);
  append(pages, 300);
  for (Index index = 0; index < 300; ++index)
    if (index % 3 != 0) pages.kill(index);
  std::vector<Index> live, olds, news, nowhere;
  for (Index index = 0; index < 300; index += 3) live.push_back(index);
  unsigned calls = 0;
  std::size_t held = 0;
  pages.compact(CompactionOrder::kStable, [&](const PagedLayers::NewIndices& new_index) {
    ++calls;
    held = pages.pages();
    olds = indices_of(pages);
    for (Index index = 0; index < 400; ++index)
      if (const Index to = new_index(index); to != kNoIndex)
        news.push_back(to);
      else if (index % 3 == 0)
        nowhere.push_back(index);
    EXPECT_EQ(new_index(kNoIndex), kNoIndex);
  });
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(olds, live);
  std::vector<Index> expected(live.size());
  for (Index i = 0; i < expected.size(); ++i) expected[i] = i;
  EXPECT_EQ(news, expected);
  EXPECT_EQ(nowhere.size(), 34u) << "from 300 to 399";
  EXPECT_EQ(held, 5u);
  EXPECT_EQ(pages.pages(), 2u);
  EXPECT_EQ(pages.counts().most_pages, 5u);
  EXPECT_EQ(pages.counts().index_layer_bytes, 5 * 64 * sizeof(Index));
}

TEST(PagedLayers, moved_from_the_end_fill_the_gaps_in_front_and_no_more) {
  PagedLayers pages({64, false}, std::array<std::size_t, 1>{sizeof(Index)});
  pages.append(256, [&](const Page& page, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t slot = first; slot < first + count; ++slot)
      page.array<Index>(0)[slot] = pages.index_of(page, slot);
  });
  for (const Index dead : {3, 64, 65, 200, 255}) pages.kill(dead);
  const auto contents = [&] {
    std::vector<Index> values;
    pages.walk(
        PageLoop::kSetBits, [](const Page& page) { return page.array<Index>(0); },
        [&](const Index* first, std::size_t i) { values.push_back(first[i]); });
    return values;
  };
  std::vector<Index> expected;
  for (Index index = 0; index < 251; ++index) expected.push_back(index);
  // 251 stay, so those from place 251 on move into the gaps.
  expected[3] = 251;
  expected[64] = 252;
  expected[65] = 253;
  expected[200] = 254;
  compact(pages, CompactionOrder::kFromEnd);
  EXPECT_EQ(contents(), expected);
  EXPECT_EQ(pages.counts().moved, 4u);
  compact(pages, CompactionOrder::kFromEnd);
  compact(pages, CompactionOrder::kStable);
  EXPECT_EQ(contents(), expected);
  EXPECT_EQ(pages.counts().moved, 4u) << "nothing was left to move";
}

TEST(PagedLayers, keep_bounds_of_deaths_of_the_pages_that_move_together) {
  for (const CompactionOrder order : kOrders) {
    PagedLayers pages({64, false}, kFirstLayers);
    std::uint32_t number = 0;
    pages.append(256, [&](Page& page, std::uint32_t, std::uint32_t) {
      page.bound_deaths(100 * number, 100 * number + 50);
      ++number;
    });
    for (Index index = 0; index < 256; ++index)
      if (index % 64 >= 16) pages.kill(index);
    compact(pages, order);
    ASSERT_EQ(pages.pages(), 1u);
    const Page& page = *pages.find(0).first;
    EXPECT_EQ(page.first_death(), 0u);
    EXPECT_EQ(page.last_death(), 350u);
  }
}

TEST(PagedLayers, compact_a_bounded_part_and_leave_the_indices_of_all_others) {
  std::mt19937_64 random(7);
  for (const CompactionOrder order : kOrders)
    for (const std::size_t most : {64u, 200u, 1'000u}) {
      PagedLayers pages({128, true}, std::array<std::size_t, 1>{sizeof(std::uint64_t)});
      std::uint64_t made = 0;
      for (unsigned round = 0; round < 40; ++round) {
        pages.append(random() % 700, [&](const Page& page, std::uint32_t first, std::uint32_t run) {
          for (std::uint32_t i = first; i < first + run; ++i) page.array<std::uint64_t>(0)[i] = ++made;
        });
        for (const Index index : indices_of(pages))
          if (random() % 3 == 0) pages.kill(index);
        std::map<Index, std::uint64_t> before;  // index and value
        for (const Index index : indices_of(pages)) {
          const auto [page, slot] = pages.find(index);
          before[index] = page->array<std::uint64_t>(0)[slot];
        }
        std::map<Index, std::uint64_t> expected;
        std::size_t changed = 0;
        const std::size_t held = pages.pages();
        const std::uint64_t moved = pages.counts().moved;
        const std::size_t freed = pages.compact_some(most, order, [&](const PagedLayers::NewIndices& new_index) {
          for (const auto& [index, value] : before) {
            EXPECT_TRUE(expected.emplace(new_index(index), value).second);
            changed += new_index(index) != index;
          }
        });
        if (freed == 0) expected = before;  // the owner was not called
        std::map<Index, std::uint64_t> after;
        for (const Index index : indices_of(pages)) {
          const auto [page, slot] = pages.find(index);
          after[index] = page->array<std::uint64_t>(0)[slot];
        }
        EXPECT_EQ(after, expected);
        EXPECT_EQ(pages.pages(), held - freed);
        EXPECT_EQ(pages.counts().moved - moved, changed);
        EXPECT_LE(changed, most);
        EXPECT_EQ(pages.live(), before.size());
      }
      EXPECT_GT(pages.counts().compactions, 0u);
      EXPECT_EQ(pages.counts().most_extra_pages, 0u);
    }
}

TEST(PagedLayers, that_are_empty_hold_no_page) {
  for (const bool compacts : {false, true}) {
    PagedLayers pages({64, false}, kFirstLayers);
    pages.add_layer(88);
    for (int round = 0; round < 3; ++round) {
      append(pages, 1'000);
      pages.for_each_page([&](Page& page) { pages.kill_page(page); });
      if (compacts)
        compact(pages, CompactionOrder::kStable);
      else
        EXPECT_EQ(pages.free_dead_pages(), 16u);
      EXPECT_EQ(pages.live(), 0u);
      EXPECT_EQ(pages.pages(), 0u);
      EXPECT_EQ(pages.slots(), 0u);
      compact(pages, CompactionOrder::kFromEnd);
    }
    EXPECT_EQ(pages.counts().pages_freed, pages.counts().pages_allocated);
  }
}

TEST(PagedLayers, that_recycle_ask_for_no_memory_twice) {
  PagedLayers pages({64, true}, kFirstLayers);
  for (int round = 0; round < 5; ++round) {
    append(pages, 640);
    pages.for_each_page([&](Page& page) { pages.kill_page(page); });
    EXPECT_EQ(pages.free_dead_pages(), 10u);
    EXPECT_EQ(pages.pages(), 0u);
    EXPECT_EQ(pages.spare_pages(), 10u);
  }
  EXPECT_EQ(pages.counts().pages_allocated, 10u);
  EXPECT_EQ(pages.counts().pages_recycled, 40u);
  EXPECT_EQ(pages.counts().most_pages, 10u);
  pages.free_spare_pages();
  EXPECT_EQ(pages.spare_pages(), 0u);
  EXPECT_EQ(pages.counts().pages_freed, 10u);
}

// --- walks -----------------------------------------------------------------------------------------------------------

/// How often a walk has visited each slot, by page.
std::vector<std::vector<std::uint32_t>> visits(const PagedLayers& pages, PageLoop loop) {
  std::vector<std::vector<std::uint32_t>> counts;
  pages.walk(
      loop, [&](const Page&) { return counts.emplace_back(std::vector<std::uint32_t>(pages.page_slots())).data(); },
      [](std::uint32_t* count, std::size_t slot) { ++count[slot]; });
  return counts;
}

/// As a walk should.
std::vector<std::vector<std::uint32_t>> expected_visits(const PagedLayers& pages, PageLoop loop) {
  std::vector<std::vector<std::uint32_t>> counts;
  pages.for_each_page([&](const Page& page) {
    std::vector<std::uint32_t>& of_page = counts.emplace_back(pages.page_slots());
    const bool dense = loop == PageLoop::kDense ||
                       (loop == PageLoop::kChosen && page.live() * PagedLayers::kDenseShare >= page.used());
    for (std::uint32_t slot = 0; slot < pages.words_of(page) * 64; ++slot)
      of_page[slot] = page.is_live(slot) || (dense && pages.word(page, slot / 64) != 0);
  });
  return counts;
}

TEST(PagedLayers, are_walked_by_set_bits_by_words_or_by_what_pays_in_each_page) {
  std::size_t dense_pages = 0, sparse_pages = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    PagedLayers pages({64u << seed % 5, false}, kFirstLayers);
    append(pages, random() % 5'000);
    pages.for_each_page([&](Page& page) {
      const std::uint64_t share = random() % 5;  // of each page its own
      for (std::size_t word = 0; word < pages.words_of(page); ++word) {
        std::uint64_t dying = share == 0 ? 0 : random();
        for (std::uint64_t i = 1; i < share; ++i) dying |= random();
        pages.kill_bits(page, word, random() % 5 == 0 ? ~std::uint64_t{0} : dying);
      }
    });
    for (const PageLoop loop : {PageLoop::kSetBits, PageLoop::kDense, PageLoop::kChosen})
      ASSERT_EQ(visits(pages, loop), expected_visits(pages, loop)) << "seed " << seed;
    pages.for_each_page([&](const Page& page) {
      ++(page.live() * PagedLayers::kDenseShare >= page.used() ? dense_pages : sparse_pages);
    });
    std::vector<Index> order;
    pages.walk(
        PageLoop::kSetBits, [&](const Page& page) { return pages.index_of(page, 0); },
        [&](Index first, std::size_t slot) { order.push_back(first + slot); });
    EXPECT_EQ(order, indices_of(pages)) << "seed " << seed;
  }
  EXPECT_GT(dense_pages, 20u);
  EXPECT_GT(sparse_pages, 20u);
}

// --- long runs -------------------------------------------------------------------------------------------------------

TEST(PagedLayers, give_indices_in_order_and_forget_leading_pages_for_millions_of_elements) {
  constexpr std::size_t kAtOnce = 1'000, kLive = 20'000, kElements = 4'000'000;
  PagedLayers pages({64, true}, std::array<std::size_t, 1>{sizeof(Index)});
  Index made = 0, dead = 0;
  std::size_t wrong = 0, most_bytes = 0;
  while (made < kElements) {
    pages.append(kAtOnce, [&](const Page& page, std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t slot = first; slot < first + count; ++slot, ++made) {
        page.array<Index>(0)[slot] = made;
        wrong += pages.index_of(page, slot) != made;
      }
    });
    for (; dead + kLive < made; ++dead) wrong += !pages.kill(dead);
    pages.free_dead_pages();
    most_bytes = std::max(most_bytes, pages.bytes());
    for (Index i = 0; i < 5; ++i) {
      const Index living = dead + i * (made - dead) / 5, stale = i * dead / 5;
      const auto [page, slot] = pages.find(living);
      wrong += page == nullptr || page->array<Index>(0)[slot] != living;
      wrong += dead > 0 && pages.find(stale).first != nullptr;
      wrong += pages.find(made + i * i * 50).first != nullptr;
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(pages.live(), std::size_t{kLive});
  EXPECT_LE(pages.counts().pages_allocated, (kLive + kAtOnce) / 64 + 2);
  EXPECT_LT(most_bytes, std::size_t{400'000}) << "of 20,000 elements of 8 bytes and their list of pages";
}

TEST(PagedLayers, keep_an_element_that_outlives_thousands_of_pages_and_no_memory_of_those) {
  PagedLayers pages({64, true}, std::array<std::size_t, 1>{sizeof(std::uint64_t)});
  std::vector<Index> gone;
  for (unsigned round = 0; round < 5'000; ++round) {
    append(pages, 64);
    const std::vector<Index> indices = indices_of(pages);
    for (const Index index : indices)
      if (index != 0) pages.kill(index);
    gone.push_back(indices.back());
    pages.free_dead_pages();
  }
  EXPECT_EQ(indices_of(pages), std::vector<Index>{0});
  EXPECT_EQ(pages.pages(), 1u);
  for (const Index index : gone) EXPECT_EQ(pages.find(index).first, nullptr);
  append(pages, 1);
  EXPECT_EQ(indices_of(pages), (std::vector<Index>{0, 5'000 * 64}));
  compact(pages, CompactionOrder::kStable);
  EXPECT_EQ(indices_of(pages), (std::vector<Index>{0, 1}));
}

TEST(PagedLayers, go_on_behind_a_page_that_died_half_full) {
  PagedLayers pages({64, false}, kFirstLayers);
  Index next = 0;
  for (int round = 0; round < 2'000; ++round) {
    append(pages, 10);
    EXPECT_EQ(indices_of(pages).front(), next);
    EXPECT_EQ(pages.find(next - 64).first, nullptr);
    EXPECT_TRUE(pages.find(next).first != nullptr && pages.find(next + 9).first != nullptr);
    EXPECT_EQ(pages.find(next + 10).first, nullptr);
    pages.for_each_page([&](Page& page) { pages.kill_page(page); });
    EXPECT_EQ(pages.free_dead_pages(), 1u);
    next += 64;
  }
}

}  // namespace
}  // namespace lab::designs
