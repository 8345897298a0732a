file(GLOB child_sources ${dir}/child/*.cpp)
lab_program(vulkan_probe_child SOURCES ${child_sources} USES probe PLAIN)

# Real allocations: another child, with a shader.
file(GLOB memory_sources ${dir}/memory/*.cpp)
lab_program(vulkan_memory_child SOURCES ${memory_sources} ${dir}/child/protocol.cpp USES probe PLAIN)
lab_shaders(vulkan_memory_child ${dir}/memory/shaders/sample_texture.comp)
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
