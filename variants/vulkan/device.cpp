#include "variants/vulkan/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace lab::vulkan {

namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};
// The header with its name needs those of X.
constexpr const char* kXcbSurface = "VK_KHR_xcb_surface";
constexpr const char* kLayers[] = {"VK_LAYER_KHRONOS_validation"};
constexpr const char* kWindowExtensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, kXcbSurface};
constexpr const char* kWindowDeviceExtensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};

constexpr VkMemoryPropertyFlags kOrdinary = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

Error no_device(std::string_view why) {
  return {fmt::format("no Vulkan device: {}", why), "", ExitStatus::kUnfit};
}

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
  const bool planted = validation.planted_ != nullptr;
  (planted ? *validation.planted_ : validation.messages_).emplace_back(data->pMessage ? data->pMessage : "");
  return planted ? VK_TRUE : VK_FALSE;
}

// The loader's own remarks are of another type.
VkDebugUtilsMessengerCreateInfoEXT Validation::messenger_info() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = this;
  return info;
}

Expected<std::unique_ptr<Device>> Device::open(const DeviceSpec& spec, Validation& validation) {
  std::unique_ptr<Device> device(new Device(validation));
  if (const auto opened = device->instance_functions_.open(spec.loader); !opened) return opened.error();
  if (const auto created = device->create_instance(spec); !created) return created.error();
  if (const auto chosen = device->choose(spec.index); !chosen) return chosen.error();
  if (const auto created = device->create_device(spec); !created) return created.error();
  return device;
}

Device::~Device() {
  if (device_ != VK_NULL_HANDLE && functions_.vkDestroyDevice != nullptr) {
    functions_.vkDestroyFence(device_, fence_, nullptr);
    functions_.vkDestroyCommandPool(device_, pool_, nullptr);
    functions_.vkDestroyDevice(device_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) instance_functions_.vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  if (instance_ != VK_NULL_HANDLE) instance_functions_.vkDestroyInstance(instance_, nullptr);
}

Expected<void> Device::create_instance(const DeviceSpec& spec) {
  if (instance_functions_.vkEnumerateInstanceVersion != nullptr)
    instance_functions_.vkEnumerateInstanceVersion(&instance_version_);
  instance_version_ = std::min(instance_version_, VK_API_VERSION_1_3);
  VkApplicationInfo about{};
  about.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  about.pApplicationName = "lab";
  about.apiVersion = instance_version_;
  const VkDebugUtilsMessengerCreateInfoEXT messenger = validation_.messenger_info();
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &about;
  std::vector<const char*> extensions;
  if (spec.presents) extensions.assign(std::begin(kWindowExtensions), std::end(kWindowExtensions));
  const auto create = [&] {
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    return instance_functions_.vkCreateInstance(&info, nullptr, &instance_);
  };
  VkResult result = VK_ERROR_LAYER_NOT_PRESENT;
  if (spec.validate) {
    info.pNext = &messenger;  // for vkCreateInstance and vkDestroyInstance
    info.enabledLayerCount = std::size(kLayers);
    info.ppEnabledLayerNames = kLayers;
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    result = create();
  }
  const bool watched = result == VK_SUCCESS;
  if (result == VK_ERROR_LAYER_NOT_PRESENT || result == VK_ERROR_EXTENSION_NOT_PRESENT) {
    if (spec.validate) extensions.pop_back();
    info.pNext = nullptr;
    info.enabledLayerCount = 0;
    result = create();
  }
  if (const auto created = success_of(result, "vkCreateInstance"); !created) return no_device(created.error().what);
  instance_functions_.bind(instance_);
  if (!watched) return {};
  validation_.active_ = true;
  return success_of(instance_functions_.vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
                    "vkCreateDebugUtilsMessengerEXT");
}

Expected<void> Device::choose(std::uint32_t index) {
  std::uint32_t count = 0;
  std::vector<VkPhysicalDevice> devices;
  VkResult result = instance_functions_.vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  devices.resize(count);
  if (result == VK_SUCCESS && count > 0)
    result = instance_functions_.vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (const auto found = success_of(result, "vkEnumeratePhysicalDevices"); !found) return no_device(found.error().what);
  if (index >= count) return no_device(fmt::format("expected a device {}, found {} devices", index, count));
  physical_ = devices[index];

  instance_functions_.vkGetPhysicalDeviceProperties(physical_, &properties_);
  instance_functions_.vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  for (const VkMemoryHeap& heap : std::span(memory_.memoryHeaps).first(memory_.memoryHeapCount))
    max_allocation_bytes_ = std::max(max_allocation_bytes_, heap.size);
  const std::uint32_t version = std::min(instance_version_, properties_.apiVersion);
  if (version < VK_API_VERSION_1_1 || instance_functions_.vkGetPhysicalDeviceProperties2 == nullptr) return {};
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceMaintenance3Properties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  if (version >= VK_API_VERSION_1_2) sizes.pNext = &driver;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &sizes;
  instance_functions_.vkGetPhysicalDeviceProperties2(physical_, &all);
  if (sizes.maxMemoryAllocationSize > 0) max_allocation_bytes_ = sizes.maxMemoryAllocationSize;
  driver_info_ = driver.driverInfo;
  return {};
}

Expected<void> Device::choose_queue(bool draws) {
  std::uint32_t count = 0;
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  // A queue that computes or draws can copy, too.
  constexpr VkQueueFlagBits kCopies[] = {VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_TRANSFER_BIT};
  constexpr VkQueueFlagBits kDraws[] = {VK_QUEUE_GRAPHICS_BIT};
  for (const VkQueueFlagBits wanted : draws ? std::span<const VkQueueFlagBits>(kDraws) : kCopies)
    for (std::uint32_t i = 0; i < count; ++i)
      if (families[i].queueFlags & static_cast<VkQueueFlags>(wanted)) {
        queue_family_ = i;
        timestamp_bits_ = families[i].timestampValidBits;
        return {};
      }
  return no_device(fmt::format("expected a queue that can {}, found none", draws ? "draw" : "copy"));
}

Expected<void> Device::create_device(const DeviceSpec& spec) {
  if (const auto chosen = choose_queue(spec.draws); !chosen) return chosen.error();
  VkPhysicalDeviceFeatures supported{};
  instance_functions_.vkGetPhysicalDeviceFeatures(physical_, &supported);
  constexpr std::size_t kFeatures = sizeof supported / sizeof(VkBool32);
  const auto flags_in = [](const VkPhysicalDeviceFeatures& features) {
    return std::span(&features.robustBufferAccess, kFeatures);
  };
  for (std::size_t i = 0; i < kFeatures; ++i)
    if (flags_in(spec.features)[i] && !flags_in(supported)[i])
      return no_device(fmt::format("'{}' lacks the feature {} of VkPhysicalDeviceFeatures", name(), i));

  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &spec.features;
  if (spec.presents) {
    info.enabledExtensionCount = std::size(kWindowDeviceExtensions);
    info.ppEnabledExtensionNames = kWindowDeviceExtensions;
  }
  const VkResult result = instance_functions_.vkCreateDevice(physical_, &info, nullptr, &device_);
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) return no_device(fmt::format("'{}' cannot show images", name()));
  if (const auto created = success_of(result, "vkCreateDevice"); !created) return created.error();
  if (const auto bound = functions_.bind(instance_functions_, device_, spec.presents); !bound) return bound.error();
  return create_queue();
}

Expected<void> Device::create_queue() {
  functions_.vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = queue_family_;
  if (const auto made =
          success_of(functions_.vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
      !made)
    return made.error();
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  if (const auto made =
          success_of(functions_.vkAllocateCommandBuffers(device_, &commands, &commands_), "vkAllocateCommandBuffers");
      !made)
    return made.error();
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return success_of(functions_.vkCreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence");
}

VkFormatFeatureFlags Device::features_of(VkFormat format) const {
  VkFormatProperties properties{};
  instance_functions_.vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return properties.optimalTilingFeatures;
}

std::optional<std::uint32_t> Device::find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                               VkMemoryPropertyFlags wanted) const {
  for (const VkMemoryPropertyFlags flags : {needed | wanted, needed})
    for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type)
      if ((bits >> type & 1) != 0 && (flags_of(type) & ~kOrdinary) == 0 && (flags_of(type) & flags) == flags)
        return type;
  return std::nullopt;
}

Expected<void> Device::run(const std::function<void(VkCommandBuffer)>& commands, const Semaphores& semaphores) {
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

Expected<void> Device::submit(VkCommandBuffer commands, const Semaphores& semaphores) {
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
