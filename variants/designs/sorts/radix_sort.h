/// Least-significant-digit radix sort of 64-bit keys that carry values.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lab::designs {

/// Keys and values in two arrays: entry i is keys[i] with values[i]. Both types are vectors, or swap as cheaply.
template <typename Keys, typename Values>
struct KeyedArrays {
  Keys keys;
  Values values;
};

/// Sorts the first `count` entries by key, ascending and stable. Later entries are lost. `scratch` must be as large as
/// `arrays`; its contents are unspecified afterwards, because the two may be swapped. O(count) per digit of 8 bits; a
/// digit that is equal in all keys costs only its histogram.
template <typename Keys, typename Values>
void radix_sort(KeyedArrays<Keys, Values>& arrays, KeyedArrays<Keys, Values>& scratch, std::size_t count) {
  constexpr std::size_t kDigits = sizeof(std::uint64_t);
  constexpr std::size_t kRadix = 256;
  assert(count <= arrays.keys.size() && count <= scratch.keys.size());
  if (count < 2) return;

  const auto digit_of = [](std::uint64_t key, std::size_t digit) -> std::size_t { return key >> (8 * digit) & 0xff; };
  std::array<std::array<std::size_t, kRadix>, kDigits> histograms{};
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t digit = 0; digit < kDigits; ++digit) ++histograms[digit][digit_of(arrays.keys[i], digit)];

  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::array<std::size_t, kRadix>& places = histograms[digit];
    if (places[digit_of(arrays.keys[0], digit)] == count) continue;
    std::size_t sum = 0;
    for (std::size_t& place : places) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = places[digit_of(arrays.keys[i], digit)]++;
      scratch.keys[to] = arrays.keys[i];
      scratch.values[to] = std::move(arrays.values[i]);
    }
    std::swap(arrays.keys, scratch.keys);
    std::swap(arrays.values, scratch.values);
  }
}

}  // namespace lab::designs
