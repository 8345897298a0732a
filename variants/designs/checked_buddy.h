/// A buddy allocator that knows its live blocks and ends the process where something else is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "variants/designs/buddy.h"

namespace lab::designs {

/// Buddy, with a byte for each leaf beside it. A free of what is no live block (freed twice, inside of a block, the
/// metadata, somebody else's), or of one with a size that has another block_bytes(), prints what it found to standard
/// error and aborts. O(1) a call, and as many steps as the buffer has leaves before it aborts.
class CheckedBuddy : public Buddy {
 public:
  explicit CheckedBuddy(const BuddyLayout& layout);

  void* allocate(std::size_t bytes);
  void free(void* block);
  void free(void* block, std::size_t bytes);
  void reset();

 private:
  std::size_t leaf_of(const void* block) const;
  /// Forgets the block; returns log2 of its size.
  unsigned forget(const void* block);
  [[noreturn]] void refuse(const void* block) const;

  // Of the block that begins at each leaf: log2 of its size; 0: no live block begins there.
  std::vector<std::uint8_t> live_;
};

#ifdef NDEBUG
inline constexpr bool kCheckedBuild = false;
#else
inline constexpr bool kCheckedBuild = true;
#endif

/// Checked wherever assertions are (debug, asan, tsan), and Buddy itself in what is measured.
using BuddyOfBuild = std::conditional_t<kCheckedBuild, CheckedBuddy, Buddy>;

}  // namespace lab::designs
