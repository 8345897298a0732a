/// Shows images of a device in a window of an X server.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/vulkan/memory.h"

struct xcb_connection_t;

namespace lab::vulkan {

/// A window that the caller has opened, and keeps open longer than what presents to it. The driver uses the libxcb that
/// this process has loaded.
struct XcbWindow {
  xcb_connection_t* connection;
  std::uint32_t window;
};

/// When an image is shown.
enum class Pace : std::uint8_t {
  kRefresh,     ///< at the next refresh of the screen: FIFO, which every device has
  kUnthrottled  ///< at once, or in place of one that waits: IMMEDIATE or MAILBOX if there is one, otherwise FIFO
};

/// Not thread-safe, and neither is its device.
class Presenter {
 public:
  /// `device`: opened with DeviceSpec::presents. An error with kUnfit: the device cannot present to this window.
  static Expected<std::unique_ptr<Presenter>> create(Device& device, const XcbWindow& window, Pace pace);
  ~Presenter();
  Presenter(const Presenter&) = delete;
  Presenter& operator=(const Presenter&) = delete;

  /// Shows the whole image, scaled to the window: of colour, made for transfers from it, in the layout
  /// TRANSFER_SRC_OPTIMAL. The device has read it when this returns. False if nothing is shown, because the window has
  /// no area, or its size changes again and again. An error if the window or the X server has gone.
  Expected<bool> present(VkImage image, std::uint32_t width, std::uint32_t height);

  /// The window has another size: the next present() makes images of it. Not every driver says so itself.
  void resized() { current_ = false; }

  /// Of the images in the window; 0 before the first present().
  std::uint32_t width() const { return extent_.width; }
  std::uint32_t height() const { return extent_.height; }
  VkPresentModeKHR mode() const { return mode_; }
  /// Times that images of a size were made.
  std::uint64_t swapchains() const { return swapchains_; }

 private:
  Presenter(Device& device) : device_(device) {}
  Expected<void> create_surface(const XcbWindow& window);
  Expected<void> choose(Pace pace);
  Expected<bool> make_current();
  Expected<void> create_swapchain(const VkSurfaceCapabilitiesKHR& can);
  Expected<Owned<VkSemaphore>> create_semaphore();
  void record(VkCommandBuffer commands, VkImage from, std::uint32_t width, std::uint32_t height, VkImage to) const;

  Device& device_;
  Owned<VkSurfaceKHR> surface_;
  VkSurfaceFormatKHR format_{};
  VkPresentModeKHR mode_ = VK_PRESENT_MODE_FIFO_KHR;

  Owned<VkSwapchainKHR> swapchain_;  // goes before its surface
  VkExtent2D extent_{};
  bool current_ = false;  // the swapchain fits the window, as far as we know
  std::uint64_t swapchains_ = 0;
  Owned<VkSemaphore> acquired_;
  /// By the swapchain's images. One is free again once its image has been acquired again.
  struct Target {
    VkImage image;
    Owned<VkSemaphore> blitted;
  };
  std::vector<Target> targets_;
};

}  // namespace lab::vulkan
