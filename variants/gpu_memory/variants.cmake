# vma_range.cpp compiles VulkanMemoryAllocator once for all variants. A test of dumps runs its tool on them.
target_link_libraries(family_${family} PUBLIC lab_vma)
target_compile_definitions(${family}_test PRIVATE LAB_VMA_TOOLS="${LAB_VMA_TOOLS}")

include(${dir}/device/device.cmake)
include(${dir}/dump/dump.cmake)
