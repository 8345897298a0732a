#include "variants/designs/offsets/memory_request.h"

#include <algorithm>
#include <array>

namespace lab::designs {

std::string_view sentence(MemoryRefusal refusal) {
  static constexpr std::array<std::string_view, 6> kSentences{
      "",
      "the image is larger than the largest resource of the policy: a render target of this size needs a dedicated "
      "allocation through the render-target interface",
      "the resource is larger than an allocation of its memory type may be: split it, or make it a dedicated "
      "allocation if the device allows one of this size",
      "the device allows no further allocation: free resources, or use larger allocations (a smaller K)",
      "the device has no memory left for another allocation of this memory type: free resources",
      "the alignment is no power of two up to 4 GiB, or the memory type does not exist"};
  return kSentences[static_cast<std::size_t>(refusal)];
}

std::uint64_t MemoryPolicy::allocation_bytes(unsigned memory_type) const {
  const std::uint64_t heap = heap_bytes.at(memory_type);
  const std::uint64_t wanted = fixed_bytes > 0 ? fixed_bytes : std::max(largest_resource, heap / heap_parts);
  return std::min({wanted, heap, max_allocation_bytes});
}

}  // namespace lab::designs
