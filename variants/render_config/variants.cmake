# The parts of the family, each in a folder: language (JSON to plain data), engine (plain data to a frame on a device),
# coded (the same frames in C++), viewer.
set(parts ${CMAKE_CURRENT_LIST_DIR})

file(GLOB sources ${parts}/language/*.cpp)
file(GLOB tests ${parts}/*/*_test.cpp)
list(REMOVE_ITEM sources ${tests} "")
add_library(render_config_language STATIC ${sources})
lab_own(render_config_language)
target_link_libraries(render_config_language PUBLIC base)

file(GLOB sources ${parts}/engine/*.cpp ${parts}/coded/*.cpp)
list(REMOVE_ITEM sources ${tests} "")
add_library(render_config_engine STATIC ${sources})
lab_own(render_config_engine)
target_link_libraries(render_config_engine PUBLIC render_config_language vulkan designs base PRIVATE lab_spirv_cross)
include(${parts}/builtin_shaders.cmake)

target_link_libraries(family_${family} PUBLIC render_config_engine vulkan designs)
