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
  std::uint64_t offset = 0;
  auto operator<=>(const Place&) const = default;
};

// A free space of a range.
struct Space {
  Place place;
  BestFit::Token token = 0;
};

struct Item {
  Place place;
  BestFit::Token token = 0;
  std::uint64_t bytes = 0;  // as requested
};

class Planner {
 public:
  explicit Planner(std::vector<BestFit> ranges) : ranges_(std::move(ranges)) {
    for (std::size_t range = 0; range < ranges_.size(); ++range)
      ranges_[range].for_each_token([&](BestFit::Token token, const OffsetRange& part) {
        if (part.used) items_.push_back({{range, part.offset}, token, part.requested});
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
      if (const std::optional<Space> lower = lowest_space(item)) {
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
        if (const std::optional<Space> lower = lowest_space(*item)) {  // an earlier detour made space
          move(*item, *lower);
          moved = true;
        } else if (const std::optional<Space> parking = any_space(item->bytes)) {
          const BestFit::Token left = move(*item, *parking);  // with the small space in front of it
          move(*item, {end, left});
          moved = true;
        }
      }
      if (item->place >= end) end = {item->place.range, ranges_[item->place.range].range_of(item->token).end()};
    }
    return moved;
  }

  std::optional<Space> lowest_space(const Item& item) const {
    for (std::size_t range = 0; range <= item.place.range; ++range) {
      if (ranges_[range].used_count() == 0) continue;  // what is empty stays empty
      if (const BestFit::Token token = ranges_[range].lowest_fit(item.bytes); token != BestFit::kNoToken) {
        const Place place{range, ranges_[range].range_of(token).offset};
        return place < item.place ? std::optional(Space{place, token}) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<Space> any_space(std::uint64_t bytes) const {
    for (std::size_t range = 0; range < ranges_.size(); ++range)
      if (const BestFit::Token token = ranges_[range].smallest_fit(bytes); token != BestFit::kNoToken)
        return Space{{range, ranges_[range].range_of(token).offset}, token};
    return std::nullopt;
  }

  // Returns the free space that it leaves.
  BestFit::Token move(Item& item, const Space& to) {
    const Suballocation taken = ranges_[to.place.range].allocate_in(to.token, item.bytes);
    assert(taken.offset == to.place.offset);
    const BestFit::Token left = ranges_[item.place.range].release({item.place.offset, item.token});
    moves_.push_back({item.place.range, to.place.range, item.place.offset, to.place.offset, item.bytes});
    item.place = to.place;
    item.token = static_cast<BestFit::Token>(taken.token);
    return left;
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
