# A sanitizer is the program's malloc, and so is jemalloc.
if(LAB_SANITIZE)
  lab_variant(jemalloc LEFT_OUT)
else()
  lab_variant(jemalloc USES lab_jemalloc)
endif()
lab_variant(mimalloc USES lab_mimalloc)
include(${dir}/recorder/recorder.cmake)

# The recordings become part of this object.
file(GLOB traces ${dir}/traces/*.trace)
set_source_files_properties(${dir}/family/recorded_traces.cpp PROPERTIES
  COMPILE_OPTIONS "-Wa,-I${CMAKE_SOURCE_DIR}" OBJECT_DEPENDS "${traces}")
