# Only manifest.cpp includes its header, for every other file the flags stay as they are.
target_link_libraries(bundle PRIVATE lab_xxhash)

# The launcher: static, because it says what is wrong on a machine where nothing else of the bundle starts.
lab_program(lab SOURCES ${dir}/launcher/main.cpp ${dir}/launcher/cpu_level.cpp USES bundle PLAIN BY_HAND)
set_source_files_properties(${dir}/launcher/cpu_level.cpp PROPERTIES COMPILE_OPTIONS -march=x86-64
  COMPILE_DEFINITIONS LAB_LEVEL="${LAB_MARCH}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
if(LAB_TOOLCHAIN STREQUAL "pinned" AND NOT LAB_SANITIZE)
  # The sysroot's libm.a is a script of the linker, with paths that only a machine's own installation has.
  file(WRITE ${CMAKE_BINARY_DIR}/static/libm.a "GROUP ( -l:libm-2.36.a -l:libmvec.a )\n")
  target_link_options(lab PRIVATE -static -s -L${CMAKE_BINARY_DIR}/static)
endif()
add_dependencies(bundle_test lab)
