#include "variants/common/heaps/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace lab {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

/// The eight bytes of the pattern from byte `at` on, a multiple of kWord. Whole words are faster than bytes, and one
/// check fills some hundred MiB.
std::uint64_t pattern_word(std::uint64_t pattern, std::size_t at) {
  const std::uint64_t mixed = pattern * 0x9e3779b97f4a7c15u + at * 0xd6e8feb86659fd93u;
  return mixed ^ mixed >> 32;
}

// Copies and comparisons of a constant size are single instructions. One that is shorter at the end would make all of
// them calls of the C library.
void fill(unsigned char* to, std::size_t bytes, std::uint64_t pattern) {
  std::size_t at = 0;
  for (; bytes - at >= kWord; at += kWord) {
    const std::uint64_t word = pattern_word(pattern, at);
    std::memcpy(to + at, &word, kWord);
  }
  const std::uint64_t last = pattern_word(pattern, at);
  std::memcpy(to + at, &last, bytes - at);
}

/// "", or the first byte that is not as fill() wrote it.
std::string difference(const unsigned char* from, std::size_t bytes, std::uint64_t pattern) {
  std::size_t at = 0;
  for (; bytes - at >= kWord; at += kWord) {
    std::uint64_t found;
    std::memcpy(&found, from + at, kWord);
    if (found != pattern_word(pattern, at)) break;
  }
  // The word that differs, or the bytes after the last whole one.
  if (const std::size_t some = std::min(kWord, bytes - at); some > 0) {
    const std::uint64_t word = pattern_word(pattern, at);
    if (std::memcmp(from + at, &word, some) == 0) return "";
    unsigned char written[kWord];
    std::memcpy(written, &word, kWord);
    const auto off = static_cast<std::size_t>(std::mismatch(written, written + some, from + at).first - written);
    return fmt::format("byte {} of a live block of {} bytes: expected {:#04x}, found {:#04x}", at + off, bytes,
                       written[off], from[at + off]);
  }
  return "";
}

}  // namespace

std::string LedgerOfPositions::add(std::uint64_t begin, std::size_t bytes, void* contents) {
  const auto after = blocks_.lower_bound(begin);
  if (after != blocks_.end() && after->first == begin)
    return fmt::format("a block of {} bytes begins where one of {} bytes does", bytes, after->second.bytes);
  if (after != blocks_.end() && after->first < begin + std::max<std::size_t>(bytes, 1))
    return fmt::format("a block of {} bytes overlaps the first {} bytes of a block of {} bytes", bytes,
                       begin + bytes - after->first, after->second.bytes);
  if (after != blocks_.begin()) {
    const auto& [other, entry] = *std::prev(after);
    if (begin < other + std::max<std::size_t>(entry.bytes, 1))
      return fmt::format("a block of {} bytes begins at byte {} of a block of {} bytes", bytes, begin - other,
                         entry.bytes);
  }
  const Entry entry{bytes, ++patterns_};
  blocks_.emplace(begin, entry);
  if (contents != nullptr) fill(static_cast<unsigned char*>(contents), bytes, entry.pattern);
  return "";
}

std::string LedgerOfPositions::remove(std::uint64_t begin, const void* contents) {
  const auto found = blocks_.find(begin);
  const Entry entry = found->second;
  blocks_.erase(found);
  return contents == nullptr ? "" : difference(static_cast<const unsigned char*>(contents), entry.bytes, entry.pattern);
}

std::pair<std::uint64_t, std::size_t> LedgerOfPositions::lowest() const {
  return {blocks_.begin()->first, blocks_.begin()->second.bytes};
}

}  // namespace lab
