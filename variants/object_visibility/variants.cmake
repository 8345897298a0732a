target_link_libraries(family_${family} PUBLIC vulkan_common)

# What users call: an image and a list of objects to a prompt.
lab_program(object_visibility_prompt USES vulkan_common common designs base lab_benchmark
  SOURCES ${dir}/prompt/main.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
add_dependencies(object_visibility_test object_visibility_prompt)  # its test starts it

lab_shaders(family_${family} ${dir}/shaders/count_ids.comp)

# A driver's leaks and races are its own: only a test may start it under a sanitizer.
if(LAB_SANITIZE)
  lab_variant(vulkan_compute LEFT_OUT)
endif()
