#include "variants/designs/addresses/small_apart.h"

namespace lab::designs {

SmallApartLayout SmallApartLayout::plan(void* buffer, std::size_t bytes) {
  // Blocks of a part are aligned to its end at most, so the parts meet at a page where the share is a few pages.
  constexpr std::size_t kPage = 4096;
  const std::size_t share = bytes / kSmallShare;
  const std::size_t small_bytes =
      share / kPage != 0 ? share / kPage * kPage : share / kLargeLeafBytes * kLargeLeafBytes;
  const PlannedBuddy small = Buddy::plan(buffer, small_bytes, kSmallLeafBytes);
  const PlannedBuddy large = Buddy::plan(buffer == nullptr ? nullptr : static_cast<std::byte*>(buffer) + small_bytes,
                                         bytes - small_bytes, kLargeLeafBytes);
  return {small.layout, large.layout, small.refusal.empty() ? large.refusal : small.refusal};
}

}  // namespace lab::designs
