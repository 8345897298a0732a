#include "harness/probe/memory/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "harness/probe/child/device_properties.h"
#include "harness/probe/child/instance.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};  // the parent's limit of silence ends a wait

constexpr VkMemoryPropertyFlags kOrdinary = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

template <typename Function>
Function instance_function(const Vulkan& vulkan, VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vulkan.vkGetInstanceProcAddr(instance, name));
}

}  // namespace

void MemoryEvents::problem(std::string_view text) const {
  write({.event = "problem", .text = std::string(text)});
  std::_Exit(EXIT_SUCCESS);
}

MemoryDevice::MemoryDevice(const MemoryRequest& request, const MemoryEvents& events)
    : request_(request), events_(events) {
  if (const Expected<void> opened = vulkan_.open(request.loader); !opened) events.problem(opened.error().what);
  create_instance();
  choose_device();
  create_device();
}

MemoryDevice::~MemoryDevice() {
  events_.doing("vkDestroyDevice");
  functions_.vkDestroyFence(device_, fence_, nullptr);
  functions_.vkDestroyCommandPool(device_, pool_, nullptr);
  functions_.vkDestroyDevice(device_, nullptr);
  if (messenger_) vulkan_.vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  events_.doing("vkDestroyInstance");
  vulkan_.vkDestroyInstance(instance_, nullptr);
}

VKAPI_ATTR VkBool32 VKAPI_CALL MemoryDevice::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                        VkDebugUtilsMessageTypeFlagsEXT,
                                                        const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  MemoryDevice& device = *static_cast<MemoryDevice*>(self);
  std::string message = data->pMessage ? data->pMessage : "";
  if (device.planting_) {
    device.messages_.push_back(std::move(message));
    return VK_TRUE;
  }
  device.events_.write({.event = "validation", .text = std::move(message)});
  return VK_FALSE;
}

void MemoryDevice::create_instance() {
  constexpr const char* kName = "vulkan_memory_child";
  const std::uint32_t version = instance_version(loader_version(vulkan_));
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(on_message, this);
  events_.doing("vkCreateInstance");
  if (request_.layers) {
    const VkResult result = probe::create_instance(vulkan_, kName, version, &messenger, instance_);
    layers_loaded_ = result == VK_SUCCESS;
    if (!layers_loaded_)
      events_.note(fmt::format("no validation layers: vkCreateInstance: {}", enum_name(kVkResult, result)));
  }
  if (!layers_loaded_) require(probe::create_instance(vulkan_, kName, version, nullptr, instance_), "vkCreateInstance");
  vulkan_.bind(instance_);
  if (layers_loaded_ && vulkan_.vkCreateDebugUtilsMessengerEXT)
    require(vulkan_.vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
            "vkCreateDebugUtilsMessengerEXT");
}

void MemoryDevice::choose_device() {
  events_.doing("vkEnumeratePhysicalDevices");
  std::uint32_t count = 0;
  require(vulkan_.vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  if (request_.device < count)
    require(vulkan_.vkEnumeratePhysicalDevices(instance_, &count, devices.data()), "vkEnumeratePhysicalDevices");
  if (request_.device >= count)
    events_.problem(fmt::format("expected a device {}, found {} devices", request_.device, count));
  physical_ = devices[request_.device];
  VkPhysicalDeviceProperties properties{};
  vulkan_.vkGetPhysicalDeviceProperties(physical_, &properties);
  limits_ = properties.limits;
  vulkan_.vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  for (const VkMemoryHeap& heap : std::span(memory_.memoryHeaps).first(memory_.memoryHeapCount))
    max_allocation_bytes_ = std::max(max_allocation_bytes_, heap.size);
  const json::object limits =
      query_properties(vulkan_, physical_, instance_version(loader_version(vulkan_))).properties.limits;
  if (const json::value* most = limits.if_contains("maxMemoryAllocationSize"))
    if (const auto bytes = most->to_number<std::uint64_t>(); bytes > 0) max_allocation_bytes_ = bytes;
}

void MemoryDevice::create_device() {
  const auto get_families = instance_function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      vulkan_, instance_, "vkGetPhysicalDeviceQueueFamilyProperties");
  std::uint32_t count = 0;
  get_families(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get_families(physical_, &count, families.data());
  // A queue that computes or draws can copy, too.
  std::optional<std::uint32_t> family;
  for (const VkQueueFlagBits wanted : {VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_TRANSFER_BIT})
    for (std::uint32_t i = 0; i < count && !family; ++i)
      if (families[i].queueFlags & static_cast<VkQueueFlags>(wanted)) family = i;
  if (!family) events_.problem("expected a queue that can copy, found none");
  can_compute_ = (families[*family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;

  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = *family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  events_.doing("vkCreateDevice");
  require(vulkan_.vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");

  const auto get = vulkan_.vkGetDeviceProcAddr;
#define LAB_LOAD(name)                                                 \
  functions_.name = reinterpret_cast<PFN_##name>(get(device_, #name)); \
  if (!functions_.name) events_.problem("the driver has no function " #name);
  LAB_VULKAN_MEMORY_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD

  functions_.vkGetDeviceQueue(device_, *family, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = *family;
  require(functions_.vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  require(functions_.vkCreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence");
}

std::optional<std::string> MemoryDevice::refusal(const VkImageCreateInfo& info) const {
  VkImageFormatProperties most{};
  const VkResult result = vulkan_.vkGetPhysicalDeviceImageFormatProperties(physical_, info.format, info.imageType,
                                                                           info.tiling, info.usage, info.flags, &most);
  if (result != VK_SUCCESS) return enum_name(kVkResult, result);
  if (info.extent.width > most.maxExtent.width || info.extent.height > most.maxExtent.height)
    return fmt::format("at most {}x{}", most.maxExtent.width, most.maxExtent.height);
  if (info.mipLevels > most.maxMipLevels) return fmt::format("at most {} mip levels", most.maxMipLevels);
  if (info.arrayLayers > most.maxArrayLayers) return fmt::format("at most {} layers", most.maxArrayLayers);
  return std::nullopt;
}

bool MemoryDevice::can_sample(VkFormat format, VkImageTiling tiling) const {
  VkFormatProperties properties{};
  instance_function<PFN_vkGetPhysicalDeviceFormatProperties>(vulkan_, instance_, "vkGetPhysicalDeviceFormatProperties")(
      physical_, format, &properties);
  const VkFormatFeatureFlags features =
      tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures : properties.optimalTilingFeatures;
  return (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
}

std::vector<std::uint32_t> MemoryDevice::usable_types(std::uint32_t bits) const {
  std::vector<std::uint32_t> types;
  for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i)
    if ((bits >> i & 1) && (flags_of(i) & ~kOrdinary) == 0) types.push_back(i);
  return types;
}

std::optional<std::uint32_t> MemoryDevice::find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                                     VkMemoryPropertyFlags wanted) const {
  for (const VkMemoryPropertyFlags flags : {needed | wanted, needed})
    for (const std::uint32_t type : usable_types(bits))
      if ((flags_of(type) & flags) == flags) return type;
  return std::nullopt;
}

void MemoryDevice::require(VkResult result, std::string_view call) const {
  if (result != VK_SUCCESS) events_.problem(fmt::format("{}: {}", call, enum_name(kVkResult, result)));
}

VkCommandBuffer MemoryDevice::record(const std::function<void(VkCommandBuffer)>& commands) const {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  require(functions_.vkAllocateCommandBuffers(device_, &info, &buffer), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  require(functions_.vkBeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer");
  commands(buffer);
  require(functions_.vkEndCommandBuffer(buffer), "vkEndCommandBuffer");
  return buffer;
}

void MemoryDevice::free_commands(VkCommandBuffer commands) const {
  functions_.vkFreeCommandBuffers(device_, pool_, 1, &commands);
}

void MemoryDevice::submit(VkCommandBuffer commands) const {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  require(functions_.vkQueueSubmit(queue_, 1, &info, fence_), "vkQueueSubmit");
  require(functions_.vkWaitForFences(device_, 1, &fence_, VK_TRUE, kForever), "vkWaitForFences");
  require(functions_.vkResetFences(device_, 1, &fence_), "vkResetFences");
}

void MemoryDevice::run(const std::function<void(VkCommandBuffer)>& commands) const {
  const VkCommandBuffer buffer = record(commands);
  submit(buffer);
  free_commands(buffer);
}

VkResult allocate_memory(const MemoryDevice& device, VkDeviceSize bytes, std::uint32_t type, VkDeviceMemory& memory) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  memory = VK_NULL_HANDLE;
  return device.vk().vkAllocateMemory(device.handle(), &info, nullptr, &memory);
}

DeviceMemory::DeviceMemory(const MemoryDevice& device, VkDeviceSize bytes, std::uint32_t type)
    : DeviceMemory(device, VkDeviceMemory{VK_NULL_HANDLE}, bytes, type) {
  const std::string call = fmt::format("vkAllocateMemory of {} bytes of memory type {}", bytes, type);
  device.events().doing(call);
  device.require(allocate_memory(device, bytes, type, handle_), call);
  map();
}

DeviceMemory::DeviceMemory(const MemoryDevice& device, VkDeviceMemory handle, VkDeviceSize bytes, std::uint32_t type)
    : device_(device), handle_(handle), type_(type), bytes_(bytes) {
  if (handle_ != VK_NULL_HANDLE) map();
}

void DeviceMemory::map() {
  const VkMemoryPropertyFlags flags = device_.flags_of(type_);
  if (!(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) return;
  coherent_ = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  void* address = nullptr;
  device_.require(device_.vk().vkMapMemory(device_.handle(), handle_, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
  mapped_ = static_cast<std::byte*>(address);
}

DeviceMemory::~DeviceMemory() {
  device_.vk().vkFreeMemory(device_.handle(), handle_, nullptr);
}

void DeviceMemory::flush() const {
  const VkMappedMemoryRange range = whole();
  if (!coherent_)
    device_.require(device_.vk().vkFlushMappedMemoryRanges(device_.handle(), 1, &range), "vkFlushMappedMemoryRanges");
}

void DeviceMemory::invalidate() const {
  const VkMappedMemoryRange range = whole();
  if (!coherent_)
    device_.require(device_.vk().vkInvalidateMappedMemoryRanges(device_.handle(), 1, &range),
                    "vkInvalidateMappedMemoryRanges");
}

VkMappedMemoryRange DeviceMemory::whole() const {
  VkMappedMemoryRange range{};
  range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
  range.memory = handle_;
  range.size = VK_WHOLE_SIZE;
  return range;
}

Resource<VkBuffer> create_buffer(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  device.require(device.vk().vkCreateBuffer(device.handle(), &info, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  return {buffer, needs, [&device](VkBuffer b) { device.vk().vkDestroyBuffer(device.handle(), b, nullptr); }};
}

Resource<VkImage> create_image(const MemoryDevice& device, const VkImageCreateInfo& info) {
  VkImage image = VK_NULL_HANDLE;
  device.require(device.vk().vkCreateImage(device.handle(), &info, nullptr, &image), "vkCreateImage");
  VkMemoryRequirements needs{};
  device.vk().vkGetImageMemoryRequirements(device.handle(), image, &needs);
  return {image, needs, [&device](VkImage i) { device.vk().vkDestroyImage(device.handle(), i, nullptr); }};
}

VkImageCreateInfo image_info(VkFormat format, std::uint32_t width, std::uint32_t height, VkImageTiling tiling,
                             VkImageUsageFlags usage) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = tiling;
  info.usage = usage;
  info.initialLayout = tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  return info;
}

BoundBuffer::BoundBuffer(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage, std::uint32_t type)
    : buffer(create_buffer(device, bytes, usage)), memory(device, buffer.needs().size, type) {
  device.require(device.vk().vkBindBufferMemory(device.handle(), buffer.handle(), memory.handle(), 0),
                 "vkBindBufferMemory");
}

std::optional<std::uint32_t> staging_type(const MemoryDevice& device) {
  const std::uint32_t bits =
      create_buffer(device, 4096, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)
          .needs()
          .memoryTypeBits;
  for (const std::uint32_t type : device.usable_types(bits))
    if ((device.flags_of(type) & (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) ==
        (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
      return type;
  return device.find_type(bits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

void memory_barrier(const MemoryDevice& device, VkCommandBuffer commands, VkPipelineStageFlags from_stage,
                    VkAccessFlags from, VkPipelineStageFlags to_stage, VkAccessFlags to) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from;
  barrier.dstAccessMask = to;
  device.vk().vkCmdPipelineBarrier(commands, from_stage, to_stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void image_barrier(const MemoryDevice& device, VkCommandBuffer commands, VkImage image, const ImageUse& from,
                   const ImageUse& to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = from.access;
  barrier.dstAccessMask = to.access;
  barrier.oldLayout = from.layout;
  barrier.newLayout = to.layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  device.vk().vkCmdPipelineBarrier(commands, from.stage, to.stage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

double timed_ns(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace lab::probe
