#include "variants/gpu_memory/family/conformance.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "harness/base/random.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/soundness.h"

namespace lab::gpu_memory {

namespace {

using designs::MemoryRefusal;

constexpr std::uint64_t kSmallHeap = 64'000'000;
constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};
constexpr std::size_t kAnyMoves = ~std::size_t{0};

Setup small_setup(SimulatedDevice& device) {
  Setup setup;
  setup.policy.heap_bytes = {kSmallHeap, kSmallHeap};
  setup.policy.heap_parts = 16;
  setup.policy.largest_resource = 2'000'000;
  setup.device = device.device();
  return setup;
}

MemoryRequest random_request(Random& random) {
  const std::uint64_t most = std::uint64_t{2} << random.below(20);
  return {random.below(most), std::uint64_t{1} << random.below(17), static_cast<unsigned>(random.below(2)),
          static_cast<ResourceKind>(random.below(3))};
}

// Random requests and frees, in phases of growth and of shrinking.
std::string random_run(const Subject& subject, std::uint64_t seed, std::uint64_t granularity, std::size_t limit) {
  SimulatedDevice device(kSmallHeap);
  Setup setup = small_setup(device);
  setup.policy.granularity = granularity;
  setup.policy.max_allocations = limit;
  CheckedMemory memory(subject, setup, device);
  Random random(seed);
  for (int i = 0; i < 3000; ++i) {
    std::string problem;
    if (random.below(100) < (i / 500 % 2 == 0 ? 70u : 35u))
      problem = memory.allocate(random_request(random), random.below(40) == 0);
    else if (!memory.live().empty())
      memory.free(random.below(memory.live().size()));
    if (problem.empty() && i % 50 == 0) problem = memory.everything();
    if (!problem.empty()) return fmt::format("after {} operations, seed {}: {}", i + 1, seed, problem);
  }
  return memory.starts_afresh();
}

std::string random_runs(const Subject& subject, std::uint64_t granularity) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    if (std::string problem = random_run(subject, seed, granularity, seed % 2 == 0 ? 12 : 4096); !problem.empty())
      return problem;
  return "";
}

// Every alignment at every fill of an allocation, so that the first place is rarely a suitable one.
std::string alignments(const Subject& subject) {
  SimulatedDevice device(kHeapBytes);
  Setup setup = small_setup(device);
  setup.policy.heap_bytes = {kHeapBytes, kHeapBytes};
  setup.policy.fixed_bytes = 4'000'000;
  CheckedMemory memory(subject, setup, device);
  for (std::uint64_t alignment = 1; alignment <= 65'536; alignment *= 2)
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{257}, alignment, alignment + 1})
      if (std::string problem = memory.allocate({bytes, alignment, 0, ResourceKind::kBuffer}, false); !problem.empty())
        return problem;
  if (memory.refusals() > 0) return fmt::format("it refused {} of 68 small requests", memory.refusals());
  return memory.everything();
}

std::string expect_refusal(AnyMemory& memory, const MemoryRequest& request, bool dedicated, MemoryRefusal expected) {
  const PlacedMemory placed = dedicated ? memory.allocate_dedicated(request) : memory.allocate(request);
  if (placed.refusal == expected) return "";
  return fmt::format("{}{} bytes aligned to {}: expected \"{}\", found \"{}\"", dedicated ? "dedicated, " : "",
                     request.bytes, request.alignment, designs::sentence(expected), designs::sentence(placed.refusal));
}

std::string refusals(const Subject& subject) {
  SimulatedDevice device(kSmallHeap);
  const auto memory = subject(small_setup(device));
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const ResourceKind buffer = ResourceKind::kBuffer;
  for (const auto& [request, dedicated, expected] :
       std::initializer_list<std::tuple<MemoryRequest, bool, MemoryRefusal>>{
           {{16, 0, 0, buffer}, false, MemoryRefusal::kInvalid},
           {{16, 48, 0, buffer}, false, MemoryRefusal::kInvalid},
           {{16, 16, 2, buffer}, false, MemoryRefusal::kInvalid},
           {{kSmallHeap + 1, 16, 0, buffer}, true, MemoryRefusal::kTooLarge},
           {{kHuge, 16, 0, buffer}, true, MemoryRefusal::kTooLarge},
           {{kHuge, 16, 0, buffer}, false, MemoryRefusal::kTooLarge},
           {{kHuge, 16, 0, ResourceKind::kOptimalImage}, false, MemoryRefusal::kHumongous}})
    if (std::string problem = expect_refusal(*memory, request, dedicated, expected); !problem.empty()) return problem;
  if (device.calls() > 0) return "a refused request took memory from the device";
  return "";
}

std::string returns_everything(const Subject& subject) {
  SimulatedDevice device(kSmallHeap);
  {
    CheckedMemory memory(subject, small_setup(device), device);
    Random random(7);
    for (int i = 0; i < 300; ++i)
      if (std::string problem = memory.allocate(random_request(random), i % 30 == 0); !problem.empty()) return problem;
  }
  return device.allocations() == 0 ? "" : fmt::format("{} allocations were not returned", device.allocations());
}

// The same requests again, after everything was freed, need no more memory than the first time.
std::string serves_again(const Subject& subject) {
  SimulatedDevice device(kSmallHeap);
  CheckedMemory memory(subject, small_setup(device), device);
  std::uint64_t first = 0;
  for (int round = 0; round < 4; ++round) {
    Random random(3);
    for (int i = 0; i < 200; ++i)
      if (std::string problem = memory.allocate(random_request(random), false); !problem.empty()) return problem;
    if (round == 0)
      first = device.most_given_bytes();
    else if (device.most_given_bytes() > 2 * first)
      return fmt::format("round {} of the same requests took {} bytes, the first {}", round + 1,
                         device.most_given_bytes(), first);
    if (std::string problem = memory.starts_afresh(); !problem.empty()) return problem;
  }
  return "";
}

// Random requests and frees, with passes between them and during them. `bounded`: with all bounds and disturbances.
std::string defragmented_run(const Subject& subject, std::uint64_t seed, bool bounded) {
  static constexpr std::uint64_t kBounds[] = {0, 1, 100, 10'000, 300'000, 2'000'000, kAnyBytes};
  SimulatedDevice device(kSmallHeap);
  Setup setup = small_setup(device);
  setup.policy.fixed_bytes = seed % 2 == 0 ? 2'000'000 : 0;
  setup.policy.granularity = 1024;
  CheckedMemory memory(subject, setup, device);
  Random random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string problem;
    const std::uint64_t choice = random.below(100);
    if (choice < 5 && bounded) {
      const std::uint64_t most_bytes = kBounds[random.below(std::size(kBounds))];
      const std::size_t most_moves = random.below(3) == 0 ? random.below(4) : kAnyMoves;
      const std::uint64_t acts = random.below(8);
      problem = memory.pass(most_bytes, most_moves, {(acts & 1) != 0, (acts & 2) != 0, (acts & 4) != 0});
    } else if (choice < 5) {
      problem = memory.pass(kAnyBytes, kAnyMoves, {});
    } else if (choice < (i / 400 % 2 == 0 ? 75u : 40u)) {
      problem = memory.allocate(random_request(random), random.below(40) == 0);
    } else if (!memory.live().empty()) {
      memory.free(random.below(memory.live().size()));
    }
    if (!problem.empty()) return fmt::format("after {} operations, seed {}: {}", i + 1, seed, problem);
  }
  constexpr int kMostPasses = 10'000;
  std::size_t moved = 1;
  for (int passes = 0; moved > 0; ++passes) {
    if (passes == kMostPasses) return fmt::format("seed {}: it has moves after {} passes", seed, kMostPasses);
    if (std::string problem = memory.pass(bounded ? 500'000 : kAnyBytes, kAnyMoves, {}, &moved); !problem.empty())
      return fmt::format("seed {}: {}", seed, problem);
  }
  return memory.starts_afresh();
}

std::string defragmented_runs(const Subject& subject, bool bounded) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    if (std::string problem = defragmented_run(subject, seed, bounded); !problem.empty()) return problem;
  return "";
}

}  // namespace

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject) {
  std::vector<bench::ConformanceCheck> checks{
      {"resources are aligned, inside of an allocation of their memory type, and do not overlap",
       [subject] { return random_runs(subject, 1); }},
      {"with a bufferImageGranularity, linear and optimal resources share no page of it",
       [subject] { return random_runs(subject, 1024); }},
      {"every alignment from 1 to 65536 is kept", [subject] { return alignments(subject); }},
      {"what cannot be served is refused for its reason, without a change", [subject] { return refusals(subject); }},
      {"every allocation is returned at the end", [subject] { return returns_everything(subject); }},
      {"the same requests can be served again", [subject] { return serves_again(subject); }}};
  SimulatedDevice device(kSmallHeap);
  const auto memory = subject(small_setup(device));
  if (memory->defragments())
    checks.push_back({"defragmentation moves resources to sound places, leaves no empty allocation and ends",
                      [subject] { return defragmented_runs(subject, false); }});
  if (memory->bounds_passes())
    checks.push_back({"a pass keeps within its bound, and the program may allocate, free and drop moves until it ends",
                      [subject] { return defragmented_runs(subject, true); }});
  return checks;
}

}  // namespace lab::gpu_memory
