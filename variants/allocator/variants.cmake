lab_malloc_variants(lab_jemalloc jemalloc jemalloc_sized)
lab_malloc_variants(lab_tcmalloc tcmalloc tcmalloc_sized)
lab_variant(mimalloc USES lab_mimalloc)
lab_variant(mimalloc_sized USES lab_mimalloc)

include(${dir}/recorder/recorder.cmake)
include(${dir}/malloc/malloc.cmake)

# The recordings become part of this object.
file(GLOB traces ${dir}/traces/*.trace)
set_source_files_properties(${dir}/family/recorded_traces.cpp PROPERTIES
  COMPILE_OPTIONS "-Wa,-I${CMAKE_SOURCE_DIR}" OBJECT_DEPENDS "${traces}")

# The family's test preloads them under c_library.
add_dependencies(allocator_test fake_mallocs)
