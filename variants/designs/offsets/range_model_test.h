/// What every RangeAllocator keeps, against a model that knows only which parts are in use.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "variants/designs/offsets/range_allocator.h"

namespace lab::designs {

/// What a design promises beyond RangeAllocator. A design with other promises specialises it.
template <typename R>
struct RangePromises {
  static constexpr bool kMergesAll = true;         ///< two free spaces never touch
  static constexpr bool kServesCapacity = true;    ///< empty, it serves a request of capacity()
  static constexpr bool kFindsAnyAligned = false;  ///< refuses an aligned request only if no free space holds it
};

inline void PrintTo(const OffsetRange& range, std::ostream* to) {
  *to << range.offset << "+" << range.bytes << (range.used ? "u" + std::to_string(range.requested) : "f");
}
inline void PrintTo(const Suballocation& taken, std::ostream* to) {
  *to << taken.offset << " by " << taken.token;
}

template <typename R>
std::vector<OffsetRange> ranges_of(const R& design) {
  std::vector<OffsetRange> ranges;
  design.for_each([&](const OffsetRange& range) { ranges.push_back(range); });
  return ranges;
}

/// "0+64u 64+32f": offset, bytes, used or free.
template <typename R>
std::string picture(const R& design) {
  std::string text;
  for (const OffsetRange& range : ranges_of(design))
    text += (text.empty() ? "" : " ") + std::to_string(range.offset) + "+" + std::to_string(range.bytes) +
            (range.used ? "u" : "f");
  return text;
}

template <RangeAllocator R>
class RangeModel {
 public:
  RangeModel(std::uint64_t capacity, std::uint64_t block_bytes)
      : block_bytes_(block_bytes), design_(capacity, block_bytes) {
    check();
    first_ = state_;
  }

  R& design() { return design_; }
  std::size_t live() const { return live_.size(); }

  /// Whether it was served. check() must have seen the state before.
  bool allocate(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t largest = design_.largest_free(), requested = std::max<std::uint64_t>(bytes, 1);
    const Suballocation taken = design_.allocate(bytes, alignment);
    if (!taken.served()) {
      EXPECT_EQ(ranges_of(design_), state_) << "changed by a refused request";
      if (alignment <= block_bytes_) {
        EXPECT_GT(requested, largest);
      }
      if constexpr (RangePromises<R>::kFindsAnyAligned) {
        for (const OffsetRange& range : state_) {
          const std::uint64_t gap = -range.offset & (alignment - 1);
          EXPECT_FALSE(!range.used && gap < range.bytes && requested <= range.bytes - gap)
              << "refused " << bytes << " at " << alignment << ", which " << range.offset << " holds";
        }
      }
      return false;
    }
    EXPECT_LE(requested, largest);
    EXPECT_EQ(taken.offset % alignment, 0u) << bytes << " bytes at " << alignment;
    EXPECT_EQ(taken.offset % block_bytes_, 0u) << bytes << " bytes at " << alignment;
    EXPECT_TRUE(std::none_of(live_.begin(), live_.end(), [&](const Part& part) {
      return part.taken.token == taken.token;
    })) << "a token that is in use";
    live_.push_back({taken, requested});
    check();
    return true;
  }

  void free(std::size_t index) {
    std::swap(live_[index], live_.back());
    design_.free(live_.back().taken);
    live_.pop_back();
    check();
  }

  /// Afterwards the state is the first one.
  void free_all(std::mt19937_64& random) {
    while (!live_.empty() && !testing::Test::HasFailure()) free(random() % live_.size());
    EXPECT_EQ(state_, first_) << "not the first state after all frees";
  }

 private:
  struct Part {
    Suballocation taken;
    std::uint64_t requested;
  };

  /// The ranges are all of the capacity, and exactly the live parts are used.
  void check() {
    state_ = ranges_of(design_);
    std::map<std::uint64_t, const Part*> by_offset;
    std::uint64_t requested = 0, used_bytes = 0, end = 0;
    for (const Part& part : live_) {
      EXPECT_TRUE(by_offset.emplace(part.taken.offset, &part).second) << "two parts at " << part.taken.offset;
      requested += part.requested;
    }
    auto next = by_offset.begin();
    const OffsetRange* before = nullptr;
    for (const OffsetRange& range : state_) {
      EXPECT_EQ(range.offset, end) << "a gap or an overlap";
      EXPECT_GT(range.bytes, 0u);
      end = range.end();
      if (range.used) {
        used_bytes += range.bytes;
        ASSERT_NE(next, by_offset.end()) << "more used parts than live ones";
        const Part& part = *(next++)->second;
        EXPECT_EQ(range.requested, part.requested);
        EXPECT_GE(part.taken.offset, range.offset);
        EXPECT_LE(part.taken.offset + part.requested, range.end());
      } else {
        EXPECT_EQ(range.requested, 0u);
        if (RangePromises<R>::kMergesAll && before != nullptr) {
          EXPECT_TRUE(before->used) << "two free spaces touch at " << range.offset;
        }
      }
      before = &range;
    }
    EXPECT_EQ(next, by_offset.end()) << "fewer used parts than live ones";
    EXPECT_EQ(end, design_.capacity());
    EXPECT_EQ(design_.used_count(), live_.size());
    EXPECT_EQ(design_.used_bytes(), used_bytes);
    EXPECT_EQ(design_.requested_bytes(), requested);
    EXPECT_GE(design_.metadata_bytes(), sizeof(R));
    if (testing::Test::HasFailure()) FAIL() << "with " << live_.size() << " live parts: " << picture(design_);
  }

  std::uint64_t block_bytes_;
  R design_;
  std::vector<Part> live_;
  std::vector<OffsetRange> state_, first_;
};

/// Requests of 0, 1 and capacity() bytes are served and larger ones are not, at every alignment that is promised.
template <typename R>
void expect_range_limits(std::uint64_t capacity, std::uint64_t block_bytes) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  RangeModel<R> model(capacity, block_bytes);
  std::mt19937_64 random(7);
  const std::uint64_t largest = model.design().largest_free();
  ASSERT_EQ(model.design().capacity(), capacity);
  ASSERT_LE(largest, capacity);
  if (RangePromises<R>::kServesCapacity) {
    ASSERT_EQ(largest, capacity);
  }
  for (const std::uint64_t alignment : {std::uint64_t{1}, block_bytes, 2 * block_bytes, kHalf / 2, kHalf}) {
    for (const std::uint64_t bytes : {capacity + 1, capacity + block_bytes, kHalf - 1, kHalf, kHalf + 1, ~kHalf - 1,
                                      ~std::uint64_t{0} - block_bytes, ~std::uint64_t{0} - 1, ~std::uint64_t{0}})
      ASSERT_FALSE(model.allocate(bytes, alignment)) << bytes << " of " << capacity << " at " << alignment;
    if (alignment <= block_bytes) {
      for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, largest}) {
        ASSERT_EQ(model.allocate(bytes, alignment), capacity != 0)
            << bytes << " of " << capacity << " at " << alignment;
        model.free_all(random);
      }
      ASSERT_FALSE(model.allocate(largest + 1, alignment));
    }
  }
}

/// Random requests and frees around a changing load, several times until all is free. largest_free() decides which
/// requests of the least alignment are served.
template <typename R>
void expect_sound_range(std::uint64_t capacity, std::uint64_t block_bytes, std::uint64_t seed) {
  RangeModel<R> model(capacity, block_bytes);
  std::mt19937_64 random(seed);
  const std::uint64_t largest = model.design().largest_free();
  const auto log2 = [](std::uint64_t bytes) { return static_cast<unsigned>(std::bit_width(bytes)); };
  std::size_t refused = 0;
  for (int step = 0; step < 1600; ++step) {
    const unsigned frees = step / 200 % 2 == 0 ? 30 : 65;
    if (model.live() > 0 && random() % 100 < frees) {
      model.free(random() % model.live());
    } else {
      // Sizes of all magnitudes, most of them small; every fourth alignment is more than a block's.
      std::uint64_t bytes = random() % (std::uint64_t{2} << random() % log2(capacity));
      if (random() % 3 != 0) bytes /= 16;
      if (random() % 40 == 0) bytes = model.design().largest_free() + random() % 2;
      const unsigned most = random() % 4 == 0 ? log2(capacity) + 1 : log2(block_bytes);
      refused += !model.allocate(bytes, std::uint64_t{1} << random() % most);
    }
    if (step % 400 == 399) {
      model.free_all(random);
      ASSERT_TRUE(model.allocate(largest, 1));
      model.free_all(random);
    }
    ASSERT_FALSE(testing::Test::HasFailure())
        << "step " << step << ", seed " << seed << ", " << capacity << " in blocks of " << block_bytes;
  }
  EXPECT_GT(refused, 0u) << "the range was never full: the test is too easy";
}

}  // namespace lab::designs
