// Runs of equal ids, found by vectors. A tile of 4,096 pixels takes two passes:
//
// 1. A word of 64 bits for each 64 pixels: which of them differ from the pixel before. Nothing depends on the image, so
//    this runs as fast as the image can be read.
// 2. Each set bit ends a run, whose length is added to the counter of its id. How many bits of a word are set cannot be
//    predicted, and a mispredicted branch costs as much as several runs. So each word takes a fixed number of steps,
//    which is chosen for the tile by its mean; a step too many finds no bit, counts the rest of the word and then 0
//    pixels. Only a word with more bits needs a branch. A word's steps wait for each other, so four words take theirs
//    in turns, each with a table of its own.
//
// The second pass asks for the next tile's memory while it works on this one. A tile of very short runs is counted
// pixel by pixel.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "variants/object_visibility/family/counting.h"

namespace lab::object_visibility {

namespace {

#define LAB_VECTORS __attribute__((target("avx2,bmi,popcnt")))

constexpr std::size_t kWord = 64, kTile = 64;    // pixels of a word, words of a tile
constexpr std::size_t kTogether = kSplitTables;  // words that take their steps in turns
constexpr std::size_t kVectors = kWord / 8;      // of a word
constexpr std::size_t kLines = kWord * 4 / 64;   // of the cache, of a word
constexpr double kMostBits = 18;                 // of a word, on average; then it counts pixel by pixel

using Tables = std::array<std::uint32_t*, kTogether>;

inline __attribute__((always_inline)) LAB_VECTORS __m256i load(const std::uint32_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

/// Asks for memory that may lie beyond the image, which no pointer into the image may do.
inline __attribute__((always_inline)) void prefetch(const std::uint32_t* ids, std::size_t ahead) {
  _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(ids) + ahead * sizeof *ids), _MM_HINT_T0);
}

/// Bit i: ids[i] differs from ids[i - 1]. `most` becomes the largest id in each lane.
inline __attribute__((always_inline)) LAB_VECTORS std::uint64_t ends_of_runs(const std::uint32_t* ids, __m256i& most) {
  __m256i same[kVectors];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kVectors; ++i) {
    const __m256i here = load(ids + 8 * i);
    most = _mm256_max_epu32(most, here);
    same[i] = _mm256_cmpeq_epi32(here, load(ids + 8 * i - 1));
  }
  // Packing takes the halves of its operands in turns.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  std::uint64_t equal = 0;
#pragma GCC unroll 2
  for (std::size_t i = 0; i < kVectors; i += 4) {
    const __m256i bytes =
        _mm256_packs_epi16(_mm256_packs_epi32(same[i], same[i + 1]), _mm256_packs_epi32(same[i + 2], same[i + 3]));
    const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)));
    equal |= std::uint64_t{bits} << (8 * i);
  }
  return ~equal;
}

/// What is left of a word.
struct Rest {
  std::uint64_t ends;
  std::uint64_t counted = 0;  // of its pixels
};
/// Counts to the end of the run, or of the word.
inline __attribute__((always_inline)) LAB_VECTORS void step(Rest& rest, const std::uint32_t* ids,
                                                            std::uint32_t* table) {
  const std::uint64_t end = _tzcnt_u64(rest.ends);
  rest.ends = _blsr_u64(rest.ends);
  rest.counted -= end;  // the length, below 0
  table[ids[static_cast<std::ptrdiff_t>(end) - 1]] -= static_cast<std::uint32_t>(rest.counted);
  rest.counted = end;
}

template <std::size_t kSteps>
LAB_VECTORS void count_tile(const std::uint64_t* ends, const std::uint32_t* ids, std::size_t words,
                            const Tables& tables) {
  for (std::size_t word = 0; word < words; word += kTogether, ids += kTogether * kWord) {
    for (std::size_t line = 0; line < kTogether * kLines; line += 2) prefetch(ids, kTile * kWord + 16 * line);
    std::array<Rest, kTogether> rest{{{ends[word]}, {ends[word + 1]}, {ends[word + 2]}, {ends[word + 3]}}};
#pragma GCC unroll 32
    for (std::size_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kTogether; ++k) step(rest[k], ids + k * kWord, tables[k]);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kTogether; ++k)
      while (__builtin_expect(rest[k].counted != kWord, 0)) step(rest[k], ids + k * kWord, tables[k]);
  }
}

void count_pixel_by_pixel(const std::uint32_t* ids, std::size_t pixels, const Tables& tables) {
  for (std::size_t i = 0; i < pixels; i += kTogether)
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kTogether; ++k) ++tables[k][ids[i + k]];
}

/// The steps that nearly all words have with so many set bits on average.
struct Steps {
  double bits;
  void (*count)(const std::uint64_t* ends, const std::uint32_t* ids, std::size_t words, const Tables& tables);
};
constexpr std::array<Steps, 10> kSteps{{{0.05, count_tile<1>},
                                        {0.25, count_tile<2>},
                                        {0.7, count_tile<3>},
                                        {1.5, count_tile<4>},
                                        {3, count_tile<6>},
                                        {4.5, count_tile<8>},
                                        {6.5, count_tile<11>},
                                        {9, count_tile<13>},
                                        {12, count_tile<18>},
                                        {kMostBits, count_tile<24>}}};

LAB_VECTORS bool count_vectors(const std::uint32_t* ids, std::size_t pixels, std::uint32_t largest,
                               const Tables& tables) {
  // The first pixel has none before it.
  if (ids[0] > largest) return false;
  ++tables[0][ids[0]];
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(largest));
  std::array<std::uint64_t, kTile> ends;
  std::size_t at = 1;
  for (std::size_t words; (words = std::min(kTile, (pixels - at) / kWord / kTogether * kTogether)) > 0;
       at += words * kWord) {
    __m256i most = _mm256_setzero_si256();
    std::size_t bits = 0;
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint32_t* const here = ids + at + word * kWord;
      for (std::size_t line = 1; line < kLines; line += 2) prefetch(here, kTile * kWord + 16 * line);
      ends[word] = ends_of_runs(here, most);
      bits += static_cast<std::size_t>(_mm_popcnt_u64(ends[word]));
    }
    // Before any of them is an index.
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(most, limit), limit)) != -1) return false;
    const double mean = static_cast<double>(bits) / static_cast<double>(words);
    const auto steps = std::ranges::find_if(kSteps, [mean](const Steps& s) { return mean < s.bits; });
    if (steps == kSteps.end())
      count_pixel_by_pixel(ids + at, words * kWord, tables);
    else
      steps->count(ends.data(), ids + at, words, tables);
  }
  for (; at < pixels; ++at) {
    if (ids[at] > largest) return false;
    ++tables[at % kTogether][ids[at]];
  }
  return true;
}

LAB_VECTORS std::uint32_t sum_wide(const std::uint32_t* ids, std::size_t pixels, std::size_t& at) {
  __m256i sums[4]{};
  for (at = 0; at + 32 <= pixels; at += 32)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) sums[i] = _mm256_add_epi32(sums[i], load(ids + at + 8 * i));
  std::array<std::uint32_t, 8> lanes;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()),
                      _mm256_add_epi32(_mm256_add_epi32(sums[0], sums[1]), _mm256_add_epi32(sums[2], sums[3])));
  std::uint32_t all = 0;
  for (const std::uint32_t lane : lanes) all += lane;
  return all;
}

std::uint32_t sum_narrow(const std::uint32_t* ids, std::size_t pixels, std::size_t& at) {
  __m128i sums[4]{};
  for (at = 0; at + 16 <= pixels; at += 16)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i)
      sums[i] = _mm_add_epi32(sums[i], _mm_loadu_si128(reinterpret_cast<const __m128i*>(ids + at + 4 * i)));
  std::array<std::uint32_t, 4> lanes;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes.data()),
                   _mm_add_epi32(_mm_add_epi32(sums[0], sums[1]), _mm_add_epi32(sums[2], sums[3])));
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

}  // namespace

std::string no_vectors() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? "" : "the processor has no AVX2 and BMI1";
}

bool count_runs_by_vectors(std::span<const std::uint32_t> ids, std::uint32_t largest, PartialTables& tables) {
  if (ids.empty()) return true;
  return count_vectors(ids.data(), ids.size(), largest,
                       {tables.table(0), tables.table(1), tables.table(2), tables.table(3)});
}

std::uint32_t sum_by_vectors(std::span<const std::uint32_t> ids) {
  static const bool wide = no_vectors().empty();
  std::size_t at = 0;
  std::uint32_t all = wide ? sum_wide(ids.data(), ids.size(), at) : sum_narrow(ids.data(), ids.size(), at);
  for (; at < ids.size(); ++at) all += ids[at];
  return all;
}

}  // namespace lab::object_visibility
