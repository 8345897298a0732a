#include "variants/allocator/family/conformance.h"

#include <fmt/format.h>

#include <bit>

namespace lab::allocator {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

/// The eight bytes of the pattern from byte `at` on, a multiple of kWord. Whole words are faster than bytes, and one
/// check fills some hundred MiB.
std::uint64_t pattern_word(std::uint64_t pattern, std::size_t at) {
  const std::uint64_t mixed = pattern * 0x9e3779b97f4a7c15u + at * 0xd6e8feb86659fd93u;
  return mixed ^ mixed >> 32;
}

}  // namespace

std::string Ledger::add(void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto after = blocks_.lower_bound(address);
  if (after != blocks_.end() && after->first == address)
    return fmt::format("a block of {} bytes has the same address as one of {} bytes", bytes, after->second.bytes);
  if (after != blocks_.end() && after->first < address + std::max<std::size_t>(bytes, 1))
    return fmt::format("a block of {} bytes overlaps the first {} bytes of a block of {} bytes", bytes,
                       address + bytes - after->first, after->second.bytes);
  if (after != blocks_.begin()) {
    const auto& [other, entry] = *std::prev(after);
    if (address < other + std::max<std::size_t>(entry.bytes, 1))
      return fmt::format("a block of {} bytes begins at byte {} of a block of {} bytes", bytes, address - other,
                         entry.bytes);
  }
  const Entry entry{bytes, ++patterns_};
  blocks_.emplace(address, entry);
  auto* const to = static_cast<unsigned char*>(begin);
  for (std::size_t at = 0; at < bytes; at += kWord) {
    const std::uint64_t word = pattern_word(entry.pattern, at);
    std::memcpy(to + at, &word, std::min(kWord, bytes - at));
  }
  return "";
}

std::string Ledger::remove(void* begin) {
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(begin));
  const Entry entry = found->second;
  blocks_.erase(found);
  const auto* const from = static_cast<const unsigned char*>(begin);
  for (std::size_t at = 0; at < entry.bytes; at += kWord) {
    const std::uint64_t word = pattern_word(entry.pattern, at);
    const std::size_t some = std::min(kWord, entry.bytes - at);
    if (std::memcmp(from + at, &word, some) == 0) continue;
    unsigned char written[kWord];
    std::memcpy(written, &word, kWord);
    const auto off = static_cast<std::size_t>(std::mismatch(written, written + some, from + at).first - written);
    return fmt::format("byte {} of a live block of {} bytes: expected {:#04x}, found {:#04x}", at + off, entry.bytes,
                       written[off], from[at + off]);
  }
  return "";
}

std::pair<void*, Ledger::Entry> Ledger::lowest() const {
  return {reinterpret_cast<void*>(blocks_.begin()->first), blocks_.begin()->second};
}

void* observed(void* block) {
  return block;
}

std::vector<std::size_t> edge_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 2};
  for (std::size_t power = 4; power <= largest; power *= 2) sizes.insert(sizes.end(), {power - 1, power, power + 1});
  return sizes;
}

std::vector<std::vector<std::size_t>> swept_sizes() {
  constexpr std::size_t kGroup = 512, kAround = 8, kMost = 128 * 1024;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t first = 1; first <= kPageBytes; first += kGroup) {
    groups.emplace_back(kGroup);
    std::iota(groups.back().begin(), groups.back().end(), first);
  }
  for (std::size_t step = kPageBytes; step <= kMost; step += std::bit_floor(step) / 4) {
    groups.emplace_back(2 * kAround + 1);
    std::iota(groups.back().begin(), groups.back().end(), step - kAround);
  }
  return groups;
}

std::string misaligned(const void* block, std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment))
    return fmt::format("the promised alignment of a block of {} bytes is {}, which is not a power of two", bytes,
                       alignment);
  const std::size_t off = reinterpret_cast<std::uintptr_t>(block) % alignment;
  return off == 0 ? ""
                  : fmt::format("the address of a block of {} bytes is {} bytes past its alignment of {}", bytes, off,
                                alignment);
}

std::string too_small(std::size_t bytes, std::size_t occupied) {
  return occupied >= bytes ? "" : fmt::format("occupied() of a block of {} bytes is {}", bytes, occupied);
}

std::string refused(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned null", bytes);
}

std::string served(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned a block, expected null", bytes);
}

}  // namespace lab::allocator
