# A heap of ours as a malloc for other programs: build/.../malloc/liblab_malloc.so. A sanitizer is the malloc of its
# programs, and in a build with assertions the buddy allocator's checks take their memory from the process's malloc. Its
# heap alone is tested in those too.
set(malloc ${CMAKE_CURRENT_LIST_DIR})
if(TARGET allocator_test)
  target_sources(allocator_test PRIVATE ${malloc}/growing_heap.cpp ${malloc}/growing_heap_test.cpp
    ${malloc}/inheriting_lock.cpp ${malloc}/inheriting_lock_test.cpp ${malloc}/lab_malloc_test.cpp)
  set_source_files_properties(${malloc}/lab_malloc_test.cpp PROPERTIES
    COMPILE_DEFINITIONS "LAB_CXX_COMPILER=\"${CMAKE_CXX_COMPILER}\"")
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT LAB_SANITIZE)
  add_library(lab_malloc SHARED ${malloc}/growing_heap.cpp ${malloc}/inheriting_lock.cpp ${malloc}/lab_malloc.cpp)
  lab_own(lab_malloc)
  # The compiler may otherwise replace what malloc does by a call of calloc.
  target_compile_options(lab_malloc PRIVATE -fno-builtin)
  target_link_libraries(lab_malloc PRIVATE designs)
  # Nothing but the functions of malloc is for others to see: not the C++ library inside.
  target_link_options(lab_malloc PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,now -Wl,-z,initfirst)
  set_target_properties(lab_malloc PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/malloc)
  set_property(GLOBAL APPEND PROPERTY LAB_OF_SESSION lab_malloc)  # one that `run --malloc` can measure at once
  if(TARGET allocator_test)
    add_dependencies(allocator_test lab_malloc)
  endif()
endif()
