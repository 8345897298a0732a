file(GLOB child_sources ${dir}/child/*.cpp)
add_executable(vulkan_probe_child ${child_sources})
lab_own(vulkan_probe_child)
target_link_libraries(vulkan_probe_child PRIVATE probe)
set_target_properties(vulkan_probe_child PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Real allocations: another child, with a shader.
file(GLOB memory_sources ${dir}/memory/*.cpp)
add_executable(vulkan_memory_child ${memory_sources} ${dir}/child/protocol.cpp)
lab_shaders(vulkan_memory_child ${dir}/memory/shaders/sample_texture.comp)
lab_own(vulkan_memory_child)
target_link_libraries(vulkan_memory_child PRIVATE probe)
set_target_properties(vulkan_memory_child PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(probe_test vulkan_memory_child)

# For tests only: drivers that misbehave, and an independent program with the same queries.
foreach(icd fake_icd wrapped_icd)
  add_library(${icd} MODULE EXCLUDE_FROM_ALL ${dir}/testing/${icd}.cpp)
  target_compile_options(${icd} PRIVATE -fno-sanitize=all)  # a driver is built without the sanitizers of its user
  target_link_options(${icd} PRIVATE -fno-sanitize=all)
endforeach()
add_executable(vulkan_second_opinion EXCLUDE_FROM_ALL ${dir}/testing/second_opinion_main.cpp)
target_link_libraries(vulkan_second_opinion PRIVATE ${CMAKE_DL_LIBS})
foreach(target fake_icd wrapped_icd vulkan_second_opinion)
  lab_own(${target})
  target_link_libraries(${target} PRIVATE lab_vulkan_headers)
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${LAB_TEST_DIR}
    RUNTIME_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
  add_dependencies(probe_test ${target})
endforeach()
add_dependencies(probe_test vulkan_probe_child)
