#include "variants/designs/offsets/compaction.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

namespace lab::designs {

namespace {

struct Place {
  std::size_t range = 0;
  BestFit::Offset offset = 0;
  auto operator<=>(const Place&) const = default;
};

struct Item {
  Place place;
  std::uint64_t bytes = 0;  // as requested
};

class Planner {
 public:
  explicit Planner(std::vector<BestFit> ranges) : ranges_(std::move(ranges)) {
    for (std::size_t range = 0; range < ranges_.size(); ++range)
      ranges_[range].for_each([&](const BestFit::Range& used) {
        if (used.used) items_.push_back({{range, used.offset}, used.requested});
      });
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
  }

  std::vector<CompactionMove> plan() {
    while (move_down() || make_detours()) {
    }
    return std::move(moves_);
  }

 private:
  // Each move and each detour lowers the place of one item and changes no other. So this ends.
  bool move_down() {
    bool moved = false;
    for (Item& item : items_)
      if (const std::optional<Place> lower = lowest_place(item)) {
        move(item, *lower);
        moved = true;
      }
    return moved;
  }

  // By place: a small space grows on its way to the end, with each small space that it meets.
  bool make_detours() {
    std::vector<Item*> by_place;
    for (Item& item : items_) by_place.push_back(&item);
    std::sort(by_place.begin(), by_place.end(), [](const Item* a, const Item* b) { return a->place < b->place; });
    bool moved = false;
    Place end;  // of the item before
    for (Item* item : by_place) {
      if (item->place.range != end.range) end = {item->place.range, 0};
      if (item->place != end) {
        if (const std::optional<Place> lower = lowest_place(*item)) {  // an earlier detour made space
          move(*item, *lower);
          moved = true;
        } else if (const std::optional<Place> parking = any_place(item->bytes)) {
          move(*item, *parking);
          move(*item, end);
          moved = true;
        }
      }
      if (item->place >= end)
        end = {item->place.range, ranges_[item->place.range].used_range(item->place.offset).end()};
    }
    return moved;
  }

  std::optional<Place> lowest_place(const Item& item) const {
    for (std::size_t range = 0; range <= item.place.range; ++range) {
      if (ranges_[range].used_count() == 0) continue;  // what is empty stays empty
      if (const BestFit::Offset offset = ranges_[range].lowest_fit(item.bytes); offset != BestFit::kNone) {
        const Place place{range, offset};
        return place < item.place ? std::optional(place) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<Place> any_place(std::uint64_t bytes) const {
    for (std::size_t range = 0; range < ranges_.size(); ++range)
      if (const BestFit::Offset offset = ranges_[range].smallest_fit(bytes); offset != BestFit::kNone)
        return Place{range, offset};
    return std::nullopt;
  }

  void move(Item& item, Place to) {
    [[maybe_unused]] const bool taken = ranges_[to.range].allocate_at(to.offset, item.bytes);
    [[maybe_unused]] const bool freed = ranges_[item.place.range].free(item.place.offset);
    assert(taken && freed);
    moves_.push_back({item.place.range, to.range, item.place.offset, to.offset, item.bytes});
    item.place = to;
  }

  std::vector<BestFit> ranges_;
  std::vector<Item> items_;
  std::vector<CompactionMove> moves_;
};

}  // namespace

std::vector<CompactionMove> plan_compaction(std::vector<BestFit> ranges) {
  return Planner(std::move(ranges)).plan();
}

}  // namespace lab::designs
