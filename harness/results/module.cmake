# The sizes of formats, from the registry that comes with the pinned Vulkan headers: no list of them is kept by hand.
include(${CMAKE_CURRENT_LIST_DIR}/texel_blocks.cmake)
get_target_property(vulkan_include lab_vulkan_headers INTERFACE_INCLUDE_DIRECTORIES)
lab_write_texel_blocks(${vulkan_include}/../share/vulkan/registry/vk.xml
  ${CMAKE_BINARY_DIR}/generated/texel_blocks_generated.h)
target_include_directories(results PRIVATE ${CMAKE_BINARY_DIR}/generated)
