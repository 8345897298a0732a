# The family's plan on a real Vulkan device: build/.../gpu_memory_device. Without a driver it builds all the same.
set(device ${CMAKE_CURRENT_LIST_DIR})
lab_program(gpu_memory_device BY_HAND USES vulkan_common common designs base lab_benchmark
  SOURCES ${device}/main.cpp ${device}/device_run.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
if(TARGET ${family}_test)
  target_sources(${family}_test PRIVATE ${device}/device_test.cpp)
  target_link_libraries(${family}_test PRIVATE vulkan_common)
  # A driver that differs from lavapipe in one thing.
  add_dependencies(${family}_test gpu_memory_device wrapped_icd)
endif()
