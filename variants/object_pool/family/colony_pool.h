/// plf::colony behind the interface of a pool: blocks of up to 8192 objects, with a skipfield.
#pragma once

#include <plf_colony.h>

#include <cstddef>
#include <utility>

namespace lab::object_pool {

template <typename T>
class ColonyPool {
 public:
  using Object = T;
  /// An iterator: colony erases by it. Default-made: none.
  using Ref = typename plf::colony<T>::iterator;

  explicit ColonyPool(std::size_t capacity) : capacity_(capacity) { colony_.reserve(capacity); }

  template <typename... Arguments>
  Ref create(Arguments&&... arguments) {
    if (colony_.size() == capacity_) return {};
    return colony_.emplace(std::forward<Arguments>(arguments)...);
  }
  void destroy(const Ref& ref) { colony_.erase(ref); }
  T* get(const Ref& ref) const { return &*ref; }

  template <typename F>
  void each(F&& f) {
    for (T& object : colony_) f(object);
  }
  template <typename F>
  void update(F&& f) {
    for (auto at = colony_.begin(); at != colony_.end();) {
      if (f(*at))
        at = colony_.erase(at);
      else
        ++at;
    }
  }

  std::size_t size() const { return colony_.size(); }
  std::size_t capacity() const { return capacity_; }
  std::size_t memory_bytes() const { return colony_.memory(); }

 private:
  std::size_t capacity_;
  plf::colony<T> colony_;
};

}  // namespace lab::object_pool
