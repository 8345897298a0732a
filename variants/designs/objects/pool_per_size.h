/// One pool for each type, and so for each size: no slot is larger than what lies in it, and no freed slot is too small
/// for the next object of its type (Nystrom, Object Pool: "splitting the pool into separate pools").
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace lab::designs {

template <template <typename> class Pool, typename... Ts>
class PoolPerSize {
 public:
  static constexpr std::size_t kTypes = sizeof...(Ts);
  static constexpr std::array<std::size_t, kTypes> kBytes{sizeof(Ts)...};

  /// `capacities`: of each type.
  explicit PoolPerSize(const std::array<std::size_t, kTypes>& capacities)
      : PoolPerSize(capacities, std::make_index_sequence<kTypes>()) {}

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

  std::tuple<Pool<Ts>...> pools_;
};

}  // namespace lab::designs
