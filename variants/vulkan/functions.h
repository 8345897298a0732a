/// Vulkan's functions without a library at link time: the loader is opened at run time. Nothing here is newer than
/// Vulkan 1.0, apart from what a caller must expect to be null.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace lab::vulkan {

#define LAB_VULKAN_LOADER_FUNCTIONS(X) \
  X(vkCreateInstance)                  \
  X(vkEnumerateInstanceVersion)

#define LAB_VULKAN_INSTANCE_FUNCTIONS(X)       \
  X(vkDestroyInstance)                         \
  X(vkEnumeratePhysicalDevices)                \
  X(vkGetPhysicalDeviceProperties)             \
  X(vkGetPhysicalDeviceProperties2)            \
  X(vkGetPhysicalDeviceFeatures)               \
  X(vkGetPhysicalDeviceMemoryProperties)       \
  X(vkGetPhysicalDeviceQueueFamilyProperties)  \
  X(vkCreateDevice)                            \
  X(vkGetDeviceProcAddr)                       \
  X(vkCreateDebugUtilsMessengerEXT)            \
  X(vkDestroyDebugUtilsMessengerEXT)           \
  X(vkGetPhysicalDeviceFormatProperties)       \
  X(vkDestroySurfaceKHR)                       \
  X(vkGetPhysicalDeviceSurfaceSupportKHR)      \
  X(vkGetPhysicalDeviceSurfaceCapabilitiesKHR) \
  X(vkGetPhysicalDeviceSurfaceFormatsKHR)      \
  X(vkGetPhysicalDeviceSurfacePresentModesKHR)

#define LAB_VULKAN_DEVICE_FUNCTIONS(X) \
  X(vkDestroyDevice)                   \
  X(vkGetDeviceQueue)                  \
  X(vkAllocateMemory)                  \
  X(vkFreeMemory)                      \
  X(vkMapMemory)                       \
  X(vkFlushMappedMemoryRanges)         \
  X(vkInvalidateMappedMemoryRanges)    \
  X(vkCreateBuffer)                    \
  X(vkDestroyBuffer)                   \
  X(vkGetBufferMemoryRequirements)     \
  X(vkBindBufferMemory)                \
  X(vkCreateImage)                     \
  X(vkDestroyImage)                    \
  X(vkGetImageMemoryRequirements)      \
  X(vkBindImageMemory)                 \
  X(vkCreateImageView)                 \
  X(vkDestroyImageView)                \
  X(vkCreateSampler)                   \
  X(vkDestroySampler)                  \
  X(vkCreateShaderModule)              \
  X(vkDestroyShaderModule)             \
  X(vkCreateDescriptorSetLayout)       \
  X(vkDestroyDescriptorSetLayout)      \
  X(vkCreateDescriptorPool)            \
  X(vkDestroyDescriptorPool)           \
  X(vkAllocateDescriptorSets)          \
  X(vkUpdateDescriptorSets)            \
  X(vkCreatePipelineLayout)            \
  X(vkDestroyPipelineLayout)           \
  X(vkCreateGraphicsPipelines)         \
  X(vkCreateComputePipelines)          \
  X(vkDestroyPipeline)                 \
  X(vkCreateRenderPass)                \
  X(vkDestroyRenderPass)               \
  X(vkCreateFramebuffer)               \
  X(vkDestroyFramebuffer)              \
  X(vkCreateQueryPool)                 \
  X(vkDestroyQueryPool)                \
  X(vkGetQueryPoolResults)             \
  X(vkCreateCommandPool)               \
  X(vkDestroyCommandPool)              \
  X(vkResetCommandPool)                \
  X(vkAllocateCommandBuffers)          \
  X(vkBeginCommandBuffer)              \
  X(vkEndCommandBuffer)                \
  X(vkCreateSemaphore)                 \
  X(vkDestroySemaphore)                \
  X(vkCreateFence)                     \
  X(vkDestroyFence)                    \
  X(vkResetFences)                     \
  X(vkWaitForFences)                   \
  X(vkQueueSubmit)                     \
  X(vkQueueWaitIdle)                   \
  X(vkCmdPipelineBarrier)              \
  X(vkCmdCopyBuffer)                   \
  X(vkCmdFillBuffer)                   \
  X(vkCmdCopyBufferToImage)            \
  X(vkCmdCopyImageToBuffer)            \
  X(vkCmdBlitImage)                    \
  X(vkCmdResetQueryPool)               \
  X(vkCmdWriteTimestamp)               \
  X(vkCmdBeginRenderPass)              \
  X(vkCmdEndRenderPass)                \
  X(vkCmdExecuteCommands)              \
  X(vkCmdBindPipeline)                 \
  X(vkCmdSetViewport)                  \
  X(vkCmdSetScissor)                   \
  X(vkCmdBindDescriptorSets)           \
  X(vkCmdPushConstants)                \
  X(vkCmdBindVertexBuffers)            \
  X(vkCmdBindIndexBuffer)              \
  X(vkCmdDraw)                         \
  X(vkCmdDrawIndexed)                  \
  X(vkCmdDispatch)

// Of VK_KHR_swapchain, which a device has only for a window.
#define LAB_VULKAN_SWAPCHAIN_FUNCTIONS(X) \
  X(vkCreateSwapchainKHR)                 \
  X(vkDestroySwapchainKHR)                \
  X(vkGetSwapchainImagesKHR)              \
  X(vkAcquireNextImageKHR)                \
  X(vkQueuePresentKHR)

#define LAB_VULKAN_MEMBER(name) PFN_##name name = nullptr;

/// Functions without a device; null if the loader does not have one.
struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  LAB_VULKAN_LOADER_FUNCTIONS(LAB_VULKAN_MEMBER)
  LAB_VULKAN_INSTANCE_FUNCTIONS(LAB_VULKAN_MEMBER)

  /// Opens the loader: a path, or a name for the dynamic linker. It stays open until the process ends.
  Expected<void> open(const std::string& loader);
  /// After vkCreateInstance.
  void bind(VkInstance instance);
};

/// A device's own functions, all of which are there. Those of a swapchain are null unless the device presents.
struct DeviceFunctions {
  LAB_VULKAN_DEVICE_FUNCTIONS(LAB_VULKAN_MEMBER)
  LAB_VULKAN_SWAPCHAIN_FUNCTIONS(LAB_VULKAN_MEMBER)

  Expected<void> bind(const InstanceFunctions& instance, VkDevice device, bool presents);
};

#undef LAB_VULKAN_MEMBER

/// An error unless `result` is VK_SUCCESS: the call, and the result's name.
Expected<void> success_of(VkResult result, std::string_view call);

}  // namespace lab::vulkan
