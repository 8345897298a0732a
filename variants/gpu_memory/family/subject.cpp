#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

void add(std::vector<SeenAllocation>& all, const designs::MemoryAllocation& allocation) {
  all.push_back({allocation, {}});
}

void add_part(SeenAllocation& seen, const designs::OffsetRange& range) {
  seen.ranges.push_back(range);
}

}  // namespace lab::gpu_memory
