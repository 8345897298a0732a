target_link_libraries(family_${family} PUBLIC vulkan)
