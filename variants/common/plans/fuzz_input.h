/// The bytes of a fuzzer, one after the other.
#pragma once

#include <cstdint>
#include <span>

namespace lab {

class FuzzInput {
 public:
  explicit FuzzInput(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  bool ended() const { return left_.empty(); }
  /// 0 behind the end.
  std::uint8_t next() {
    if (left_.empty()) return 0;
    const std::uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace lab
