/// Lists of free spaces by size, found by two bit scans: what tlsf.h and float_bins.h have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "variants/designs/offsets/range_nodes.h"
#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// A list for each bin of SizeBins<kBits>; the last space that came into a bin is the first of its list. kMostTries: of
/// a request's own bin, if no higher one has a space. 1 finds a request of the whole range, too.
template <unsigned kBits, unsigned kMostTries>
class SizeLists {
 public:
  using Index = RangeNodes::Index;
  static constexpr Index kNone = RangeNodes::kEnds;

  /// A space of at least `bytes` (at least 1), or kNone.
  Index find(const RangeNodes& nodes, std::uint64_t bytes) const {
    const unsigned bin = nonempty_.first_from(Bins::holding(bytes));
    return bin != kNoBin ? heads_[bin] : in_own_bin(nodes, bytes);
  }
  /// The largest request that find() serves; 0 if none.
  std::uint64_t largest(const RangeNodes& nodes) const {
    const unsigned bin = nonempty_.last();
    std::uint64_t bytes = 0;
    if (bin == kNoBin) return bytes;
    Index space = heads_[bin];
    for (unsigned tries = 0; tries < kMostTries && space != kNone; ++tries, space = nodes[space].links.next)
      bytes = std::max(bytes, nodes[space].bytes());
    return bytes;
  }

  void add(RangeNodes& nodes, Index space) { link(nodes, space, Bins::of(nodes[space].state)); }
  void remove(RangeNodes& nodes, Index space) { unlink(nodes, space, Bins::of(nodes[space].state)); }
  void resize(RangeNodes& nodes, Index space, std::uint64_t bytes) {
    const unsigned from = Bins::of(nodes[space].state), to = Bins::of(bytes);
    nodes[space].state = bytes;
    if (from == to) return;
    unlink(nodes, space, from);
    link(nodes, space, to);
  }

 private:
  using Bins = SizeBins<kBits, std::uint64_t>;
  static constexpr unsigned kBins = Bins::kCount + 1;  // holding() may be one behind the last
  static constexpr unsigned kNoBin = BinSet<kBins>::kNone;

  // A link to kNone is written like any other: nobody reads that node's, and a branch would often be mispredicted.
  void link(RangeNodes& nodes, Index space, unsigned bin) {
    const Index head = heads_[bin];
    nodes[space].links = {head, kNone};
    nodes[head].links.previous = space;
    heads_[bin] = space;
    nonempty_.add(bin);
  }
  void unlink(RangeNodes& nodes, Index space, unsigned bin) {
    const auto [next, previous] = nodes[space].links;
    nodes[next].links.previous = previous;
    if (previous != kNone) {
      nodes[previous].links.next = next;
      return;
    }
    heads_[bin] = next;
    if (next == kNone) nonempty_.remove(bin);
  }
  Index in_own_bin(const RangeNodes& nodes, std::uint64_t bytes) const {
    Index space = heads_[Bins::of(bytes)];
    for (unsigned tries = 0; tries < kMostTries && space != kNone; ++tries, space = nodes[space].links.next)
      if (nodes[space].state >= bytes) return space;
    return kNone;
  }

  BinSet<kBins> nonempty_;
  std::array<Index, kBins> heads_{};  // kNone
};

}  // namespace lab::designs
