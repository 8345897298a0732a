/// A pool that grows: when it is full it adds another pool of the same capacity, and gives an added one back as soon as
/// it is empty. O(pools) to find one with room. An addition allocates. The Ref of a destroyed object dangles once its
/// pool was given back, also where `Pool` finds stale ones: get() and destroy() must not see it. From inside an object:
/// what slots.h says; pools are given back when the outermost walk or destruction ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <typename Pool>
class OverflowPool {
 public:
  using Object = typename Pool::Object;
  static constexpr bool kMovesObjects = requires { requires Pool::kMovesObjects; };

  struct Ref {
    Pool* pool = nullptr;
    typename Pool::Ref ref{};
    bool operator==(const Ref&) const = default;
  };

  explicit OverflowPool(std::size_t capacity) : step_(capacity) { add(); }
  // While all pools are there: a destructor may use any of them.
  ~OverflowPool() { end_all(*this); }

  /// Never fails.
  template <typename... Arguments>
  Ref create(Arguments&&... arguments) {
    auto roomy = std::find_if(pools_.begin(), pools_.end(), [](const auto& pool) { return has_room(*pool); });
    if (roomy == pools_.end()) {
      add();
      ++grown_;
      roomy = pools_.end() - 1;
    }
    Pool* const pool = roomy->get();  // a constructor may add pools
    return {pool, pool->create(std::forward<Arguments>(arguments)...)};
  }
  /// `ref` may lie in the object.
  void destroy(Ref ref) {
    ++busy_;  // the destructor may destroy others
    ref.pool->destroy(ref.ref);
    if (--busy_ == 0 && ref.pool->size() == 0) give_back();
  }
  Object* get(const Ref& ref) const { return ref.pool->get(ref.ref); }

  template <typename F>
  void each(F&& f) {
    const Walk walk(*this);
    for (std::size_t pool = 0, pools = pools_.size(); pool < pools; ++pool) pools_[pool]->each(f);
  }
  template <typename F>
  void update(F&& f) {
    const Walk walk(*this);
    for (std::size_t pool = 0, pools = pools_.size(); pool < pools; ++pool) pools_[pool]->update(f);
  }

  std::size_t size() const {
    return sum([](const Pool& pool) { return pool.size(); });
  }
  std::size_t capacity() const {
    return sum([](const Pool& pool) { return pool.capacity(); });
  }
  std::size_t memory_bytes() const {
    return sum([](const Pool& pool) { return pool.memory_bytes(); }) + sizeof(*this);
  }
  std::size_t grown() const { return grown_; }            ///< pools added since the beginning
  std::size_t given_back() const { return given_back_; }  ///< and given back

 private:
  // While one lives, pools are added but none is given back.
  struct Walk {
    explicit Walk(OverflowPool& pool) : pools(pool) { ++pools.busy_; }
    ~Walk() {
      if (--pools.busy_ == 0) pools.give_back();
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    OverflowPool& pools;
  };

  static bool has_room(const Pool& pool) { return pool.size() < pool.capacity(); }
  void add() { pools_.push_back(std::make_unique<Pool>(step_)); }
  // The first pool stays.
  void give_back() {
    given_back_ += static_cast<std::size_t>(
        pools_.end() - std::remove_if(pools_.begin() + 1, pools_.end(), [](const auto& p) { return p->size() == 0; }));
    pools_.resize(1 + grown_ - given_back_);
  }
  template <typename Of>
  std::size_t sum(Of of) const {
    std::size_t total = 0;
    for (const auto& pool : pools_) total += of(*pool);
    return total;
  }

  std::size_t step_, grown_ = 0, given_back_ = 0, busy_ = 0;
  std::vector<std::unique_ptr<Pool>> pools_;
};

}  // namespace lab::designs
