/// The linear allocators in a buffer of their own: blocks come one after the other, and all are freed at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "variants/allocator/family/allocator.h"
#include "variants/designs/addresses/linear.h"

namespace lab::allocator {

/// `Design` rounds sizes up to kGranule and is constructed from a buffer, its bytes and `more`.
template <typename Design, std::size_t kGranule>
class LinearHeap {
 public:
  static constexpr bool kThreadSafe = requires { requires Design::kThreadSafe; };

  template <typename... More>
  explicit LinearHeap(const Demand& demand, More&&... more)
      : buffer_(demand, demand.bytes + demand.blocks * kGranule),
        linear_(buffer_.begin(), buffer_.bytes(), std::forward<More>(more)...) {}

  void* allocate(std::size_t bytes) { return linear_.allocate(bytes); }
  void reset() { linear_.reset(); }

  std::size_t alignment(std::size_t) const { return kGranule; }
  std::size_t occupied(const void*, std::size_t bytes) const {
    return designs::round_up(std::max<std::size_t>(bytes, 1), kGranule);
  }
  std::size_t largest_request() const { return linear_.capacity(); }
  std::size_t capacity(std::size_t bytes) const { return linear_.capacity(bytes); }
  std::size_t leaf_bytes() const requires requires(const Design& design) { design.leaf_bytes(); }
  { return linear_.leaf_bytes(); }
  std::size_t allocated_bytes() const requires requires(const Design& design) { design.allocated_bytes(); }
  { return linear_.allocated_bytes(); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", 0},
            {"used_bytes", static_cast<double>(linear_.used())}};
  }

 private:
  Buffer buffer_;
  Design linear_;
};

}  // namespace lab::allocator
