# Lanes of all kinds round alike, and so do shaders: no multiplication and addition are contracted.
target_compile_options(family_${family} PRIVATE -ffp-contract=off)
# The others are built for any CPU of the configured level, and this one is only called where its instructions are.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set_source_files_properties(${dir}/family/avx2_steps.cpp PROPERTIES COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
endif()

# Frames on a device.
add_library(${family}_device STATIC ${dir}/device/device_renderer.cpp)
lab_own(${family}_device)
lab_precompile(${family}_device library)
target_link_libraries(${family}_device PUBLIC vulkan_common bench common)
lab_shaders(${family}_device ${dir}/device/shaders/linearise.comp ${dir}/device/shaders/halve.comp
            ${dir}/device/shaders/obscure.comp ${dir}/device/shaders/reproject.comp)
lab_variant(vulkan_compute USES ${family}_device vulkan_common)
if(TARGET ${family}_test)
  target_sources(${family}_test PRIVATE ${dir}/device/device_test.cpp)
  target_link_libraries(${family}_test PRIVATE ${family}_device vulkan_common lab_stb)
endif()
