#include "variants/vulkan/measured_device.h"

#include "variants/vulkan/driver_process.h"

namespace lab::vulkan {

std::unique_ptr<Device> measured_device(const std::string& driver, const VkPhysicalDeviceFeatures& features) {
  const std::string loader = required(enter_driver(driver.empty() ? "pinned" : driver), "opening the driver");
  static Validation unwatched;
  return required(Device::open({.loader = loader, .validate = false, .draws = true, .features = features}, unwatched),
                  "opening the device");
}

std::string no_measured_device() {
  return has_pinned_driver() ? "" : "no Vulkan driver is installed: python3 make.py spm install lavapipe";
}

}  // namespace lab::vulkan
