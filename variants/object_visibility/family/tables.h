/// Tables of counters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lab::object_visibility {

/// Several tables of the same ids, each with room behind it: the counters of one id must not lie a multiple of 4 KiB
/// apart, because a processor takes such addresses for the same.
class PartialTables {
 public:
  explicit PartialTables(std::size_t tables) : tables_(tables) {}

  /// With zeros. Memory is kept.
  void clear(std::size_t ids) {
    stride_ = ids + 16 - ids % 16 + 16;
    counters_.assign(tables_ * stride_, 0);
  }
  std::uint32_t* table(std::size_t i) { return counters_.data() + i * stride_; }
  void add_up(std::span<std::uint32_t> counts) const {
    std::copy_n(counters_.begin(), counts.size(), counts.begin());
    for (std::size_t i = 1; i < tables_; ++i)
      for (std::size_t id = 0; id < counts.size(); ++id) counts[id] += counters_[i * stride_ + id];
  }

 private:
  std::size_t tables_, stride_ = 0;
  std::vector<std::uint32_t> counters_;
};

}  // namespace lab::object_visibility
