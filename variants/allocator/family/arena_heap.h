/// A design of designs/addresses over one arena, as a variant needs it. Each variant adds what a block occupies, and
/// free() if it is another one than by pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "variants/allocator/family/allocator.h"
#include "variants/allocator/family/free_memory.h"

namespace lab::allocator {

/// The smallest arena, in whole pages, in which a request of one page succeeds. An allocator that adds anything to a
/// block needs a second page. 0 if kMostPages are too few.
template <typename Design>
std::size_t page_request_bytes() {
  constexpr std::size_t kMostPages = 16;
  const Buffer buffer(kMostPages * kPageBytes);
  for (std::size_t pages = 1; pages <= kMostPages; ++pages)
    if (Design(buffer.begin(), pages * kPageBytes).allocate(kPageBytes) != nullptr) return pages * kPageBytes;
  return 0;
}

template <typename Design>
class ArenaHeap {
 public:
  /// In an arena of `times` the live bytes, for what lies free between live blocks, and `extra_bytes`.
  ArenaHeap(const Demand& demand, std::size_t times, std::size_t extra_bytes)
      : buffer_(demand, times * demand.bytes + demand.blocks * kPerBlock + extra_bytes),
        design_(buffer_.begin(), buffer_.bytes()) {}

  void* allocate(std::size_t bytes) { return design_.allocate(bytes); }
  void* allocate(std::size_t bytes, std::uint64_t& passed) requires requires(Design& design) {
    design.allocate(bytes, passed);
  }
  { return design_.allocate(bytes, passed); }
  void free(void* block) { design_.free(block); }
  std::size_t largest_request() const { return design_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return design_.capacity(bytes); }

 protected:
  std::map<std::string, double> counters_with(double metadata_bytes, double external_fragmentation) const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", metadata_bytes},
            {"external_fragmentation", external_fragmentation},
            {"page_request_bytes", static_cast<double>(page_request_bytes<Design>())}};
  }

  static constexpr std::size_t kPerBlock = 64;

  Buffer buffer_;
  Design design_;
};

}  // namespace lab::allocator
