# The family's window, and text over its images. Nothing links libxcb.
set(viewer ${CMAKE_CURRENT_LIST_DIR})
set(overlay ${viewer}/../engine)
add_library(render_config_window STATIC ${viewer}/window.cpp ${viewer}/xcb_functions.cpp ${overlay}/overlay.cpp)
lab_own(render_config_window)
lab_shaders(render_config_window ${overlay}/shaders/overlay.vert ${overlay}/shaders/overlay.frag)
target_link_libraries(render_config_window PUBLIC vulkan base lab_xcb_headers PRIVATE lab_stb ${CMAKE_DL_LIBS})
lab_test(render_config_window SOURCES ${viewer}/window_test.cpp ${overlay}/overlay_test.cpp USES render_config_window vulkan base)
