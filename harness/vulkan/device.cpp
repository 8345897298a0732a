#include "harness/vulkan/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "harness/base/error.h"
#include "harness/vulkan/instance.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace lab::vulkan {

namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};
// The header with its name needs those of X.
constexpr const char* kXcbSurface = "VK_KHR_xcb_surface";
constexpr const char* kWindowExtensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, kXcbSurface};
constexpr const char* kWindowDeviceExtensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};

/// While it lives, nothing that this thread allocates counts as leaked. What a driver allocates when it is first asked
/// is the driver's (LLVM leaves 128 bytes behind each time), and no suppression can name a library that is unloaded.
struct DriversLeaks {
#if defined(__SANITIZE_ADDRESS__)
  __lsan::ScopedDisabler disabled;
#endif
};

}  // namespace

std::vector<std::string> Validation::planted(const std::function<void()>& violate) {
  std::vector<std::string> found;
  planted_ = &found;
  violate();
  planted_ = nullptr;
  return found;
}

VKAPI_ATTR VkBool32 VKAPI_CALL Validation::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                      VkDebugUtilsMessageTypeFlagsEXT,
                                                      const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  Validation& validation = *static_cast<Validation*>(self);
  std::string message = data->pMessage ? data->pMessage : "";
  const bool planted = validation.planted_ != nullptr;
  if (planted)
    validation.planted_->push_back(std::move(message));
  else
    validation.receive_(std::move(message));
  return planted ? VK_TRUE : VK_FALSE;
}

Error Device::unfit(std::string_view why) const {
  return {fmt::format("{}{}", spec_.unfit, why), "", ExitStatus::kUnfit};
}

Expected<std::unique_ptr<Device>> Device::open(DeviceSpec spec, Validation& validation) {
  std::unique_ptr<Device> device(new Device(std::move(spec), validation));
  if (const auto started = device->start(); !started) return started.error();
  return device;
}

Expected<void> Device::start() {
  if (const auto opened = instance_functions_.open(spec_.loader); !opened) return opened.error();
  if (const auto created = create_instance(); !created) return created.error();
  if (const auto chosen = choose(); !chosen) return chosen.error();
  if (const auto chosen = choose_queue(); !chosen) return chosen.error();
  if (const auto created = create_device(); !created) return created.error();
  return create_queue();
}

Device::~Device() {
  if (device_ != VK_NULL_HANDLE && functions_.complete()) {
    doing("vkDestroyDevice");
    functions_.vkDestroyFence(device_, fence_, nullptr);
    functions_.vkDestroyCommandPool(device_, pool_, nullptr);
    functions_.vkDestroyDevice(device_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) instance_functions_.vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  if (instance_ == VK_NULL_HANDLE) return;
  doing("vkDestroyInstance");
  instance_functions_.vkDestroyInstance(instance_, nullptr);
}

Expected<void> Device::create_instance() {
  instance_version_ = instance_version(loader_version(instance_functions_));
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(Validation::on_message, &validation_);
  const auto create = [&](const VkDebugUtilsMessengerCreateInfoEXT* watch) {
    using Names = std::span<const char* const>;
    return success_of(vulkan::create_instance(instance_functions_, spec_.application, instance_version_, watch,
                                              spec_.presents ? Names(kWindowExtensions) : Names(), instance_),
                      "vkCreateInstance");
  };
  doing("vkCreateInstance");
  if (spec_.validate) {
    const auto watched = create(&messenger);
    validation_.active_ = watched.has_value();
    if (!watched && spec_.unwatched) spec_.unwatched(watched.error().what);
  }
  if (!validation_.active_)
    if (const auto created = create(nullptr); !created) return unfit(created.error().what);
  instance_functions_.bind(instance_);
  if (!validation_.active_ || instance_functions_.vkCreateDebugUtilsMessengerEXT == nullptr) return {};
  return success_of(instance_functions_.vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
                    "vkCreateDebugUtilsMessengerEXT");
}

Expected<void> Device::choose() {
  doing("vkEnumeratePhysicalDevices");
  std::uint32_t count = 0;
  VkResult result = [&] {
    [[maybe_unused]] const DriversLeaks first_asked;
    return instance_functions_.vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  }();
  std::vector<VkPhysicalDevice> devices(count);
  if (result == VK_SUCCESS && count > 0)
    result = instance_functions_.vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (const auto found = success_of(result, "vkEnumeratePhysicalDevices"); !found) return unfit(found.error().what);
  if (spec_.index >= count) return unfit(fmt::format("expected a device {}, found {} devices", spec_.index, count));
  physical_ = devices[spec_.index];

  instance_functions_.vkGetPhysicalDeviceProperties(physical_, &properties_);
  instance_functions_.vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  for (const VkMemoryHeap& heap : std::span(memory_.memoryHeaps).first(memory_.memoryHeapCount))
    max_allocation_bytes_ = std::max(max_allocation_bytes_, heap.size);
  const std::uint32_t version = std::min(instance_version_, properties_.apiVersion);
  if (version < VK_API_VERSION_1_1 || instance_functions_.vkGetPhysicalDeviceProperties2 == nullptr) return {};
  auto driver = structure<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto sizes =
      structure<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  if (version >= VK_API_VERSION_1_2) sizes.pNext = &driver;
  auto all = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  all.pNext = &sizes;
  instance_functions_.vkGetPhysicalDeviceProperties2(physical_, &all);
  if (sizes.maxMemoryAllocationSize > 0) max_allocation_bytes_ = sizes.maxMemoryAllocationSize;
  driver_info_ = driver.driverInfo;
  return {};
}

Expected<void> Device::choose_queue() {
  std::uint32_t count = 0;
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  // A queue that computes or draws can copy, too.
  constexpr VkQueueFlagBits kCopies[] = {VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_TRANSFER_BIT};
  constexpr VkQueueFlagBits kDraws[] = {VK_QUEUE_GRAPHICS_BIT};
  for (const VkQueueFlagBits wanted : spec_.draws ? std::span<const VkQueueFlagBits>(kDraws) : kCopies)
    for (std::uint32_t i = 0; i < count; ++i)
      if (families[i].queueFlags & static_cast<VkQueueFlags>(wanted)) {
        queue_family_ = i;
        queue_properties_ = families[i];
        return {};
      }
  return unfit(fmt::format("expected a queue that can {}, found none", spec_.draws ? "draw" : "copy"));
}

Expected<void> Device::create_device() {
  VkPhysicalDeviceFeatures supported{};
  instance_functions_.vkGetPhysicalDeviceFeatures(physical_, &supported);
  constexpr std::size_t kFeatures = sizeof supported / sizeof(VkBool32);
  const auto flags_in = [](const VkPhysicalDeviceFeatures& features) {
    return std::span(&features.robustBufferAccess, kFeatures);
  };
  for (std::size_t i = 0; i < kFeatures; ++i)
    if (flags_in(spec_.features)[i] && !flags_in(supported)[i])
      return unfit(fmt::format("'{}' lacks the feature {} of VkPhysicalDeviceFeatures", name(), i));

  const float priority = 1.0f;
  auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &spec_.features;
  if (spec_.presents) {
    info.enabledExtensionCount = std::size(kWindowDeviceExtensions);
    info.ppEnabledExtensionNames = kWindowDeviceExtensions;
  }
  doing("vkCreateDevice");
  const VkResult result = instance_functions_.vkCreateDevice(physical_, &info, nullptr, &device_);
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) return unfit(fmt::format("'{}' cannot show images", name()));
  if (const auto created = success_of(result, "vkCreateDevice"); !created) return created.error();
  functions_.bind(instance_functions_, device_);
  return functions_.complete();
}

Expected<void> Device::create_queue() {
  functions_.vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = queue_family_;
  if (const auto made =
          success_of(functions_.vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
      !made)
    return made.error();
  auto commands = structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  if (const auto made =
          success_of(functions_.vkAllocateCommandBuffers(device_, &commands, &commands_), "vkAllocateCommandBuffers");
      !made)
    return made.error();
  auto fence = structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  return success_of(functions_.vkCreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence");
}

VkFormatFeatureFlags Device::features_of(VkFormat format, VkImageTiling tiling) const {
  VkFormatProperties properties{};
  instance_functions_.vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
}

bool Device::is_usable(std::uint32_t type) const {
  constexpr VkMemoryPropertyFlags kOrdinary = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  return (flags_of(type) & ~kOrdinary) == 0;
}

std::optional<std::uint32_t> Device::find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                               VkMemoryPropertyFlags wanted) const {
  for (const VkMemoryPropertyFlags flags : {needed | wanted, needed})
    for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type)
      if ((bits >> type & 1) != 0 && is_usable(type) && (flags_of(type) & flags) == flags) return type;
  return std::nullopt;
}

Expected<void> Device::run(const std::function<void(VkCommandBuffer)>& commands, const Semaphores& semaphores) const {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const auto reset = success_of(functions_.vkResetCommandPool(device_, pool_, 0), "vkResetCommandPool"); !reset)
    return reset.error();
  if (const auto begun = success_of(functions_.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer"); !begun)
    return begun.error();
  commands(commands_);
  if (const auto ended = success_of(functions_.vkEndCommandBuffer(commands_), "vkEndCommandBuffer"); !ended)
    return ended.error();
  return submit(commands_, semaphores);
}

Expected<void> Device::submit(VkCommandBuffer commands, const Semaphores& semaphores) const {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.waitSemaphoreCount = semaphores.wait != VK_NULL_HANDLE ? 1 : 0;
  info.pWaitSemaphores = &semaphores.wait;
  info.pWaitDstStageMask = &semaphores.wait_stages;
  info.signalSemaphoreCount = semaphores.signal != VK_NULL_HANDLE ? 1 : 0;
  info.pSignalSemaphores = &semaphores.signal;
  if (const auto done = success_of(functions_.vkQueueSubmit(queue_, 1, &info, fence_), "vkQueueSubmit"); !done)
    return done.error();
  if (const auto done =
          success_of(functions_.vkWaitForFences(device_, 1, &fence_, VK_TRUE, kForever), "vkWaitForFences");
      !done)
    return done.error();
  return success_of(functions_.vkResetFences(device_, 1, &fence_), "vkResetFences");
}

}  // namespace lab::vulkan
