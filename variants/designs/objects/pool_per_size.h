/// One pool for each type, and so for each size: no slot is larger than what lies in it, and no freed slot is too small
/// for the next object of its type (Nystrom, Object Pool: "splitting the pool into separate pools"). From inside an
/// object: what slots.h says, for objects of all types.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "variants/designs/objects/slots.h"

namespace lab::designs {

template <template <typename> class Pool, typename... Ts>
class PoolPerSize {
 public:
  static constexpr std::size_t kTypes = sizeof...(Ts);
  static constexpr std::array<std::size_t, kTypes> kBytes{sizeof(Ts)...};

  /// `capacities`: of each type.
  explicit PoolPerSize(const std::array<std::size_t, kTypes>& capacities)
      : PoolPerSize(capacities, std::make_index_sequence<kTypes>()) {}
  // While all pools are there: a destructor may use any of them.
  ~PoolPerSize() {
    for (bool all_empty = false; !all_empty;)
      all_empty = std::apply([](auto&... pool) { return (ends_nothing(pool) & ...); }, pools_);
  }

  template <std::size_t kType>
  auto& pool() {
    return std::get<kType>(pools_);
  }
  std::size_t memory_bytes() const {
    return std::apply([](const auto&... pool) { return (pool.memory_bytes() + ...); }, pools_);
  }

 private:
  template <std::size_t... kType>
  PoolPerSize(const std::array<std::size_t, kTypes>& capacities, std::index_sequence<kType...>)
      : pools_(capacities[kType]...) {}

  // Ends the objects of a pool that does so itself. False: their destructors may have created others elsewhere.
  template <typename Of>
  static bool ends_nothing(Of& pool) {
    using T = typename Of::Object;
    if constexpr (!std::is_trivially_destructible_v<T> && requires { pool.update([](T&) { return true; }); }) {
      if (pool.size() == 0) return true;
      end_all(pool);
      return false;
    } else {
      return true;
    }
  }

  std::tuple<Pool<Ts>...> pools_;
};

}  // namespace lab::designs
