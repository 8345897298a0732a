/// A device of a real Vulkan driver: one queue, and what the validation layer says.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/functions.h"

namespace lab::vulkan {

/// The errors and warnings of the validation layer about one device. It must outlive the device, because the layer
/// reports what was never freed when the device ends.
class Validation {
 public:
  Validation() = default;
  /// Passes each message on at once, and keeps none.
  explicit Validation(std::function<void(std::string)> receive) : receive_(std::move(receive)) {}
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

  bool active_ = false;
  std::function<void(std::string)> receive_ = [this](std::string message) { messages_.push_back(std::move(message)); };
  std::vector<std::string>* planted_ = nullptr;  // while a violation is made
  std::vector<std::string> messages_;
};

struct DeviceSpec {
  const char* application = "lab";      ///< as the driver knows it
  std::string loader = {};              ///< a path, or a name for the dynamic linker (harness/base/vulkan_driver.h)
  std::uint32_t index = 0;              ///< in the driver's order
  bool validate = true;                 ///< use the validation layer if the loader finds it
  bool draws = false;                   ///< the queue must draw, not only copy
  bool presents = false;                ///< the device must have what presenter.h needs to show images in a window
  VkPhysicalDeviceFeatures features{};  ///< that the device must have
  /// Begins the sentence of an error with kUnfit that is not the loader's.
  std::string_view unfit = "no Vulkan device: ";
  /// Is told of each call in which a driver may crash or hang, before the call.
  std::function<void(std::string_view call)> doing = {};
  /// Is told why there is no validation layer.
  std::function<void(std::string_view why)> unwatched = {};
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
  static Expected<std::unique_ptr<Device>> open(DeviceSpec spec, Validation& validation);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  const DeviceFunctions& vk() const { return functions_; }
  VkInstance instance() const { return instance_; }
  const InstanceFunctions& instance_vk() const { return instance_functions_; }
  VkPhysicalDevice physical() const { return physical_; }
  VkQueue queue() const { return queue_; }
  Validation& validation() const { return validation_; }
  /// Calls DeviceSpec::doing, if there is one.
  template <typename... Args>
  void doing(fmt::format_string<Args...> call, Args&&... args) const {
    if (spec_.doing) spec_.doing(fmt::format(call, std::forward<Args>(args)...));
  }

  std::string name() const { return properties_.deviceName; }
  /// Such as "Mesa 22.3.6 (LLVM 15.0.6)"; "" from a driver of Vulkan 1.1 or earlier.
  const std::string& driver_info() const { return driver_info_; }
  const VkPhysicalDeviceLimits& limits() const { return properties_.limits; }
  /// The device is a program: it draws on the cores that also record.
  bool is_cpu() const { return properties_.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  std::uint32_t queue_family() const { return queue_family_; }
  /// Of a timestamp that the queue writes; 0: it writes none.
  std::uint32_t timestamp_bits() const { return queue_properties_.timestampValidBits; }
  bool can_compute() const { return (queue_properties_.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; }
  /// maxMemoryAllocationSize; of a driver of Vulkan 1.0, the largest heap.
  VkDeviceSize max_allocation_bytes() const { return max_allocation_bytes_; }

  std::uint32_t memory_types() const { return memory_.memoryTypeCount; }
  VkMemoryPropertyFlags flags_of(std::uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }
  VkDeviceSize heap_bytes(std::uint32_t type) const {
    return memory_.memoryHeaps[memory_.memoryTypes[type].heapIndex].size;
  }
  /// Whether any program may use it: types with flags other than device local, host visible, coherent and cached need
  /// features or have a purpose of their own.
  bool is_usable(std::uint32_t type) const;
  /// The first usable memory type in `bits` with all of `needed`, if possible with all of `wanted`, too.
  std::optional<std::uint32_t> find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                         VkMemoryPropertyFlags wanted = 0) const;

  /// What an image of this format can be used for.
  VkFormatFeatureFlags features_of(VkFormat format, VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL) const;

  /// Records commands, submits them and waits for their fence.
  Expected<void> run(const std::function<void(VkCommandBuffer)>& commands, const Semaphores& semaphores = {}) const;
  /// Submits commands that the caller has recorded, and waits for their fence.
  Expected<void> submit(VkCommandBuffer commands, const Semaphores& semaphores = {}) const;

 protected:
  Device(DeviceSpec spec, Validation& validation) : spec_(std::move(spec)), validation_(validation) {}
  /// As open().
  Expected<void> start();

 private:
  Error unfit(std::string_view why) const;
  Expected<void> create_instance();
  Expected<void> choose();
  Expected<void> create_device();
  Expected<void> choose_queue();
  Expected<void> create_queue();

  DeviceSpec spec_;
  Validation& validation_;
  InstanceFunctions instance_functions_;
  DeviceFunctions functions_;
  std::uint32_t instance_version_ = VK_API_VERSION_1_0;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t queue_family_ = 0;
  VkQueueFamilyProperties queue_properties_{};
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDeviceSize max_allocation_bytes_ = 0;
  std::string driver_info_;
};

}  // namespace lab::vulkan
