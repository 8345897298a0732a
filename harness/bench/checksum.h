/// The order-sensitive checksum with which a workload proves what it read back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lab::bench {

/// A chain of multiply-xorshift steps over 64-bit words. Each step is a bijection of the state for a given word, and of
/// the word for a given state. So one changed, dropped, doubled or moved word changes the sum, except with a
/// probability of 2^-64. Not cryptographic.
class Checksum {
 public:
  void word(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9fb21c651e98df25u;
    state_ ^= state_ >> 32;
    state_ = std::rotl(state_, 17) + 0x2545f4914f6cdd1du;
  }

  /// Adds `size` bytes at `data`, and the size itself.
  void bytes(const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    std::size_t left = size;
    for (; left >= 8; left -= 8, at += 8) {
      std::uint64_t value;
      std::memcpy(&value, at, 8);
      word(value);
    }
    std::uint64_t tail = 0;
    std::memcpy(&tail, at, left);
    word(tail);
    word(size);
  }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x6c61622d73756d31u;
};

}  // namespace lab::bench
