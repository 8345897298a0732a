#include "variants/gpu_memory/family/fuzz.h"

#include <algorithm>

#include "variants/common/plans/fuzz_input.h"
#include "variants/gpu_memory/family/soundness.h"

namespace lab::gpu_memory {

namespace {

MemoryRequest request_of(FuzzInput& input, std::uint8_t operation) {
  const std::uint8_t where = input.next(), size = input.next();
  MemoryRequest request;
  request.alignment = std::uint64_t{1} << (where % 32) % 17;
  request.kind = static_cast<ResourceKind>((where / 32) % 3);
  request.memory_type = where / 128;
  request.bytes = std::uint64_t{1} << size % 32 % 27;
  if (size / 32 % 4 == 1) ++request.bytes;
  if (size / 32 % 4 > 1) request.bytes += request.bytes / 8 * operation / 16;
  return request;
}

std::string pass(CheckedMemory& memory, std::uint8_t bound, std::uint8_t operation) {
  const std::uint64_t most_bytes = bound % 32 == 31 ? ~std::uint64_t{0} : std::uint64_t{1} << bound % 32;
  const std::size_t most_moves = bound < 32 ? ~std::size_t{0} : bound / 32;
  return memory.pass(most_bytes, most_moves, {(operation & 1) != 0, (operation & 2) != 0, (operation & 4) != 0});
}

}  // namespace

std::string fuzz(const Subject& subject, std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  const std::uint8_t first = input.next(), second = input.next();
  Setup setup;
  const std::uint64_t heap = (std::uint64_t{1} + first % 64) << 20;
  static constexpr std::uint64_t kGranularities[] = {1, 64, 1024, 1};
  SimulatedDevice device(heap);
  setup.device = device.device();
  setup.policy.heap_bytes = {heap, heap};
  setup.policy.heap_parts = 8;
  setup.policy.largest_resource = 1'000'000 + second * 1000u;
  setup.policy.max_allocations = 1 + second % 16;
  setup.policy.granularity = kGranularities[first / 64];
  CheckedMemory memory(subject, setup, device);
  while (!input.ended()) {
    const std::uint8_t operation = input.next();
    std::string problem;
    if (operation < 176) {
      problem = memory.allocate(request_of(input, operation), operation >= 160);
    } else if (operation < 240) {
      if (!memory.live().empty()) memory.free((operation - 176u) % memory.live().size());
    } else if (operation < 248) {
      problem = pass(memory, input.next(), operation);
    } else if (operation < 252) {
      for (std::size_t i = 0; i < memory.live().size(); ++i) memory.free(i);
    } else {
      problem = memory.starts_afresh();
    }
    if (problem.empty() && (operation % 8 == 0 || input.ended())) problem = memory.everything();
    if (!problem.empty()) return problem;
  }
  return memory.starts_afresh();
}

}  // namespace lab::gpu_memory
