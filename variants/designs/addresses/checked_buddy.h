/// A buddy allocator that tracks its live blocks and aborts on an invalid free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "variants/designs/addresses/buddy.h"

namespace lab::designs {

/// Buddy with one more byte per leaf. An invalid free (a double free, an address inside a block, the metadata, memory
/// of another allocator, or a size with another block_bytes()) prints the finding to standard error and aborts. O(1)
/// per call; O(leaves) before an abort.
class CheckedBuddy : public Buddy {
 public:
  explicit CheckedBuddy(const BuddyLayout& layout);

  void* allocate(std::size_t bytes);
  void free(void* block);
  void free(void* block, std::size_t bytes);
  void reset();

 private:
  std::size_t leaf_of(const void* block) const;
  /// Removes the block from the live ones; returns log2 of its size.
  unsigned forget(const void* block);
  [[noreturn]] void refuse(const void* block) const;

  // By leaf: log2 of the size of the live block that begins there; 0: none.
  std::vector<std::uint8_t> live_;
};

#ifdef NDEBUG
inline constexpr bool kCheckedBuild = false;
#else
inline constexpr bool kCheckedBuild = true;
#endif

/// CheckedBuddy in builds with assertions (debug, asan, tsan); Buddy in measured builds.
using BuddyOfBuild = std::conditional_t<kCheckedBuild, CheckedBuddy, Buddy>;

}  // namespace lab::designs
