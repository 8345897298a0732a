#include "variants/gpu_memory/device/device_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "harness/vulkan/memory.h"
#include "variants/vulkan/staging.h"

namespace lab::gpu_memory {

namespace {

constexpr std::uint64_t kOthers = 1;  // allocations without the policy: for staging
constexpr std::uint64_t kTexelBytes = 4;
constexpr auto kTransfer = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr auto kImageTransfer = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

bool is_image(const Shape& shape) {
  return shape.length == 0;
}

std::uint64_t content_bytes(const Shape& shape) {
  return is_image(shape) ? std::uint64_t{shape.width} * shape.height * kTexelBytes : shape.length;
}

std::string name_of(const Shape& shape) {
  return is_image(shape) ? fmt::format("an image of {}x{} texels", shape.width, shape.height)
                         : fmt::format("a buffer of {} bytes", shape.length);
}

// The 8 bytes at a multiple of 8 in the contents of the resource that was created as number `seed`.
std::uint64_t content_at(std::uint64_t seed, std::uint64_t offset) {
  std::uint64_t word = (seed << 32 ^ offset) * 0x9e3779b97f4a7c15u;
  word ^= word >> 29;
  return word * 0xbf58476d1ce4e5b9u;
}

void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = content_at(seed, at);
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
  }
}

// The first bytes that differ.
std::optional<std::size_t> difference(std::span<const std::byte> bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = content_at(seed, at);
    if (std::memcmp(&bytes[at], &word, std::min(sizeof word, bytes.size() - at)) != 0) return at;
  }
  return std::nullopt;
}

// A VkBuffer or a VkImage.
struct Object {
  std::optional<vulkan::Buffer> buffer;
  std::optional<vulkan::Image> image;
  const VkMemoryRequirements& needs() const { return image ? image->needs : buffer->needs; }
};

Expected<Object> create(vulkan::Device& device, const Shape& shape) {
  Object object;
  if (is_image(shape)) {
    auto image = create_image(device, shape.width, shape.height, VK_IMAGE_USAGE_SAMPLED_BIT | kImageTransfer);
    if (!image) return image.error();
    object.image = std::move(*image);
  } else {
    auto buffer = create_buffer(device, shape.length, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kTransfer);
    if (!buffer) return buffer.error();
    object.buffer = std::move(*buffer);
  }
  return object;
}

// The device's memory type for one of the plan's.
Expected<unsigned> type_of(const vulkan::Device& device, unsigned planned, std::uint32_t bits) {
  const auto type = planned == kHostType ? device.find_type(bits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
                                         : device.find_type(bits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (type) return *type;
  return Error{
      fmt::format("no {} memory type in the set {:#x}", planned == kHostType ? "host-visible" : "ordinary", bits), ""};
}

class DeviceRun {
 public:
  DeviceRun(vulkan::Device& device, const Subject& subject, ResourcePlan plan, DeviceReport& report)
      : device_(device), subject_(subject), plan_(std::move(plan)), report_(report), given_(device) {
    policy_ = vulkan::policy_of(device, kOthers);
    policy_.max_allocations = std::min<std::uint64_t>(policy_.max_allocations, plan_.allocation_limit);
    policy_.fixed_bytes = plan_.allocation_bytes;
  }

  Expected<void> run() {
    if (const auto asked = ask_requirements(); !asked) return asked.error();
    if (const auto simulated = simulate(); !simulated) return simulated.error();
    return execute();
  }

 private:
  // Of each resource once. The plan gets the device's memory types, and without a table also what the driver requires.
  Expected<void> ask_requirements() {
    std::set<std::uint32_t> used;
    for (const auto* steps : {&plan_.fill, &plan_.steps})
      for (const Step& step : *steps)
        if (step.resource != Step::kNothing) used.insert(step.resource);
    mapped_.resize(plan_.resources.size());
    for (const std::uint32_t resource : used) {
      const Shape& shape = plan_.shapes[resource];
      MemoryRequest& request = plan_.resources[resource].request;
      const Expected<Object> object = create(device_, shape);
      if (!object) return object.error();
      const VkMemoryRequirements& needs = object->needs();
      const Expected<unsigned> type = type_of(device_, request.memory_type, needs.memoryTypeBits);
      if (!type) return in_context(name_of(shape), type.error());
      mapped_[resource] = request.memory_type == kHostType;
      request.memory_type = *type;
      if (report_.table.empty()) {
        request.bytes = needs.size;
        request.alignment = needs.alignment;
      }
      if (needs.size != request.bytes || needs.alignment != request.alignment)
        report_.other_requirements.add(fmt::format("{}: expected {} bytes aligned to {}, found {} aligned to {}",
                                                   name_of(shape), request.bytes, request.alignment, needs.size,
                                                   needs.alignment));
      most_content_ = std::max(most_content_, content_bytes(shape));
    }
    return {};
  }

  static Expected<PlacedMemory> place(AnyMemory& memory, const MemoryRequest& request, bool dedicated) {
    const PlacedMemory placed = dedicated ? memory.allocate_dedicated(request) : memory.allocate(request);
    if (placed.refusal == designs::MemoryRefusal::kNone) return placed;
    return Error{fmt::format("the policy refused {} bytes: {}", request.bytes, designs::sentence(placed.refusal)), ""};
  }

  // The plan as a workload of the family runs it.
  Expected<void> simulate() {
    SimulatedDevice simulated(plan_.heap_bytes);
    const auto memory = subject_({.policy = policy_, .device = simulated.device(), .hints = {}});
    std::vector<std::optional<MemoryBlock>> live(plan_.slots);
    for (const auto* steps : {&plan_.fill, &plan_.steps})
      for (const Step& step : *steps) {
        if (live[step.slot]) memory->free(*live[step.slot]);
        live[step.slot].reset();
        if (step.resource == Step::kNothing) continue;
        const Resource& resource = plan_.resources[step.resource];
        const auto placed = place(*memory, resource.request, resource.dedicated);
        if (!placed) return in_context("on the simulated device", placed.error());
        live[step.slot] = placed->block;
        planned_places_.push_back(placed->block.place);
      }
    report_.planned = {planned_places_.size(), simulated.calls(), simulated.most_allocations(),
                       simulated.most_given_bytes()};
    return {};
  }

  Expected<void> execute() {
    Expected<vulkan::Staging> staging = vulkan::Staging::create(device_, most_content_);
    if (!staging) return staging.error();
    staging_ = std::move(*staging);
    memory_ = subject_({.policy = policy_, .device = given_.device(), .hints = {}});
    live_.resize(plan_.slots);
    for (const auto* steps : {&plan_.fill, &plan_.steps})
      for (const Step& step : *steps) {
        if (const auto freed = free(step.slot); !freed) return freed.error();
        if (step.resource == Step::kNothing) continue;
        if (const auto made = make(step); !made) return in_context(name_of(plan_.shapes[step.resource]), made.error());
      }
    for (std::uint32_t slot = 0; slot < plan_.slots; ++slot)
      if (const auto freed = free(slot); !freed) return freed.error();
    memory_.reset();
    report_.counted = {created_, given_.calls(), given_.most_allocations(), given_.most_bytes()};
    report_.left_allocations = given_.allocations();
    report_.agree = report_.counted == report_.planned && report_.other_places.count == 0;
    return {};
  }

  Expected<void> make(const Step& step) {
    const Resource& resource = plan_.resources[step.resource];
    const Shape& shape = plan_.shapes[step.resource];
    Expected<Object> object = create(device_, shape);
    if (!object) return object.error();
    MemoryRequest request = resource.request;
    request.bytes = object->needs().size;
    request.alignment = object->needs().alignment;
    const auto placed = place(*memory_, request, resource.dedicated);
    if (!placed) return placed.error();
    const MemoryPlace& place = placed->block.place;
    if (place != planned_places_[created_])
      report_.other_places.add(fmt::format("resource {}, {}: expected offset {} of allocation {}, found {} of {}",
                                           created_, name_of(shape), planned_places_[created_].offset,
                                           planned_places_[created_].allocation, place.offset, place.allocation));
    Live& live = live_[step.slot].emplace(
        Live{std::move(*object), placed->block, step.resource, created_++, mapped_[step.resource]});
    const vulkan::Memory& memory = given_.of(place.allocation);
    const auto bound = is_image(shape) ? bind(device_, *live.object.image, memory, place.offset)
                                       : bind(device_, *live.object.buffer, memory, place.offset);
    if (!bound) return bound.error();
    ++(is_image(shape) ? report_.images : report_.buffers);
    return write(live, memory);
  }

  struct Live {
    Object object;
    MemoryBlock block;
    std::uint32_t resource = 0;
    std::uint64_t seed = 0;
    bool mapped = false;  // the host writes it where it lies
  };

  Expected<void> write(const Live& live, const vulkan::Memory& memory) {
    const std::uint64_t bytes = content_bytes(plan_.shapes[live.resource]);
    if (live.mapped) {
      fill({memory.mapped() + live.block.place.offset, bytes}, live.seed);
      return memory.flush();
    }
    fill(staging_.bytes().first(bytes), live.seed);
    return live.object.image ? staging_.to(*live.object.image) : staging_.to(*live.object.buffer);
  }

  // Compares, then frees. The device copies the contents back, so it sees what the host wrote, too.
  Expected<void> free(std::uint32_t slot) {
    if (!live_[slot]) return {};
    const Live& live = *live_[slot];
    const Shape& shape = plan_.shapes[live.resource];
    const auto bytes = staging_.bytes().first(content_bytes(shape));
    std::ranges::fill(bytes, std::byte{0xa5});
    const auto read = live.object.image ? staging_.from(*live.object.image) : staging_.from(*live.object.buffer);
    if (!read) return in_context(fmt::format("reading {} back", name_of(shape)), read.error());
    report_.compared_bytes += bytes.size();
    if (const auto at = difference(bytes, live.seed))
      report_.wrong_contents.add(
          fmt::format("resource {}, {}: other contents from byte {} on", live.seed, name_of(shape), *at));
    const MemoryBlock block = live.block;
    live_[slot].reset();  // the resource goes before its memory
    memory_->free(block);
    return {};
  }

  using MemoryPlace = designs::MemoryPlace;

  vulkan::Device& device_;
  const Subject& subject_;
  ResourcePlan plan_;
  DeviceReport& report_;
  designs::MemoryPolicy policy_;
  std::vector<bool> mapped_;  // of each resource
  std::uint64_t most_content_ = 1, created_ = 0;
  std::vector<MemoryPlace> planned_places_;  // in the order of creation
  // An error ends them in this order: resources, the policy, its allocations.
  vulkan::AllocatedMemory given_;
  std::unique_ptr<AnyMemory> memory_;
  vulkan::Staging staging_;
  std::vector<std::optional<Live>> live_;
};

}  // namespace

bool DeviceReport::passed() const {
  return agree && wrong_contents.count == 0 && left_allocations == 0 && vulkan::is_silent(*this);
}

std::string DeviceReport::sentence() const {
  std::string text =
      fmt::format("{}: {} images and {} buffers in {} allocations of vkAllocateMemory, {} at once with {} bytes: {}.",
                  device, images, buffers, counted.device_allocations, counted.most_allocations, counted.device_bytes,
                  agree ? "as on the simulated device" : "not as on the simulated device");
  if (table.empty()) text += " No table has what this driver requires.";
  if (other_requirements.count > 0)
    text += fmt::format(" {} resources have other requirements than the table {}.", other_requirements.count, table);
  if (wrong_contents.count > 0) text += fmt::format(" {} resources had other contents.", wrong_contents.count);
  if (left_allocations > 0) text += fmt::format(" {} allocations were never freed.", left_allocations);
  return text + " " + vulkan::validation_sentence(*this);
}

const DeviceTable* table_of(const vulkan::Device& device) {
  if (!device.name().starts_with("llvmpipe")) return nullptr;
  if (device.driver_info().starts_with("Mesa 22.3.6 ")) return &pinned_lavapipe_table();
  if (device.driver_info().starts_with("Mesa 25.0.7 ")) return &device_tables().front();
  return nullptr;
}

Expected<void> run_on(vulkan::Device& device, const Subject& subject, ResourcePlan plan, DeviceReport& report) {
  return DeviceRun(device, subject, std::move(plan), report).run();
}

}  // namespace lab::gpu_memory
