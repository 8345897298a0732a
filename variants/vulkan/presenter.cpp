#include "variants/vulkan/presenter.h"

#define VK_USE_PLATFORM_XCB_KHR
#include <fmt/format.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "harness/vulkan/barriers.h"
#include "harness/vulkan/objects.h"

namespace lab::vulkan {

namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};
constexpr int kAttempts = 8;  // to present while the window's size changes all the time

Error unfit(std::string_view why) {
  return {fmt::format("no images in the window: {}", why), "", ExitStatus::kUnfit};
}

// Of a function that is called once for the count and once for the values.
template <typename Value, typename Ask>
Expected<std::vector<Value>> all_of(const Ask& ask, std::string_view call) {
  std::uint32_t count = 0;
  VkResult result = ask(&count, nullptr);
  std::vector<Value> values(count);
  if (result == VK_SUCCESS && count > 0) result = ask(&count, values.data());
  if (const auto asked = success_of(result, call); !asked) return asked.error();
  values.resize(count);
  return values;
}

VkOffset3D corner_of(std::uint32_t width, std::uint32_t height) {
  return {static_cast<std::int32_t>(width), static_cast<std::int32_t>(height), 1};
}

}  // namespace

Expected<std::unique_ptr<Presenter>> Presenter::create(Device& device, const XcbWindow& window, Pace pace) {
  std::unique_ptr<Presenter> presenter(new Presenter(device));
  if (const auto made = presenter->create_surface(window); !made) return made.error();
  if (const auto chosen = presenter->choose(pace); !chosen) return chosen.error();
  auto acquired = presenter->create_semaphore();
  if (!acquired) return acquired.error();
  presenter->acquired_ = std::move(*acquired);
  return presenter;
}

Presenter::~Presenter() {
  device_.vk().vkQueueWaitIdle(device_.queue());
}

Expected<void> Presenter::create_surface(const XcbWindow& window) {
  const InstanceFunctions& vk = device_.instance_vk();
  const auto create = reinterpret_cast<PFN_vkCreateXcbSurfaceKHR>(
      vk.vkGetInstanceProcAddr(device_.instance(), "vkCreateXcbSurfaceKHR"));
  if (create == nullptr) return unfit("the Vulkan loader has no function vkCreateXcbSurfaceKHR");
  VkXcbSurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR;
  info.connection = window.connection;
  info.window = window.window;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  if (const auto made = success_of(create(device_.instance(), &info, nullptr, &surface), "vkCreateXcbSurfaceKHR");
      !made)
    return made.error();
  surface_ = {surface, [&device = device_](VkSurfaceKHR s) {
                device.instance_vk().vkDestroySurfaceKHR(device.instance(), s, nullptr);
              }};
  return {};
}

Expected<void> Presenter::choose(Pace pace) {
  const InstanceFunctions& vk = device_.instance_vk();
  const VkPhysicalDevice physical = device_.physical();
  const VkSurfaceKHR surface = surface_.handle();
  VkBool32 presents = VK_FALSE;
  if (const auto asked =
          success_of(vk.vkGetPhysicalDeviceSurfaceSupportKHR(physical, device_.queue_family(), surface, &presents),
                     "vkGetPhysicalDeviceSurfaceSupportKHR");
      !asked)
    return asked.error();
  if (presents == VK_FALSE) return unfit(fmt::format("the queue of '{}' cannot present to it", device_.name()));

  const auto formats = all_of<VkSurfaceFormatKHR>(
      [&](std::uint32_t* count, VkSurfaceFormatKHR* values) {
        return vk.vkGetPhysicalDeviceSurfaceFormatsKHR(physical, surface, count, values);
      },
      "vkGetPhysicalDeviceSurfaceFormatsKHR");
  if (!formats) return formats.error();
  // Values are shown as they are: a format of sRGB would encode them.
  const auto suits = [&](const VkSurfaceFormatKHR& format) {
    VkFormatProperties properties{};
    vk.vkGetPhysicalDeviceFormatProperties(physical, format.format, &properties);
    return (format.format == VK_FORMAT_B8G8R8A8_UNORM || format.format == VK_FORMAT_R8G8B8A8_UNORM) &&
           format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR &&
           (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0;
  };
  const auto format = std::ranges::find_if(*formats, suits);
  if (format == formats->end()) return unfit("expected a format of 8 bits a channel, found none");
  format_ = *format;

  if (pace == Pace::kRefresh) return {};
  const auto modes = all_of<VkPresentModeKHR>(
      [&](std::uint32_t* count, VkPresentModeKHR* values) {
        return vk.vkGetPhysicalDeviceSurfacePresentModesKHR(physical, surface, count, values);
      },
      "vkGetPhysicalDeviceSurfacePresentModesKHR");
  if (!modes) return modes.error();
  // The later one is preferred: it shows every image.
  for (const VkPresentModeKHR mode : {VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR})
    if (std::ranges::find(*modes, mode) != modes->end()) mode_ = mode;
  return {};
}

Expected<Owned<VkSemaphore>> Presenter::create_semaphore() {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  return create_object(device_, device_.vk().vkCreateSemaphore, device_.vk().vkDestroySemaphore, info,
                       "vkCreateSemaphore");
}

// False if the window has no area.
Expected<bool> Presenter::make_current() {
  if (current_) return true;
  VkSurfaceCapabilitiesKHR can{};
  if (const auto asked = success_of(
          device_.instance_vk().vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.physical(), surface_.handle(), &can),
          "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
      !asked)
    return asked.error();
  if (can.currentExtent.width == 0 || can.currentExtent.height == 0) return false;
  if ((can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
    return unfit("expected images that can be copied to, found others");
  if (const auto made = create_swapchain(can); !made) return made.error();
  current_ = true;
  return true;
}

Expected<void> Presenter::create_swapchain(const VkSurfaceCapabilitiesKHR& can) {
  // No image of the former one may be on its way to the screen.
  if (const auto idle = success_of(device_.vk().vkQueueWaitIdle(device_.queue()), "vkQueueWaitIdle"); !idle)
    return idle.error();
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface_.handle();
  info.minImageCount = can.minImageCount + 1;  // the driver may keep all but one
  if (can.maxImageCount > 0) info.minImageCount = std::min(info.minImageCount, can.maxImageCount);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = can.currentExtent;  // that of the window, always, with X
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
  info.preTransform = can.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  if ((can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) == 0)
    info.compositeAlpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  info.presentMode = mode_;
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_.handle();
  const DeviceFunctions& vk = device_.vk();
  auto made = create_object(device_, vk.vkCreateSwapchainKHR, vk.vkDestroySwapchainKHR, info, "vkCreateSwapchainKHR");
  if (!made) return made.error();
  targets_.clear();
  swapchain_ = std::move(*made);
  extent_ = info.imageExtent;
  ++swapchains_;
  const auto images = all_of<VkImage>(
      [&](std::uint32_t* count, VkImage* values) {
        return vk.vkGetSwapchainImagesKHR(device_.handle(), swapchain_.handle(), count, values);
      },
      "vkGetSwapchainImagesKHR");
  if (!images) return images.error();
  for (const VkImage image : *images) {
    auto blitted = create_semaphore();
    if (!blitted) return blitted.error();
    targets_.push_back({image, std::move(*blitted)});
  }
  return {};
}

void Presenter::record(VkCommandBuffer commands, VkImage from, std::uint32_t width, std::uint32_t height,
                       VkImage to) const {
  const DeviceFunctions& vk = device_.vk();
  // The semaphore of the acquisition waits in the same stage as this barrier.
  image_barrier(vk, commands, to, {VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED}, kCopiedTo);
  VkImageBlit blit{};
  blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  blit.srcOffsets[1] = corner_of(width, height);
  blit.dstOffsets[1] = corner_of(extent_.width, extent_.height);
  const bool same = width == extent_.width && height == extent_.height;
  vk.vkCmdBlitImage(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                    &blit, same ? VK_FILTER_NEAREST : VK_FILTER_LINEAR);
  image_barrier(vk, commands, to, kCopiedTo,
                {VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR});
}

Expected<bool> Presenter::present(VkImage image, std::uint32_t width, std::uint32_t height) {
  const DeviceFunctions& vk = device_.vk();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto fits = make_current();
    if (!fits) return fits.error();
    if (!*fits) return false;
    std::uint32_t index = 0;
    const VkSwapchainKHR swapchain = swapchain_.handle();
    const VkResult acquired =
        vk.vkAcquireNextImageKHR(device_.handle(), swapchain, kForever, acquired_.handle(), VK_NULL_HANDLE, &index);
    if (acquired == VK_ERROR_OUT_OF_DATE_KHR) {
      current_ = false;
      continue;
    }
    // Suboptimal: the image is acquired all the same.
    if (acquired != VK_SUBOPTIMAL_KHR)
      if (const auto got = success_of(acquired, "vkAcquireNextImageKHR"); !got) return got.error();
    const VkSemaphore blitted = targets_[index].blitted.handle();
    if (const auto ran = device_.run(
            [&](VkCommandBuffer commands) { record(commands, image, width, height, targets_[index].image); },
            {acquired_.handle(), VK_PIPELINE_STAGE_TRANSFER_BIT, blitted});
        !ran)
      return ran.error();
    VkPresentInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &blitted;
    info.swapchainCount = 1;
    info.pSwapchains = &swapchain;
    info.pImageIndices = &index;
    const VkResult presented = vk.vkQueuePresentKHR(device_.queue(), &info);
    if (acquired == VK_SUBOPTIMAL_KHR || presented == VK_SUBOPTIMAL_KHR) current_ = false;
    if (presented == VK_SUBOPTIMAL_KHR) return true;
    if (presented != VK_ERROR_OUT_OF_DATE_KHR) {
      if (const auto shown = success_of(presented, "vkQueuePresentKHR"); !shown) return shown.error();
      return true;
    }
    current_ = false;
  }
  // A later frame is shown.
  return false;
}

}  // namespace lab::vulkan
