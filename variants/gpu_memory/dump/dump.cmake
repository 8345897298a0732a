# What a policy holds, in the format of VulkanMemoryAllocator's dumps: build/.../gpu_memory_dump.
set(dump ${CMAKE_CURRENT_LIST_DIR})
lab_program(gpu_memory_dump BY_HAND USES common designs base lab_benchmark lab_vma
  SOURCES ${dump}/main.cpp $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
