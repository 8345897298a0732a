/// A list of numbers that finds its first one that is at least x.
///
/// Idea: a complete binary tree over the list in an array, each node with the maximum of its two children.
/// Cost: O(log n) to find and to change one; O(n) to build. 16 to 32 bytes for each number.
/// Source: the segment tree (Bentley, 1977), reduced to one query.
/// Weakness: the length is fixed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::designs {

class MaximumTree {
 public:
  explicit MaximumTree(const std::vector<std::uint64_t>& numbers)
      : size_(numbers.size()), leaves_(std::bit_ceil(numbers.size())), nodes_(2 * leaves_) {
    std::ranges::copy(numbers, nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node)
      nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
  }

  /// The index of the first number that is at least x, or size(). x is at least 1.
  std::size_t first_from(std::uint64_t x) const {
    if (nodes_[1] < x) return size_;
    std::size_t node = 1;
    while (node < leaves_) node = 2 * node + (nodes_[2 * node] < x);
    return node - leaves_;
  }
  void set(std::size_t index, std::uint64_t number) {
    std::size_t node = leaves_ + index;
    nodes_[node] = number;
    while ((node /= 2) > 0) nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_, leaves_;
  std::vector<std::uint64_t> nodes_;  // the root is 1, the children of n are 2 n and 2 n + 1
};

}  // namespace lab::designs
