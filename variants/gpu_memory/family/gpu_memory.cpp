#include "variants/gpu_memory/family/gpu_memory.h"

#include <algorithm>

namespace lab::gpu_memory {

designs::MemoryDevice SimulatedDevice::device() {
  return {.allocate = [this](unsigned type, std::uint64_t bytes) -> std::optional<std::uint64_t> {
            if (bytes > free_) return std::nullopt;
            free_ -= bytes;
            given_ += bytes;
            most_given_ = std::max(most_given_, given_);
            live_.emplace(++last_, Live{type, bytes});
            ++calls_;
            most_allocations_ = std::max(most_allocations_, live_.size());
            return last_;
          },
          .free =
              [this](std::uint64_t allocation) {
                const auto found = live_.find(allocation);
                free_ += found->second.bytes;
                given_ -= found->second.bytes;
                live_.erase(found);
              }};
}

std::uint64_t SimulatedDevice::bytes_of(std::uint64_t allocation) const {
  const auto found = live_.find(allocation);
  return found == live_.end() ? 0 : found->second.bytes;
}

unsigned SimulatedDevice::type_of(std::uint64_t allocation) const {
  const auto found = live_.find(allocation);
  return found == live_.end() ? ~0u : found->second.type;
}

}  // namespace lab::gpu_memory
