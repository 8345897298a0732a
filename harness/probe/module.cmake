include(${CMAKE_CURRENT_LIST_DIR}/vulkan_names.cmake)
get_target_property(vulkan_include lab_vulkan_headers INTERFACE_INCLUDE_DIRECTORIES)
lab_write_vulkan_names(${vulkan_include}/vulkan/vulkan_core.h ${CMAKE_BINARY_DIR}/generated/vulkan_names_generated.h
  VkResult VkFormat VkImageType VkImageTiling VkImageUsageFlagBits VkBufferUsageFlagBits VkDriverId VkPhysicalDeviceType
  VkMemoryPropertyFlagBits VkMemoryHeapFlagBits)
target_include_directories(probe PUBLIC ${CMAKE_BINARY_DIR}/generated)

file(GLOB child_sources ${dir}/child/*.cpp)
add_executable(vulkan_probe_child ${child_sources})
lab_own(vulkan_probe_child)
target_link_libraries(vulkan_probe_child PRIVATE probe ${CMAKE_DL_LIBS})
set_target_properties(vulkan_probe_child PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# For tests only: a driver that misbehaves, and an independent program with the same queries.
add_library(fake_icd MODULE EXCLUDE_FROM_ALL ${dir}/testing/fake_icd.cpp)
target_compile_options(fake_icd PRIVATE -fno-sanitize=all)  # a driver is built without the sanitizers of its user
target_link_options(fake_icd PRIVATE -fno-sanitize=all)
add_executable(vulkan_second_opinion EXCLUDE_FROM_ALL ${dir}/testing/second_opinion_main.cpp)
target_link_libraries(vulkan_second_opinion PRIVATE ${CMAKE_DL_LIBS})
foreach(target fake_icd vulkan_second_opinion)
  lab_own(${target})
  target_link_libraries(${target} PRIVATE lab_vulkan_headers)
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${LAB_TEST_DIR}
    RUNTIME_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
  add_dependencies(probe_test ${target})
endforeach()
add_dependencies(probe_test vulkan_probe_child)
