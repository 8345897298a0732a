# The family's frame on a real Vulkan device: build/.../command_bucket_render. Without a driver it builds all the same.
set(device ${CMAKE_CURRENT_LIST_DIR})
add_library(command_bucket_device STATIC ${device}/drawable_scene.cpp ${device}/scene_renderer.cpp)
lab_own(command_bucket_device)
lab_precompile(command_bucket_device library)
file(GLOB shaders ${device}/shaders/*.vert ${device}/shaders/*.frag)
lab_shaders(command_bucket_device ${shaders})
target_link_libraries(command_bucket_device PUBLIC vulkan_common common designs base)

# Each variant also records its frames for a device.
target_sources(family_${family} PRIVATE ${device}/record_workloads.cpp)
target_link_libraries(family_${family} PUBLIC command_bucket_device vulkan_common)

lab_program(command_bucket_render BY_HAND USES command_bucket_device vulkan_common common designs base lab_benchmark
  SOURCES ${device}/main.cpp ${device}/render_run.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
if(TARGET ${family}_test)
  target_sources(${family}_test PRIVATE ${device}/device_test.cpp)
  target_link_libraries(${family}_test PRIVATE command_bucket_device)
  add_dependencies(${family}_test command_bucket_render wrapped_icd)  # lavapipe that differs in one thing
endif()
