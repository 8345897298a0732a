# A sanitizer is the program's malloc, and so are jemalloc and tcmalloc.
foreach(rival jemalloc tcmalloc)
  foreach(variant ${rival} ${rival}_sized)
    if(LAB_SANITIZE)
      lab_variant(${variant} LEFT_OUT)
    else()
      lab_variant(${variant} USES lab_${rival})
    endif()
  endforeach()
endforeach()
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
