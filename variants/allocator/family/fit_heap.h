/// A fit over leaves (BitmapFit, DeferredFit) in its own buffer, with its bookkeeping at the buffer's end.
#pragma once

#include <map>
#include <string>

#include "variants/allocator/family/allocator.h"
#include "variants/designs/offsets/bitmap_fit.h"

namespace lab::allocator {

template <typename Fit>
class FitHeap {
 public:
  explicit FitHeap(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)), leaves_(leaves_within(buffer_)), fit_(leaves_, block_at(leaves_)) {}

  void* allocate(std::size_t bytes) {
    if (bytes > largest_request()) return nullptr;
    const Leaf first = fit_.allocate(leaves_of(bytes));
    return first == designs::BitmapFit::kNone ? nullptr : block_at(first);
  }

  std::size_t alignment(std::size_t) const { return kLeafBytes; }
  std::size_t occupied(const void*, std::size_t bytes) const { return std::size_t{leaves_of(bytes)} * kLeafBytes; }
  std::size_t largest_request() const { return std::size_t{leaves_} * kLeafBytes; }
  std::size_t capacity(std::size_t bytes) const { return bytes > largest_request() ? 0 : leaves_ / leaves_of(bytes); }
  std::size_t leaf_bytes() const { return kLeafBytes; }

 protected:
  using Leaf = designs::BitmapFit::Leaf;
  static constexpr std::size_t kLeafBytes = 64;

  static Leaf leaves_of(std::size_t bytes) {
    return static_cast<Leaf>((bytes + (bytes == 0) + kLeafBytes - 1) / kLeafBytes);
  }
  Leaf leaf_at(const void* block) const {
    return static_cast<Leaf>(static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin()) / kLeafBytes);
  }

  double external_fragmentation(const designs::BitmapFit& fit) const {
    double free = 0;
    fit.for_each_free([&](Leaf, Leaf leaves) { free += leaves; });
    return free == 0 ? 0 : 1 - fit.largest_free() / free;
  }
  std::map<std::string, double> counters(const designs::BitmapFit& fit) const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", static_cast<double>(designs::BitmapFit::metadata_bytes(leaves_))},
            {"leaf_bytes", static_cast<double>(kLeafBytes)},
            {"external_fragmentation", external_fragmentation(fit)}};
  }

 private:
  // Each block rounds up to leaves. The half is for free runs that are too short, and the bookkeeping.
  static std::size_t buffer_bytes(const Demand& demand) {
    return demand.bytes + demand.bytes / 2 + (demand.blocks + 128) * kLeafBytes;
  }
  static Leaf leaves_within(const Buffer& buffer) {
    const Leaf leaves = designs::BitmapFit::leaves_within(buffer.bytes(), kLeafBytes);
    if (leaves == 0) out_of_memory(buffer.bytes());
    return leaves;
  }
  std::byte* begin() const { return static_cast<std::byte*>(buffer_.begin()); }
  std::byte* block_at(Leaf leaf) const { return begin() + std::size_t{leaf} * kLeafBytes; }

  Buffer buffer_;
  Leaf leaves_;

 protected:
  Fit fit_;
};

}  // namespace lab::allocator
