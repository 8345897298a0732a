include(${CMAKE_CURRENT_LIST_DIR}/generate.cmake)
get_target_property(vulkan_include lab_vulkan_headers INTERFACE_INCLUDE_DIRECTORIES)
set(core ${vulkan_include}/vulkan/vulkan_core.h)
lab_write_vulkan_names(${core} ${CMAKE_BINARY_DIR}/generated/vulkan_names_generated.h
  VkResult VkFormat VkImageType VkImageTiling VkImageUsageFlagBits VkBufferUsageFlagBits VkDriverId VkPhysicalDeviceType
  VkMemoryPropertyFlagBits VkMemoryHeapFlagBits VkImageCreateFlagBits VkBufferCreateFlagBits)
lab_write_vulkan_functions(${core} ${CMAKE_BINARY_DIR}/generated/vulkan_functions_generated.h)
target_include_directories(vulkan PUBLIC ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(vulkan PUBLIC ${CMAKE_DL_LIBS})
