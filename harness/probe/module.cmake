include(${CMAKE_CURRENT_LIST_DIR}/vulkan_names.cmake)
get_target_property(vulkan_include lab_vulkan_headers INTERFACE_INCLUDE_DIRECTORIES)
lab_write_vulkan_names(${vulkan_include}/vulkan/vulkan_core.h ${CMAKE_BINARY_DIR}/generated/vulkan_names_generated.h
  VkResult VkFormat VkImageType VkImageTiling VkImageUsageFlagBits VkBufferUsageFlagBits VkDriverId VkPhysicalDeviceType
  VkMemoryPropertyFlagBits VkMemoryHeapFlagBits)
target_include_directories(probe PUBLIC ${CMAKE_BINARY_DIR}/generated)

file(GLOB child_sources CONFIGURE_DEPENDS ${dir}/child/*.cpp)
add_executable(vulkan_probe_child ${child_sources})
lab_own(vulkan_probe_child)
target_link_libraries(vulkan_probe_child PRIVATE probe ${CMAKE_DL_LIBS})
set_target_properties(vulkan_probe_child PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
