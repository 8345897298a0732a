#include "harness/probe/child/device_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint64_t kMostContradictions = 20;  // reported one by one; the others are counted

// Features that an image's description can need. No others: some, such as robustBufferAccess, change requirements.
constexpr VkBool32 VkPhysicalDeviceFeatures::*kFeatures[] = {
    &VkPhysicalDeviceFeatures::imageCubeArray,
    &VkPhysicalDeviceFeatures::textureCompressionETC2,
    &VkPhysicalDeviceFeatures::textureCompressionASTC_LDR,
    &VkPhysicalDeviceFeatures::textureCompressionBC,
    &VkPhysicalDeviceFeatures::shaderStorageImageMultisample,
    &VkPhysicalDeviceFeatures::sparseBinding,
    &VkPhysicalDeviceFeatures::sparseResidencyBuffer,
    &VkPhysicalDeviceFeatures::sparseResidencyImage2D,
    &VkPhysicalDeviceFeatures::sparseResidencyImage3D,
    &VkPhysicalDeviceFeatures::sparseResidencyAliased,
};

// The numbers by which answers name their refusals.
class Refusals {
 public:
  explicit Refusals(const EventWriter& events) : events_(events) {}

  // 0 for "": no refusal.
  std::uint16_t number_of(const std::string& reason) {
    if (reason.empty()) return 0;
    const auto [at, is_new] = numbers_.emplace(reason, static_cast<std::uint16_t>(numbers_.size() + 1));
    if (is_new) events_.write({.event = "refusal", .text = reason, .number = at->second});
    return at->second;
  }

 private:
  const EventWriter& events_;
  std::map<std::string, std::uint16_t> numbers_;
};

// A message now and then: a process without output counts as hanging.
class Heartbeat {
 public:
  explicit Heartbeat(const EventWriter& events) : events_(events) {}

  void beat() {
    if (++queries_ % 64 != 0) return;  // a clock costs a tenth of a quick driver's answer
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    events_.write({.event = "alive"});
  }

 private:
  const EventWriter& events_;
  std::uint32_t queries_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

SharedAnswer refused(std::uint16_t number) {
  return {.size = 0, .alignment = 0, .memory_type_bits = 0, .refusal = number, .dedicated = 0, .asked = 1};
}

// What vkGet*MemoryRequirements2 fill. The older functions fill `base` alone.
struct Requirements {
  VkMemoryDedicatedRequirements dedicated{};
  VkMemoryRequirements2 base{};

  Requirements() {
    dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
    base.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    base.pNext = &dedicated;
  }
  SharedAnswer answer() const {
    const VkMemoryRequirements& needs = base.memoryRequirements;
    return {.size = needs.size,
            .alignment = needs.alignment,
            .memory_type_bits = needs.memoryTypeBits,
            .refusal = 0,
            .dedicated = static_cast<std::uint8_t>(dedicated.requiresDedicatedAllocation  ? 2
                                                   : dedicated.prefersDedicatedAllocation ? 1
                                                                                          : 0),
            .asked = 1};
  }
};

// --- what may be asked: a request beyond the limits is invalid usage, and a driver may then do anything ---

// Which sparse flag of an image or a buffer needs a feature that the device lacks; "" if none. `residency`: the feature
// for this type of object.
std::string unsupported_flags(std::uint32_t flags, VkBool32 residency, const VkPhysicalDeviceFeatures& features) {
  static_assert(VK_IMAGE_CREATE_SPARSE_BINDING_BIT == int{VK_BUFFER_CREATE_SPARSE_BINDING_BIT} &&
                VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT == int{VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT} &&
                VK_IMAGE_CREATE_SPARSE_ALIASED_BIT == int{VK_BUFFER_CREATE_SPARSE_ALIASED_BIT});
  const auto lacks = [&](std::uint32_t flag, VkBool32 feature) { return (flags & flag) != 0 && !feature; };
  if (lacks(VK_IMAGE_CREATE_SPARSE_BINDING_BIT, features.sparseBinding)) return "no sparse binding";
  if (lacks(VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT, residency)) return "no sparse residency";
  if (lacks(VK_IMAGE_CREATE_SPARSE_ALIASED_BIT, features.sparseResidencyAliased)) return "no sparse aliasing";
  return "";
}

// Why an image of this size may not be created; "" if it may.
std::string image_limit(const ImageKind& kind, const VkImageCreateInfo& info, const VkImageFormatProperties& most) {
  const VkExtent3D &size = info.extent, &limit = most.maxExtent;
  const bool flat = kind.type != VK_IMAGE_TYPE_3D;
  if (size.width > limit.width || size.height > limit.height || (!flat && size.depth > limit.depth))
    return flat ? fmt::format("at most {}x{}", limit.width, limit.height)
                : fmt::format("at most {}x{}x{}", limit.width, limit.height, limit.depth);
  if (kind.type == VK_IMAGE_TYPE_1D && size.height > 1) return "a 1D image has height 1";
  if (flat && size.depth > 1) return "only a 3D image has a depth";
  if (info.mipLevels > full_chain({size.width, size.height, size.depth})) return "more mip levels than the size has";
  if (info.mipLevels > most.maxMipLevels) return fmt::format("at most {} mip levels", most.maxMipLevels);
  if (info.arrayLayers > most.maxArrayLayers) return fmt::format("at most {} layers", most.maxArrayLayers);
  if (!(most.sampleCounts & info.samples)) return fmt::format("not with {} samples", int{info.samples});
  if ((kind.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0 && (size.width != size.height || info.arrayLayers < 6))
    return "a cube has six square faces";
  if (info.samples != VK_SAMPLE_COUNT_1_BIT && info.mipLevels > 1) return "one mip level with several samples";
  return "";
}

// A device for the queries, and the functions that it is asked by.
class QueriedDevice {
 public:
  QueriedDevice(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice physical, const PhysicalDevice& device,
                const AnswerTable& table, Refusals& refusals)
      : vulkan_(vulkan), physical_(physical), device_(device), table_(table), refusals_(refusals) {}

  VkResult create() {
    VkPhysicalDeviceFeatures available{};
    if (vulkan_.vkGetPhysicalDeviceFeatures) vulkan_.vkGetPhysicalDeviceFeatures(physical_, &available);
    for (const auto feature : kFeatures) features_.*feature = available.*feature;
    const float priority = 1.0f;
    auto queue = vulkan::structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto info = vulkan::structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.pEnabledFeatures = &features_;
    auto maintenance4 = vulkan::structure<VkPhysicalDeviceMaintenance4Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
    std::vector<const char*> extensions;
    if (supports_maintenance4()) {
      maintenance4.maintenance4 = VK_TRUE;
      info.pNext = &maintenance4;
      has_maintenance4_ = true;
      if (device_.api_version < VK_API_VERSION_1_3) extensions.push_back(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    }
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const VkResult result = vulkan_.vkCreateDevice(physical_, &info, nullptr, &logical_);
    if (result == VK_SUCCESS) choose_functions();
    return result;
  }

  void destroy() const { call_.vkDestroyDevice(logical_, nullptr); }

  // Of these, the enabled ones.
  const VkPhysicalDeviceFeatures& features() const { return features_; }
  bool answers_descriptions_of(const VkImageCreateInfo&) const { return call_.vkGetDeviceImageMemoryRequirements; }
  bool answers_descriptions_of(const VkBufferCreateInfo&) const { return call_.vkGetDeviceBufferMemoryRequirements; }

  std::vector<std::string> entry_points() const {
    const auto name = [](bool has, const char* newer, const char* older) { return std::string(has ? newer : older); };
    std::vector<std::string> names{
        name(call_.vkGetImageMemoryRequirements2, "vkGetImageMemoryRequirements2", "vkGetImageMemoryRequirements"),
        name(call_.vkGetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2", "vkGetBufferMemoryRequirements")};
    if (call_.vkGetDeviceImageMemoryRequirements) names.emplace_back("vkGetDeviceImageMemoryRequirements");
    if (call_.vkGetDeviceBufferMemoryRequirements) names.emplace_back("vkGetDeviceBufferMemoryRequirements");
    return names;
  }

  SharedAnswer of_created(const VkImageCreateInfo& info, std::size_t query) const {
    VkImage image = VK_NULL_HANDLE;
    table_.doing(Step::kCreateImage, query);
    if (const VkResult result = call_.vkCreateImage(logical_, &info, nullptr, &image); result != VK_SUCCESS)
      return refused(refusals_.number_of(enum_name(vulkan::kVkResult, result)));
    table_.doing(Step::kImageRequirements, query);
    Requirements needs;
    if (call_.vkGetImageMemoryRequirements2) {
      const VkImageMemoryRequirementsInfo2 question{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr, image};
      call_.vkGetImageMemoryRequirements2(logical_, &question, &needs.base);
    } else {
      call_.vkGetImageMemoryRequirements(logical_, image, &needs.base.memoryRequirements);
    }
    table_.doing(Step::kDestroyImage, query);
    call_.vkDestroyImage(logical_, image, nullptr);
    return needs.answer();
  }

  SharedAnswer of_description(const VkImageCreateInfo& info, std::size_t query) const {
    table_.doing(Step::kDeviceImageRequirements, query);
    // The aspect is used for disjoint images alone.
    const VkDeviceImageMemoryRequirements question{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &info,
                                                   VK_IMAGE_ASPECT_COLOR_BIT};
    Requirements needs;
    call_.vkGetDeviceImageMemoryRequirements(logical_, &question, &needs.base);
    return needs.answer();
  }

  SharedAnswer of_created(const VkBufferCreateInfo& info, std::size_t query) const {
    VkBuffer buffer = VK_NULL_HANDLE;
    table_.doing(Step::kCreateBuffer, query);
    if (const VkResult result = call_.vkCreateBuffer(logical_, &info, nullptr, &buffer); result != VK_SUCCESS)
      return refused(refusals_.number_of(enum_name(vulkan::kVkResult, result)));
    table_.doing(Step::kBufferRequirements, query);
    Requirements needs;
    if (call_.vkGetBufferMemoryRequirements2) {
      const VkBufferMemoryRequirementsInfo2 question{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                                     buffer};
      call_.vkGetBufferMemoryRequirements2(logical_, &question, &needs.base);
    } else {
      call_.vkGetBufferMemoryRequirements(logical_, buffer, &needs.base.memoryRequirements);
    }
    table_.doing(Step::kDestroyBuffer, query);
    call_.vkDestroyBuffer(logical_, buffer, nullptr);
    return needs.answer();
  }

  SharedAnswer of_description(const VkBufferCreateInfo& info, std::size_t query) const {
    table_.doing(Step::kDeviceBufferRequirements, query);
    const VkDeviceBufferMemoryRequirements question{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr,
                                                    &info};
    Requirements needs;
    call_.vkGetDeviceBufferMemoryRequirements(logical_, &question, &needs.base);
    return needs.answer();
  }

 private:
  bool supports_maintenance4() const {
    if (device_.api_version < VK_API_VERSION_1_1 || !vulkan_.vkGetPhysicalDeviceFeatures2 ||
        !device_.has(VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME))
      return false;
    auto maintenance4 = vulkan::structure<VkPhysicalDeviceMaintenance4Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
    auto all = vulkan::structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    all.pNext = &maintenance4;
    vulkan_.vkGetPhysicalDeviceFeatures2(physical_, &all);
    return maintenance4.maintenance4 == VK_TRUE;
  }

  // A driver may return an address for what it was not asked to enable, so versions decide, not addresses alone.
  void choose_functions() {
    call_.bind(vulkan_, logical_);
    if (device_.api_version < VK_API_VERSION_1_1) {
      call_.vkGetImageMemoryRequirements2 = nullptr;
      call_.vkGetBufferMemoryRequirements2 = nullptr;
    }
    const auto khr = [&](auto& function, const char* name) {
      using Function = std::remove_reference_t<decltype(function)>;
      if (!has_maintenance4_)
        function = nullptr;
      else if (device_.api_version < VK_API_VERSION_1_3)
        function = reinterpret_cast<Function>(vulkan_.vkGetDeviceProcAddr(logical_, name));
    };
    khr(call_.vkGetDeviceImageMemoryRequirements, "vkGetDeviceImageMemoryRequirementsKHR");
    khr(call_.vkGetDeviceBufferMemoryRequirements, "vkGetDeviceBufferMemoryRequirementsKHR");
  }

  const vulkan::InstanceFunctions& vulkan_;
  VkPhysicalDevice physical_;
  const PhysicalDevice& device_;
  const AnswerTable& table_;
  Refusals& refusals_;
  VkPhysicalDeviceFeatures features_{};
  VkDevice logical_ = VK_NULL_HANDLE;
  vulkan::DeviceFunctions call_;
  bool has_maintenance4_ = false;
};

constexpr const char* kCreated = "of the created object";
constexpr const char* kDescribed = "of its description";

std::string text_of(const SharedAnswer& answer, std::string_view from) {
  return answer.refusal != 0 ? fmt::format("refused {}", from)
                             : fmt::format("{} bytes at {}, memory types {:#x}{} {}", answer.size, answer.alignment,
                                           answer.memory_type_bits,
                                           answer.dedicated == 2   ? ", dedicated required"
                                           : answer.dedicated == 1 ? ", dedicated preferred"
                                                                   : "",
                                           from);
}

// The first answers to the queries.
class FirstAnswers {
 public:
  FirstAnswers(std::span<SharedAnswer> answers, const EventWriter& events) : answers_(answers), events_(events) {}

  // Keeps the first answer and reports a later one that differs. `way`: how it was asked; `again`: the second time.
  void record(std::size_t query, const SharedAnswer& answer, const char* way, bool again) {
    SharedAnswer& kept = answers_[query];
    if (kept.asked == 0)
      kept = answer;
    else if (kept != answer && ++contradictions_ <= kMostContradictions)
      events_.write({.event = "contradiction",
                     .text = text_of(kept, kCreated),
                     .kind = text_of(answer, fmt::format("{}{}", way, again ? ", the second time" : "")),
                     .number = query});
  }
  std::uint64_t contradictions() const { return contradictions_; }

 private:
  std::span<SharedAnswer> answers_;
  const EventWriter& events_;
  std::uint64_t contradictions_ = 0;
};

class DeviceQueries {
 public:
  DeviceQueries(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice physical, const PhysicalDevice& device,
                const QueryList& queries, const AnswerTable& answers, const EventWriter& events)
      : vulkan_(vulkan),
        physical_(physical),
        most_buffer_bytes_(device.max_buffer_size),
        queries_(queries),
        table_(answers),
        events_(events),
        refusals_(events),
        heartbeat_(events),
        asked_(vulkan, physical, device, answers, refusals_),
        answers_(answers.answers(), events) {}

  std::uint64_t run() {
    events_.doing("vkCreateDevice");
    if (const VkResult result = asked_.create(); result != VK_SUCCESS) {
      events_.problem("error", fmt::format("vkCreateDevice: {}", enum_name(vulkan::kVkResult, result)));
      return 0;
    }
    events_.write({.event = "entry points", .names = asked_.entry_points()});
    ask_formats();
    events_.doing("the queries");
    ask_all();
    reversed_ = true;
    ask_all();
    table_.doing(Step::kNone, 0);
    events_.doing("vkDestroyDevice");
    asked_.destroy();
    return answers_.contradictions();
  }

 private:
  // The images of a run as Vulkan describes them, and what the driver says of their format.
  struct PreparedImages {
    const ImageRun* run;
    VkImageCreateInfo info{};
    VkImageFormatProperties most{};
    std::uint16_t refusal = 0;  // of all sizes
  };

  void ask_formats() {
    events_.doing("vkGetPhysicalDeviceImageFormatProperties");
    for (const ImageRun& run : queries_.images) {
      PreparedImages images{.run = &run};
      VkImageCreateInfo& info = images.info;
      info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
      info.flags = run.kind.flags;
      info.imageType = static_cast<VkImageType>(run.kind.type);
      info.format = static_cast<VkFormat>(run.kind.format);
      info.arrayLayers = run.kind.array_layers;
      info.samples = static_cast<VkSampleCountFlagBits>(run.kind.samples);
      info.tiling = static_cast<VkImageTiling>(run.kind.tiling);
      info.usage = run.kind.usage;
      const VkPhysicalDeviceFeatures& features = asked_.features();
      const VkBool32 residency =
          info.imageType == VK_IMAGE_TYPE_3D ? features.sparseResidencyImage3D : features.sparseResidencyImage2D;
      images.refusal = refusals_.number_of(unsupported_flags(info.flags, residency, features));
      if (images.refusal == 0) {
        const VkResult result = vulkan_.vkGetPhysicalDeviceImageFormatProperties(
            physical_, info.format, info.imageType, info.tiling, info.usage, info.flags, &images.most);
        if (result != VK_SUCCESS) images.refusal = refusals_.number_of(enum_name(vulkan::kVkResult, result));
      }
      images_.push_back(images);
    }
  }

  std::string buffer_limit(const BufferKind& kind, std::uint64_t length) const {
    const VkPhysicalDeviceFeatures& features = asked_.features();
    std::string reason = unsupported_flags(kind.flags, features.sparseResidencyBuffer, features);
    if (reason.empty() && length > most_buffer_bytes_) return fmt::format("at most {}", most_buffer_bytes_);
    return reason;
  }

  void ask_all() {
    const auto in_order = [&](std::size_t count, const auto& ask) {
      for (std::size_t i = 0; i < count; ++i) ask(reversed_ ? count - 1 - i : i);
    };
    // The first sweep's answers are complete first, so runs are in the order of the list's numbers.
    std::vector<std::pair<std::size_t, std::function<void()>>> runs;
    for (const PreparedImages& images : images_)
      runs.emplace_back(images.run->first, [&] { ask_images(images, in_order); });
    for (const BufferRun& buffers : queries_.buffers)
      runs.emplace_back(buffers.first, [&] { ask_buffers(buffers, in_order); });
    std::ranges::sort(runs, {}, &decltype(runs)::value_type::first);
    in_order(runs.size(), [&](std::size_t i) { runs[i].second(); });
  }

  template <typename InOrder>
  void ask_images(const PreparedImages& images, const InOrder& in_order) {
    VkImageCreateInfo info = images.info;
    const ImageRun& run = *images.run;
    in_order(run.sizes.size(), [&](std::size_t i) {
      const Extent& size = run.sizes[i];
      info.extent = {size.width, size.height, size.depth};
      info.mipLevels = run.kind.mip_levels == kFullChain ? full_chain(size) : run.kind.mip_levels;
      ask(info, run.first + i,
          images.refusal != 0 ? images.refusal : refusals_.number_of(image_limit(run.kind, info, images.most)));
    });
  }

  template <typename InOrder>
  void ask_buffers(const BufferRun& run, const InOrder& in_order) {
    auto info = vulkan::structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.flags = run.kind.flags;
    info.usage = run.kind.usage;
    in_order(run.lengths.size(), [&](std::size_t i) {
      info.size = run.lengths[i];
      ask(info, run.first + i, refusals_.number_of(buffer_limit(run.kind, info.size)));
    });
  }

  // `refusal`: of an object that may not be created; 0 if it may.
  template <typename CreateInfo>
  void ask(const CreateInfo& info, std::size_t query, std::uint16_t refusal) {
    if (refusal != 0) return answers_.record(query, refused(refusal), "", reversed_);
    const SharedAnswer created = asked_.of_created(info, query);
    answers_.record(query, created, kCreated, reversed_);
    if (asked_.answers_descriptions_of(info) && created.refusal == 0)
      answers_.record(query, asked_.of_description(info, query), kDescribed, reversed_);
    heartbeat_.beat();
  }

  const vulkan::InstanceFunctions& vulkan_;
  VkPhysicalDevice physical_;
  std::uint64_t most_buffer_bytes_;
  const QueryList& queries_;
  const AnswerTable& table_;
  const EventWriter& events_;
  Refusals refusals_;
  Heartbeat heartbeat_;
  QueriedDevice asked_;
  FirstAnswers answers_;
  std::vector<PreparedImages> images_;
  bool reversed_ = false;
};

}  // namespace

std::uint64_t query_device(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice physical,
                           const PhysicalDevice& device, const QueryList& queries, const AnswerTable& answers,
                           const EventWriter& events) {
  return DeviceQueries(vulkan, physical, device, queries, answers, events).run();
}

}  // namespace lab::probe
