/// A device of a real Vulkan driver: one queue, and what the validation layer says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "variants/vulkan/functions.h"

namespace lab::vulkan {

/// The errors and warnings of the validation layer about one device. It must outlive the device, because the layer
/// reports what was never freed when the device ends.
class Validation {
 public:
  Validation() = default;
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  /// Whether the layer is there. Without it there are no messages, whatever the program does.
  bool active() const { return active_; }
  const std::vector<std::string>& messages() const { return messages_; }
  /// What the layer says of a violation that is made on purpose. The wrong call does not reach the driver.
  std::vector<std::string> planted(const std::function<void()>& violate);

 private:
  friend class Device;
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);
  VkDebugUtilsMessengerCreateInfoEXT messenger_info();

  bool active_ = false;
  std::vector<std::string>* planted_ = nullptr;  // while a violation is made
  std::vector<std::string> messages_;
};

struct DeviceSpec {
  std::string loader = {};              ///< a path, or a name for the dynamic linker (harness/base/vulkan_driver.h)
  std::uint32_t index = 0;              ///< in the driver's order
  bool validate = true;                 ///< use the validation layer if the loader finds it
  bool draws = false;                   ///< the queue must draw, not only copy
  bool presents = false;                ///< the device must have what presenter.h needs to show images in a window
  VkPhysicalDeviceFeatures features{};  ///< that the device must have
};

/// Around a submission; null: none.
struct Semaphores {
  VkSemaphore wait = VK_NULL_HANDLE;
  VkPipelineStageFlags wait_stages = 0;  ///< that wait
  VkSemaphore signal = VK_NULL_HANDLE;   ///< at the end
};

/// Not thread-safe.
class Device {
 public:
  /// An error with kUnfit: this machine has no such loader, driver or device, or the device lacks what `spec` asks for.
  static Expected<std::unique_ptr<Device>> open(const DeviceSpec& spec, Validation& validation);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  const DeviceFunctions& vk() const { return functions_; }
  VkInstance instance() const { return instance_; }
  const InstanceFunctions& instance_vk() const { return instance_functions_; }
  VkPhysicalDevice physical() const { return physical_; }
  VkQueue queue() const { return queue_; }
  Validation& validation() { return validation_; }

  std::string name() const { return properties_.deviceName; }
  /// Such as "Mesa 22.3.6 (LLVM 15.0.6)"; "" from a driver of Vulkan 1.1 or earlier.
  const std::string& driver_info() const { return driver_info_; }
  const VkPhysicalDeviceLimits& limits() const { return properties_.limits; }
  /// The device is a program: it draws on the cores that also record.
  bool is_cpu() const { return properties_.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  std::uint32_t queue_family() const { return queue_family_; }
  /// Of a timestamp that the queue writes; 0: it writes none.
  std::uint32_t timestamp_bits() const { return timestamp_bits_; }
  /// maxMemoryAllocationSize; of a driver of Vulkan 1.0, the largest heap.
  VkDeviceSize max_allocation_bytes() const { return max_allocation_bytes_; }

  std::uint32_t memory_types() const { return memory_.memoryTypeCount; }
  VkMemoryPropertyFlags flags_of(std::uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }
  VkDeviceSize heap_bytes(std::uint32_t type) const {
    return memory_.memoryHeaps[memory_.memoryTypes[type].heapIndex].size;
  }
  /// The first memory type in `bits` with all of `needed`, if possible with all of `wanted`, too. Types with flags
  /// other than device local, host visible, coherent and cached need features or have a purpose of their own.
  std::optional<std::uint32_t> find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                         VkMemoryPropertyFlags wanted = 0) const;

  /// What an image of this format in optimal tiling can be used for.
  VkFormatFeatureFlags features_of(VkFormat format) const;

  /// Records commands, submits them and waits for their fence.
  Expected<void> run(const std::function<void(VkCommandBuffer)>& commands, const Semaphores& semaphores = {});
  /// Submits commands that the caller has recorded, and waits for their fence.
  Expected<void> submit(VkCommandBuffer commands, const Semaphores& semaphores = {});

 private:
  explicit Device(Validation& validation) : validation_(validation) {}
  Expected<void> create_instance(const DeviceSpec& spec);
  Expected<void> choose(std::uint32_t index);
  Expected<void> create_device(const DeviceSpec& spec);
  Expected<void> choose_queue(bool draws);
  Expected<void> create_queue();

  Validation& validation_;
  InstanceFunctions instance_functions_;
  DeviceFunctions functions_;
  std::uint32_t instance_version_ = VK_API_VERSION_1_0;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t queue_family_ = 0, timestamp_bits_ = 0;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDeviceSize max_allocation_bytes_ = 0;
  std::string driver_info_;
};

}  // namespace lab::vulkan
