/// The buddy allocator over offsets, with a record of every change of its tree. For pictures and tests: the allocators
/// that are measured have no observer.
#pragma once

#include <cstddef>
#include <vector>

#include "variants/designs/offsets/buddy.h"

namespace lab::designs {

/// A change of a tree of blocks: a block became two, or two became one.
struct BuddyChange {
  enum class Kind { kSplit, kMerge };

  Kind kind;
  BuddyLayout::Position begin;  ///< of the larger block
  std::size_t bytes;
  friend bool operator==(const BuddyChange&, const BuddyChange&) = default;
};

class RecordedBuddyStore : public BuddyStoreBeside {
 public:
  using BuddyStoreBeside::BuddyStoreBeside;
  void on_split(BuddyLayout::Position block, std::size_t bytes) {
    changes_.push_back({BuddyChange::Kind::kSplit, block, bytes});
  }
  void on_merge(BuddyLayout::Position block, std::size_t bytes) {
    changes_.push_back({BuddyChange::Kind::kMerge, block, bytes});
  }
  /// Since the tree was made.
  const std::vector<BuddyChange>& changes() const { return changes_; }

 private:
  std::vector<BuddyChange> changes_;
};

using RecordedBuddy = BuddyTree<RecordedBuddyStore>;

}  // namespace lab::designs
