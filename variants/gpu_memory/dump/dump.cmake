# What a policy holds, in the format of VulkanMemoryAllocator's dumps: build/.../gpu_memory_dump.
set(dump ${CMAKE_CURRENT_LIST_DIR})
add_executable(gpu_memory_dump ${dump}/main.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
lab_own(gpu_memory_dump)
target_link_libraries(gpu_memory_dump PRIVATE common designs base lab_benchmark lab_vma)
set_target_properties(gpu_memory_dump PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
