#include "variants/gpu_memory/family/plans.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "harness/base/random.h"

namespace lab::gpu_memory {

namespace {

constexpr std::size_t kDifferent = 1024;               // resources to choose from
constexpr std::uint64_t kLargestTexture = 32'000'000;  // above it, some variants refuse

std::uint64_t log_uniform(Random& random, std::uint64_t low, std::uint64_t high) {
  const double share = static_cast<double>(random.below(1u << 20)) / (1u << 20);
  return static_cast<std::uint64_t>(static_cast<double>(low) *
                                    std::pow(static_cast<double>(high) / static_cast<double>(low), share));
}

std::uint32_t below(Random& random, std::size_t bound) {
  return static_cast<std::uint32_t>(random.below(bound));
}

const ImageNeeds& image_of(const DeviceTable& table, unsigned width, unsigned height) {
  return *std::ranges::find_if(table.images,
                               [&](const ImageNeeds& image) { return image.width == width && image.height == height; });
}

// A resource, and what Vulkan is asked to create.
struct Drawn {
  Resource resource;
  Shape shape;
};

// A texture of 32 to 2048 texels a side, most of them square.
Drawn texture(Random& random, const DeviceTable& table) {
  while (true) {
    const unsigned width = 64u << random.below(6);
    const auto shape = random.below(4);
    const unsigned height = shape == 0 ? std::min(width * 2, 4096u) : shape == 1 ? width / 2 : width;
    const ImageNeeds& needs = image_of(table, width, height);
    if (needs.bytes <= kLargestTexture)
      return {{{needs.bytes, needs.alignment, kDeviceType, ResourceKind::kOptimalImage}}, {width, height}};
  }
}

// Of 256 bytes to 4 MB. What it takes beyond its length is what the next shorter buffer of the table takes beyond.
Drawn buffer(Random& random, const DeviceTable& table) {
  const std::uint64_t length = log_uniform(random, 256, 4'000'000);
  const auto longer =
      std::ranges::upper_bound(table.buffers, length, {}, [](const BufferNeeds& needs) { return needs.length; });
  const BufferNeeds& needs = *(longer == table.buffers.begin() ? longer : longer - 1);
  const unsigned type = random.below(4) == 0 ? kHostType : kDeviceType;
  return {{{length + needs.bytes - needs.length, needs.alignment, type, ResourceKind::kBuffer}}, {.length = length}};
}

Drawn render_target(Random& random, const DeviceTable& table) {
  const unsigned side = random.below(4) == 0 ? 4096 : 2048;
  const ImageNeeds& needs = image_of(table, side, side);
  return {{{needs.bytes, needs.alignment, kDeviceType, ResourceKind::kOptimalImage}, true}, {side, side}};
}

void add(ResourcePlan& plan, const Drawn& drawn) {
  plan.resources.push_back(drawn.resource);
  plan.shapes.push_back(drawn.shape);
}

// For the device's heap: three textures for each two buffers.
ResourcePlan textures_and_buffers(Random& random, const DeviceTable& table) {
  ResourcePlan plan;
  plan.heap_bytes = kHeapBytes;
  plan.granularity = table.granularity;
  while (plan.resources.size() < kDifferent)
    add(plan, random.below(5) < 3 ? texture(random, table) : buffer(random, table));
  return plan;
}

// `steps` on random slots, and a fill that leaves each slot as the steps do.
void add_replacements(ResourcePlan& plan, Random& random, std::size_t live, std::size_t steps) {
  std::vector<std::uint32_t> last(live);
  for (std::uint32_t& resource : last) resource = below(random, kDifferent);
  for (std::size_t i = 0; i < steps; ++i) {
    const Step step{below(random, live), below(random, kDifferent)};
    plan.steps.push_back(step);
    last[step.slot] = step.resource;
  }
  for (std::uint32_t slot = 0; slot < live; ++slot) plan.fill.push_back({slot, last[slot]});
  plan.slots = live;
}

std::vector<std::uint32_t> shuffled(Random& random, std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> slots(count);
  std::iota(slots.begin(), slots.end(), first);
  for (std::size_t i = slots.size(); i > 1; --i) std::swap(slots[i - 1], slots[random.below(i)]);
  return slots;
}

}  // namespace

std::size_t ResourcePlan::creations() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const Step& step) { return step.resource != Step::kNothing; }));
}

std::uint64_t ResourcePlan::most_requested() const {
  std::vector<std::uint64_t> bytes(slots);
  std::uint64_t live = 0, most = 0;
  for (const auto* part : {&fill, &steps})
    for (const Step& step : *part) {
      live -= std::exchange(bytes[step.slot], 0);
      if (step.resource == Step::kNothing) continue;
      live += bytes[step.slot] = resources[step.resource].request.bytes;
      most = std::max(most, live);
    }
  return most;
}

std::vector<designs::MemoryHint> ResourcePlan::hints() const {
  std::map<designs::MemoryGroup, std::pair<std::uint64_t, std::uint64_t>> bytes;  // live, and the most
  std::vector<const MemoryRequest*> live(slots);
  const auto change = [&](const MemoryRequest& request, bool more) {
    auto& [now, most] = bytes[{request.kind, request.alignment, request.memory_type, 0}];
    const std::uint64_t rounded = (request.bytes + request.alignment - 1) / request.alignment * request.alignment;
    now = more ? now + rounded : now - rounded;
    most = std::max(most, now);
  };
  for (const auto* part : {&fill, &steps})
    for (const Step& step : *part) {
      if (const MemoryRequest* const old = std::exchange(live[step.slot], nullptr)) change(*old, false);
      if (step.resource == Step::kNothing || resources[step.resource].dedicated) continue;
      live[step.slot] = &resources[step.resource].request;
      change(*live[step.slot], true);
    }
  std::vector<designs::MemoryHint> hints;
  for (const auto& [group, most] : bytes) hints.push_back({group, most.second});
  return hints;
}

Setup ResourcePlan::setup(SimulatedDevice& device) const {
  Setup setup;
  setup.policy.heap_bytes = {heap_bytes, heap_bytes};
  setup.policy.max_allocations = allocation_limit;
  setup.policy.fixed_bytes = allocation_bytes;
  setup.policy.granularity = granularity;
  setup.device = device.device();
  setup.hints = hints();
  return setup;
}

ResourcePlan one_alignment(std::uint64_t seed, std::uint64_t alignment, bool rounded) {
  constexpr std::size_t kLive = 1000, kSteps = 10'000;
  Random random(seed);
  ResourcePlan plan;
  while (plan.resources.size() < kDifferent) {
    std::uint64_t bytes = log_uniform(random, 256, 1 << 20);
    if (rounded) bytes = (bytes + alignment - 1) / alignment * alignment;
    plan.resources.push_back({{bytes, alignment, kDeviceType, ResourceKind::kOptimalImage}});
  }
  add_replacements(plan, random, kLive, kSteps);
  // Twice what is live, each rounded up to a power of two and to its alignment, so that no variant is short of room.
  plan.heap_bytes = 2 * std::bit_ceil(2 * plan.most_requested() + kLive * alignment);
  plan.allocation_bytes = plan.heap_bytes / 2;
  plan.least_heap_step = 65'536;
  return plan;
}

ResourcePlan streaming(std::uint64_t seed, const DeviceTable& table, const StreamingSize& size) {
  Random random(seed);
  ResourcePlan plan = textures_and_buffers(random, table);
  plan.least_heap_step = 1 << 20;
  add_replacements(plan, random, size.live, size.steps);
  std::vector<Step> steps;
  for (std::uint32_t target = 0; target < size.targets; ++target) {
    plan.fill.push_back({static_cast<std::uint32_t>(plan.slots), static_cast<std::uint32_t>(plan.resources.size())});
    ++plan.slots;
    add(plan, render_target(random, table));
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (i % size.steps_per_target == 0)
      steps.push_back(plan.fill[size.live + i / size.steps_per_target % size.targets]);
    steps.push_back(plan.steps[i]);
  }
  plan.steps = std::move(steps);
  return plan;
}

ResourcePlan level_loading(std::uint64_t seed, const DeviceTable& table) {
  constexpr std::uint32_t kLevels = 10, kResources = 700, kKept = 40;
  Random random(seed);
  ResourcePlan plan = textures_and_buffers(random, table);
  plan.least_heap_step = 1 << 20;
  plan.slots = 2 * kResources;  // levels alternate between the two halves
  std::vector<std::uint32_t> kept;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t first = level % 2 * kResources;
    for (std::uint32_t slot = first; slot < first + kResources; ++slot)
      plan.steps.push_back({slot, below(random, kDifferent)});
    for (const std::uint32_t slot : kept) plan.steps.push_back({slot, Step::kNothing});
    std::vector<std::uint32_t> slots = shuffled(random, first, kResources);
    kept.assign(slots.end() - (level + 1 < kLevels ? kKept : 0), slots.end());
    slots.resize(slots.size() - kept.size());
    for (const std::uint32_t slot : slots) plan.steps.push_back({slot, Step::kNothing});
  }
  return plan;
}

ResourcePlan fragmented(std::uint64_t seed, const DeviceTable& table) {
  ResourcePlan plan = streaming(seed, table);
  plan.fill.insert(plan.fill.end(), plan.steps.begin(), plan.steps.end());
  plan.steps.clear();
  Random random(seed ^ seed_of("fragmented"));
  const auto slots = static_cast<std::uint32_t>(plan.slots);
  std::vector<std::uint32_t> freed = shuffled(random, 0, slots);
  freed.resize(slots * 3 / 5);
  for (const std::uint32_t slot : freed) plan.fill.push_back({slot, Step::kNothing});
  return plan;
}

ResourcePlan fill_heap(std::uint64_t seed, const DeviceTable& table) {
  constexpr std::uint32_t kMost = 20'000;
  Random random(seed);
  ResourcePlan plan = textures_and_buffers(random, table);
  plan.slots = kMost;
  for (std::uint32_t slot = 0; slot < kMost; ++slot) plan.steps.push_back({slot, below(random, kDifferent)});
  return plan;
}

std::vector<MemoryRequest> smallest_of_each_group(const DeviceTable& table) {
  std::vector<MemoryRequest> requests;
  const auto add = [&](const MemoryRequest& request) {
    const auto same = std::ranges::find_if(requests, [&](const MemoryRequest& other) {
      return other.alignment == request.alignment && other.kind == request.kind &&
             other.memory_type == request.memory_type;
    });
    if (same == requests.end())
      requests.push_back(request);
    else
      same->bytes = std::min(same->bytes, request.bytes);
  };
  for (const ImageNeeds& image : table.images)
    add({image.bytes, image.alignment, kDeviceType, ResourceKind::kOptimalImage});
  for (const unsigned type : {kDeviceType, kHostType})
    for (const BufferNeeds& needs : table.buffers) add({needs.bytes, needs.alignment, type, ResourceKind::kBuffer});
  return requests;
}

}  // namespace lab::gpu_memory
