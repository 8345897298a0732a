target_link_libraries(family_${family} PUBLIC vulkan_common)

# What users call: an image and a list of objects to a prompt.
add_executable(object_visibility_prompt ${dir}/prompt/main.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
lab_own(object_visibility_prompt)
target_link_libraries(object_visibility_prompt PRIVATE vulkan_common common designs base lab_benchmark)
set_target_properties(object_visibility_prompt PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(object_visibility_test object_visibility_prompt)  # its test starts it

lab_shaders(family_${family} ${dir}/shaders/count_ids.comp)

# A driver's leaks and races are its own: only a test may start it under a sanitizer.
if(LAB_SANITIZE)
  lab_variant(vulkan_compute LEFT_OUT)
endif()
