# The parts of the family, each in a folder: language (JSON to plain data), engine (plain data to frames on a device),
# coded (the same frames in C++), viewer (frames in a window or in files).
set(parts ${CMAKE_CURRENT_LIST_DIR})

function(render_config_part part)
  file(GLOB sources ${parts}/${part}/*.cpp)
  file(GLOB tests ${parts}/${part}/*_test.cpp)
  list(REMOVE_ITEM sources ${tests} ${parts}/${part}/main.cpp "")
  add_library(render_config_${part} STATIC ${sources})
  lab_own(render_config_${part})
  lab_precompile(render_config_${part} library)
  target_link_libraries(render_config_${part} ${ARGN})
  if(tests)
    lab_test(render_config_${part} SOURCES ${tests} USES render_config_${part})
  endif()
endfunction()

render_config_part(language PUBLIC base)
render_config_part(engine PUBLIC render_config_language vulkan_common designs base PRIVATE lab_spirv_cross lab_stb)
lab_shaders(render_config_engine ${parts}/engine/shaders/overlay.vert ${parts}/engine/shaders/overlay.frag)
include(${parts}/builtin_shaders.cmake)
render_config_part(coded PUBLIC render_config_engine)
# Nothing links libxcb.
render_config_part(viewer PUBLIC render_config_engine lab_xcb_headers ${CMAKE_DL_LIBS})

# Pictures are written by bench.
foreach(part engine coded)
  target_sources(render_config_${part}_test PRIVATE $<TARGET_OBJECTS:bench>)
  target_link_libraries(render_config_${part}_test PRIVATE lab_benchmark lab_stb)
endforeach()

target_link_libraries(family_${family} PUBLIC render_config_coded render_config_engine vulkan_common designs)

lab_program(render_config_view BY_HAND SOURCES ${parts}/viewer/main.cpp $<TARGET_OBJECTS:bench>
  USES render_config_viewer designs base lab_benchmark)

# Its test starts it.
add_dependencies(render_config_viewer_test render_config_view)
target_sources(render_config_viewer_test PRIVATE $<TARGET_OBJECTS:bench>)
target_link_libraries(render_config_viewer_test PRIVATE designs base lab_benchmark)
