/// What every pool keeps, against a model that knows only which objects live. A new pool: add its type to
/// pools_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace lab::designs {

/// An object that knows its number everywhere, so that an overlap or a lost write is seen.
struct Numbered {
  static constexpr std::size_t kMarkAt = 8;
  Numbered() noexcept {}
  explicit Numbered(std::uint64_t value) noexcept : number(value), copy(value) {}
  std::uint64_t number;
  std::uint32_t mark;
  std::uint32_t unused = 7;
  std::uint64_t copy;
};

template <typename Pool>
class PoolModel {
 public:
  explicit PoolModel(std::size_t capacity) : pool_(capacity), capacity_(capacity) {}

  std::size_t live() const { return live_.size(); }

  void create() {
    const typename Pool::Ref ref = pool_.create(++last_);
    EXPECT_EQ(ref == typename Pool::Ref{}, live_.size() == capacity_) << "with " << live_.size() << " objects";
    if (ref == typename Pool::Ref{}) return;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool_.get(ref)) % alignof(Numbered), 0u);
    live_.push_back({ref, last_});
  }
  void destroy(std::size_t index) {
    const Live ended = live_[index];
    expect_intact(ended);
    pool_.destroy(ended.ref);
    live_[index] = live_.back();
    live_.pop_back();
    if constexpr (requires { Pool::kFindsStale; }) {
      EXPECT_EQ(pool_.get(ended.ref), nullptr) << "stale";
      pool_.destroy(ended.ref);  // changes nothing
      ended_.push_back(ended.ref);
    }
  }
  /// Destroys those whose number is a multiple of `divisor`.
  void update(std::uint64_t divisor) {
    std::multiset<std::uint64_t> seen;
    pool_.update([&](Numbered& object) {
      seen.insert(object.number);
      return object.number % divisor == 0;
    });
    EXPECT_EQ(seen, numbers()) << "updated";
    if constexpr (requires { Pool::kFindsStale; })
      for (const Live& live : live_)
        if (live.number % divisor == 0) ended_.push_back(live.ref);
    std::erase_if(live_, [&](const Live& live) { return live.number % divisor == 0; });
  }
  void expect_sound() {
    std::multiset<std::uint64_t> seen;
    pool_.each([&](Numbered& object) { seen.insert(object.number); });
    EXPECT_EQ(seen, numbers()) << "walked";
    EXPECT_EQ(pool_.size(), live_.size());
    EXPECT_EQ(pool_.capacity(), capacity_);
    EXPECT_GE(pool_.memory_bytes(), capacity_ * sizeof(Numbered));
    for (const Live& live : live_) expect_intact(live);
    if constexpr (requires { Pool::kFindsStale; })
      for (const typename Pool::Ref& ref : ended_) {
        EXPECT_EQ(pool_.get(ref), nullptr) << "stale";
      }
  }

 private:
  struct Live {
    typename Pool::Ref ref;
    std::uint64_t number;
  };
  void expect_intact(const Live& live) {
    const Numbered* const object = pool_.get(live.ref);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(object->number, live.number);
    EXPECT_EQ(object->copy, live.number);
  }
  std::multiset<std::uint64_t> numbers() const {
    std::multiset<std::uint64_t> all;
    for (const Live& live : live_) all.insert(live.number);
    return all;
  }

  Pool pool_;
  std::size_t capacity_;
  std::vector<Live> live_;
  std::vector<typename Pool::Ref> ended_;
  std::uint64_t last_ = 0;
};

/// Random creations and destructions around a changing load, with updates in between.
template <typename Pool>
void expect_sound_under_random_use(std::size_t capacity) {
  PoolModel<Pool> model(capacity);
  std::mt19937_64 random(capacity);
  std::size_t full = 0;
  for (int step = 0; step < 3000; ++step) {
    const unsigned creates = step / 500 % 2 == 0 ? 70 : 35;
    if (random() % 100 < creates)
      model.create();
    else if (model.live() > 0)
      model.destroy(random() % model.live());
    if (step % 97 == 96) model.update(2 + random() % 9);
    if (step % 50 == 0) model.expect_sound();
    full += model.live() == capacity;
    ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step << " of capacity " << capacity;
  }
  if (capacity < 100) {
    EXPECT_GT(full, 0u) << "the pool was never full: the test is too easy";
  }
  while (model.live() > 0) model.destroy(model.live() - 1);
  model.expect_sound();
}

}  // namespace lab::designs
