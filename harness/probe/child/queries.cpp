#include "harness/probe/child/queries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/probe/child/device_properties.h"
#include "harness/probe/child/vulkan.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

std::string failed(std::string_view call, VkResult result) {
  return fmt::format("{}: {}", call, enum_name(kVkResult, result));
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_validation_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                     VkDebugUtilsMessageTypeFlagsEXT,
                                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* events) {
  static_cast<const EventWriter*>(events)->write({.event = "validation", .text = data->pMessage ? data->pMessage : ""});
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(const EventWriter& events) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = on_validation_message;
  info.pUserData = const_cast<EventWriter*>(&events);
  return info;
}

// Queries one physical device.
class DeviceQueries {
 public:
  DeviceQueries(const Vulkan& vulkan, VkPhysicalDevice physical, const QueryRequest& request, const EventWriter& events)
      : vulkan_(vulkan), physical_(physical), request_(request), events_(events) {}

  void run(std::uint32_t index) {
    events_.write({.event = "asking", .number = index});
    events_.doing("vkGetPhysicalDeviceProperties");
    const PhysicalDevice device = query_properties(vulkan_, physical_);
    events_.write({.event = "device", .device = device.properties});
    events_.doing("vkCreateDevice");
    if (const VkResult result = create_device(); result != VK_SUCCESS) {
      events_.problem("error", failed("vkCreateDevice", result));
      return;
    }
    query_images();
    query_buffers(device.max_buffer_size);
    events_.doing("vkDestroyDevice");
    vulkan_.vkDestroyDevice(device_, nullptr);
  }

 private:
  VkResult create_device() {
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    return vulkan_.vkCreateDevice(physical_, &info, nullptr, &device_);
  }

  // None if an image of this size may be created, otherwise the refusal. A request beyond the limits is invalid Vulkan
  // usage, and a driver may then do anything.
  std::optional<std::string> image_limit(const VkImageCreateInfo& info, const VkImageFormatProperties& most,
                                         VkResult result) const {
    if (result != VK_SUCCESS) return enum_name(kVkResult, result);
    if (info.extent.width > most.maxExtent.width || info.extent.height > most.maxExtent.height)
      return fmt::format("at most {}x{}", most.maxExtent.width, most.maxExtent.height);
    if (info.mipLevels > most.maxMipLevels) return fmt::format("at most {} mip levels", most.maxMipLevels);
    if (info.arrayLayers > most.maxArrayLayers) return fmt::format("at most {} layers", most.maxArrayLayers);
    if (!(most.sampleCounts & info.samples)) return fmt::format("not with {} samples", int{info.samples});
    return std::nullopt;
  }

  void query_images() {
    const ImageSweep& sweep = request_.sweeps.images;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = static_cast<VkImageType>(sweep.type);
    info.format = static_cast<VkFormat>(sweep.format);
    info.mipLevels = sweep.mip_levels;
    info.arrayLayers = sweep.array_layers;
    info.samples = static_cast<VkSampleCountFlagBits>(sweep.samples);
    info.tiling = static_cast<VkImageTiling>(sweep.tiling);
    info.usage = sweep.usage;
    VkImageFormatProperties most{};
    events_.doing("vkGetPhysicalDeviceImageFormatProperties");
    const VkResult result = vulkan_.vkGetPhysicalDeviceImageFormatProperties(
        physical_, info.format, info.imageType, info.tiling, info.usage, info.flags, &most);
    for (const auto& [width, height] : sweep.sizes) {
      info.extent = {width, height, 1};
      query_image(info, image_limit(info, most, result));
    }
  }

  void query_image(const VkImageCreateInfo& info, std::optional<std::string> refused) {
    VkMemoryRequirements needs{};
    if (!refused) {
      events_.doing(fmt::format("vkCreateImage of {}x{}", info.extent.width, info.extent.height));
      VkImage image = VK_NULL_HANDLE;
      const VkResult result = vulkan_.vkCreateImage(device_, &info, nullptr, &image);
      if (result == VK_SUCCESS) {
        vulkan_.vkGetImageMemoryRequirements(device_, image, &needs);
        vulkan_.vkDestroyImage(device_, image, nullptr);
      } else {
        refused = enum_name(kVkResult, result);
      }
    }
    events_.write({.event = "image",
                   .image = {info.extent.width, info.extent.height, needs.size, needs.alignment, needs.memoryTypeBits},
                   .refused = std::move(refused)});
  }

  void query_buffers(VkDeviceSize most) {
    for (const std::uint64_t length : request_.sweeps.buffers.lengths)
      query_buffer(length, length > most ? std::optional(fmt::format("at most {}", most)) : std::nullopt);
  }

  void query_buffer(std::uint64_t length, std::optional<std::string> refused) {
    VkMemoryRequirements needs{};
    if (!refused) {
      events_.doing(fmt::format("vkCreateBuffer of {}", length));
      VkBufferCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
      info.size = length;
      info.usage = request_.sweeps.buffers.usage;
      VkBuffer buffer = VK_NULL_HANDLE;
      const VkResult result = vulkan_.vkCreateBuffer(device_, &info, nullptr, &buffer);
      if (result == VK_SUCCESS) {
        vulkan_.vkGetBufferMemoryRequirements(device_, buffer, &needs);
        vulkan_.vkDestroyBuffer(device_, buffer, nullptr);
      } else {
        refused = enum_name(kVkResult, result);
      }
    }
    events_.write({.event = "buffer",
                   .buffer = {length, needs.size, needs.alignment},
                   .buffer_memory_type_bits = needs.memoryTypeBits,
                   .refused = std::move(refused)});
  }

  const Vulkan& vulkan_;
  VkPhysicalDevice physical_;
  const QueryRequest& request_;
  const EventWriter& events_;
  VkDevice device_ = VK_NULL_HANDLE;
};

// The loader silently skips a library that it cannot open; this finds the reason.
bool opens(const std::string& library, const EventWriter& events) {
  events.doing(fmt::format("dlopen of '{}'", library));
  if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) return true;
  const std::string reason = ::dlerror();
  // Drivers for the other word size are in the same folders; they are no failure of this machine.
  events.problem(reason.find("wrong ELF class") != std::string::npos ? "foreign" : "unloadable", reason);
  return false;
}

VkResult create_instance(Vulkan& vulkan, const QueryRequest& request, const EventWriter& events,
                         std::uint32_t loader_version, VkInstance& instance) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "vulkan_probe_child";
  application.apiVersion = std::min(loader_version, VK_API_VERSION_1_3);
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(events);
  const std::array layers{"VK_LAYER_KHRONOS_validation"};
  const std::array extensions{VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (request.validate) {
    info.pNext = &messenger;  // receives messages of vkCreateInstance and vkDestroyInstance
    info.enabledLayerCount = layers.size();
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
  }
  return vulkan.vkCreateInstance(&info, nullptr, &instance);
}

// No device is a valid result: the driver is installed, its hardware is missing. Drivers report this in three ways.
bool means_no_device(VkResult result) {
  return result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_INITIALIZATION_FAILED;
}

void query_devices(const Vulkan& vulkan, VkInstance instance, const QueryRequest& request, const EventWriter& events) {
  events.doing("vkEnumeratePhysicalDevices");
  std::uint32_t count = 0;
  VkResult result = vulkan.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (result == VK_SUCCESS && count > 0) result = vulkan.vkEnumeratePhysicalDevices(instance, &count, devices.data());
  if (result < 0 && !means_no_device(result))
    return events.problem("error", failed("vkEnumeratePhysicalDevices", result));
  events.write({.event = "devices", .number = static_cast<std::uint32_t>(devices.size())});
  for (std::uint32_t i = request.first; i < devices.size(); ++i)
    DeviceQueries(vulkan, devices[i], request, events).run(i);
}

}  // namespace

void run_queries(const QueryRequest& request, const EventWriter& events) {
  if (!opens(request.library, events)) return;
  Vulkan vulkan;
  if (const Expected<void> opened = vulkan.open(request.loader); !opened)
    return events.problem("no loader", opened.error().what);
  // Absent before 1.1.
  std::uint32_t loader_version = VK_API_VERSION_1_0;
  if (vulkan.vkEnumerateInstanceVersion) vulkan.vkEnumerateInstanceVersion(&loader_version);
  events.write({.event = "loader", .text = version_text(loader_version)});

  events.doing("vkCreateInstance");
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result = create_instance(vulkan, request, events, loader_version, instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return events.write({.event = "devices", .number = 0});
  if (result != VK_SUCCESS) return events.problem("error", failed("vkCreateInstance", result));
  vulkan.bind(instance);
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(events);
  if (request.validate && vulkan.vkCreateDebugUtilsMessengerEXT)
    vulkan.vkCreateDebugUtilsMessengerEXT(instance, &info, nullptr, &messenger);
  query_devices(vulkan, instance, request, events);
  if (messenger) vulkan.vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  events.doing("vkDestroyInstance");
  vulkan.vkDestroyInstance(instance, nullptr);
}

}  // namespace lab::probe
