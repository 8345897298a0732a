#include "harness/probe/child/queries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/probe/child/device_properties.h"
#include "harness/probe/child/device_queries.h"
#include "harness/vulkan/functions.h"
#include "harness/vulkan/instance.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

std::string failed(std::string_view call, VkResult result) {
  return fmt::format("{}: {}", call, enum_name(vulkan::kVkResult, result));
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_validation_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                     VkDebugUtilsMessageTypeFlagsEXT,
                                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* events) {
  static_cast<const EventWriter*>(events)->write({.event = "validation", .text = data->pMessage ? data->pMessage : ""});
  return VK_FALSE;
}

// The loader silently skips a library that it cannot open; this finds the reason.
bool opens(const std::string& library, const EventWriter& events) {
  events.doing(fmt::format("dlopen of '{}'", library));
  if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) return true;
  const std::string reason = ::dlerror();
  // Drivers for the other word size are in the same folders; they are no failure of this machine.
  events.problem(reason.find("wrong ELF class") != std::string::npos ? "foreign" : "unloadable", reason);
  return false;
}

// No device is a valid result: the driver is installed, its hardware is missing. Drivers report this in three ways.
bool means_no_device(VkResult result) {
  return result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_INITIALIZATION_FAILED;
}

std::uint64_t query_one_device(const vulkan::InstanceFunctions& vulkan, VkInstance instance,
                               std::uint32_t instance_version, const QueryRequest& request, const QueryList& queries,
                               const AnswerTable& answers, const EventWriter& events) {
  events.doing("vkEnumeratePhysicalDevices");
  std::uint32_t count = 0;
  VkResult result = vulkan.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (result == VK_SUCCESS && count > 0) result = vulkan.vkEnumeratePhysicalDevices(instance, &count, devices.data());
  if (result < 0 && !means_no_device(result)) {
    events.problem("error", failed("vkEnumeratePhysicalDevices", result));
    return 0;
  }
  events.write({.event = "devices", .number = devices.size()});
  if (request.device >= devices.size()) return 0;
  events.doing("vkGetPhysicalDeviceProperties");
  const PhysicalDevice device = query_properties(vulkan, devices[request.device], instance_version);
  events.write({.event = "device", .device = device.properties});
  return query_device(vulkan, devices[request.device], device, queries, answers, events);
}

}  // namespace

std::uint64_t run_queries(const QueryRequest& request, const QueryList& queries, const AnswerTable& answers,
                          const EventWriter& events) {
  if (!opens(request.library, events)) return 0;
  vulkan::InstanceFunctions vulkan;
  if (const Expected<void> opened = vulkan.open(request.loader); !opened) {
    events.problem("no loader", opened.error().what);
    return 0;
  }
  const std::uint32_t loader = vulkan::loader_version(vulkan);
  events.write({.event = "loader", .text = version_text(loader)});

  events.doing("vkCreateInstance");
  const std::uint32_t version = vulkan::instance_version(loader);
  const VkDebugUtilsMessengerCreateInfoEXT info =
      vulkan::messenger_info(on_validation_message, const_cast<EventWriter*>(&events));
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result =
      vulkan::create_instance(vulkan, "vulkan_probe_child", version, request.validate ? &info : nullptr, {}, instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    events.write({.event = "devices", .number = 0});
    return 0;
  }
  if (result != VK_SUCCESS) {
    events.problem("error", failed("vkCreateInstance", result));
    return 0;
  }
  vulkan.bind(instance);
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  if (request.validate && vulkan.vkCreateDebugUtilsMessengerEXT)
    vulkan.vkCreateDebugUtilsMessengerEXT(instance, &info, nullptr, &messenger);
  const std::uint64_t contradictions = query_one_device(vulkan, instance, version, request, queries, answers, events);
  if (messenger) vulkan.vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  events.doing("vkDestroyInstance");
  vulkan.vkDestroyInstance(instance, nullptr);
  return contradictions;
}

}  // namespace lab::probe
