#include "harness/probe/child/device_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/probe/column_name.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

// The properties chained to vkGetPhysicalDeviceProperties2, each requested only if the device supports it.
struct Properties {
  VkPhysicalDeviceProperties base{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  VkPhysicalDeviceIDProperties ids{};
  bool has_driver = false, has_maintenance3 = false, has_maintenance4 = false, has_ids = false;
};

std::vector<std::string> extensions(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vulkan.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  vulkan.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, found.data());
  std::vector<std::string> names;
  for (const VkExtensionProperties& extension : std::span(found).first(std::min<std::size_t>(count, found.size())))
    names.emplace_back(extension.extensionName);
  return names;
}

// Versions below 1.1 have none of the chained structures.
Properties properties(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice physical, const PhysicalDevice& device,
                      const VkPhysicalDeviceProperties& base) {
  Properties p;
  p.base = base;
  if (device.api_version < VK_API_VERSION_1_1 || !vulkan.vkGetPhysicalDeviceProperties2) return p;
  auto all = vulkan::structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  const auto chain = [&](auto& properties, VkStructureType type) {
    properties.sType = type;
    properties.pNext = all.pNext;
    all.pNext = &properties;
    return true;
  };
  p.has_maintenance3 = chain(p.maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  p.has_ids = chain(p.ids, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  if (device.has(VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME))
    p.has_driver = chain(p.driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  if (device.has(VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME))
    p.has_maintenance4 = chain(p.maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  vulkan.vkGetPhysicalDeviceProperties2(physical, &all);
  return p;
}

template <typename Value>
json::value limit(const Value& value) {
  if constexpr (std::is_array_v<Value>) {
    json::array list;
    for (const auto& element : value) list.push_back(limit(element));
    return list;
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(value)) return nullptr;  // a driver may report infinity, which JSON does not have
    return static_cast<double>(value);
  } else {
    return value;
  }
}

json::object limits(const Properties& p) {
  json::object all;
#define LAB_LIMIT(name) all[#name] = limit(p.base.limits.name);
  LAB_VULKAN_LIMITS(LAB_LIMIT)
#undef LAB_LIMIT
  if (p.has_maintenance3) {
    all["maxMemoryAllocationSize"] = p.maintenance3.maxMemoryAllocationSize;
    all["maxPerSetDescriptors"] = p.maintenance3.maxPerSetDescriptors;
  }
  if (p.has_maintenance4) all["maxBufferSize"] = p.maintenance4.maxBufferSize;
  return all;
}

// A driver fills these; some do not terminate them.
template <std::size_t size>
std::string text(const char (&chars)[size]) {
  return std::string(chars, ::strnlen(chars, size));
}

std::string hex(const std::uint8_t (&bytes)[VK_UUID_SIZE]) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

results::DriverIdentity identity(const Properties& p) {
  const VkConformanceVersion& c = p.driver.conformanceVersion;
  const std::int64_t id = p.driver.driverID;
  results::DriverIdentity driver;
  driver.info = text(p.driver.driverInfo);
  driver.version = driver_version(driver.info, p.base.driverVersion, p.base.vendorID);
  driver.name = text(p.driver.driverName);
  if (p.has_driver) {
    driver.short_name = driver_short_name(id);
    driver.id = enum_name(vulkan::kVkDriverId, id);
    driver.conformance = fmt::format("{}.{}.{}.{}", c.major, c.minor, c.subminor, c.patch);
  }
  driver.device_name = text(p.base.deviceName);
  driver.device_type = enum_word(vulkan::kVkPhysicalDeviceType, p.base.deviceType);
  driver.vendor_id = p.base.vendorID;
  driver.device_id = p.base.deviceID;
  driver.api_version = version_text(p.base.apiVersion);
  driver.driver_version = p.base.driverVersion;
  driver.cache_uuid = hex(p.base.pipelineCacheUUID);
  if (p.has_ids) {
    driver.device_uuid = hex(p.ids.deviceUUID);
    driver.driver_uuid = hex(p.ids.driverUUID);
  }
  return driver;
}

}  // namespace

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

bool PhysicalDevice::has(std::uint32_t version, const char* extension) const {
  return api_version >= version || std::ranges::find(extensions, extension) != extensions.end();
}

PhysicalDevice query_properties(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice device,
                                std::uint32_t instance_version) {
  VkPhysicalDeviceProperties base{};
  vulkan.vkGetPhysicalDeviceProperties(device, &base);
  PhysicalDevice found;
  found.api_version = std::min(base.apiVersion, instance_version);
  found.extensions = extensions(vulkan, device);
  const Properties p = properties(vulkan, device, found, base);
  VkPhysicalDeviceMemoryProperties memory{};
  vulkan.vkGetPhysicalDeviceMemoryProperties(device, &memory);
  found.properties.driver = identity(p);
  for (const VkMemoryHeap& heap : std::span(memory.memoryHeaps).first(std::min(memory.memoryHeapCount, 16u)))
    found.properties.heaps.push_back({heap.size, flag_words(vulkan::kVkMemoryHeapFlagBits, heap.flags)});
  for (const VkMemoryType& type : std::span(memory.memoryTypes).first(std::min(memory.memoryTypeCount, 32u)))
    found.properties.memory_types.push_back(
        {type.heapIndex, flag_words(vulkan::kVkMemoryPropertyFlagBits, type.propertyFlags)});
  found.properties.limits = limits(p);
  if (p.has_maintenance4) found.max_buffer_size = p.maintenance4.maxBufferSize;
  return found;
}

}  // namespace lab::probe
