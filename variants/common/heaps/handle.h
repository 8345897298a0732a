/// How code that serves allocators over addresses and over offsets names a block: by a pointer or an unsigned integer.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace lab {

template <typename H>
concept BlockHandle = std::is_pointer_v<H> || std::unsigned_integral<H>;

/// What an allocator returns if it has no block: a null pointer, or the largest offset.
template <BlockHandle H>
constexpr bool is_none(H handle) {
  if constexpr (std::is_pointer_v<H>)
    return handle == nullptr;
  else
    return handle == static_cast<H>(~H{0});
}

/// The address, or the offset itself.
template <BlockHandle H>
std::uint64_t position_of(H handle) {
  if constexpr (std::is_pointer_v<H>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return handle;
}

template <BlockHandle H>
H handle_at(std::uint64_t position) {
  if constexpr (std::is_pointer_v<H>)
    return reinterpret_cast<H>(static_cast<std::uintptr_t>(position));
  else
    return static_cast<H>(position);
}

}  // namespace lab
