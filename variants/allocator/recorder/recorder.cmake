# The recorder of traces, what packs its files, and what its test starts. Built for the tests and by record.py, not for
# a measurement. A sanitizer is the program's malloc, so there is nothing to record.
set(recorder ${CMAKE_CURRENT_LIST_DIR})
if(NOT LAB_SANITIZE)
  add_library(trace_recorder SHARED EXCLUDE_FROM_ALL ${recorder}/recorder.c)
  # The compiler may otherwise replace malloc and memset in calloc by calloc.
  target_compile_options(trace_recorder PRIVATE -fno-builtin -Wall -Wextra -Werror)
  add_executable(trace_subject EXCLUDE_FROM_ALL ${recorder}/trace_subject.c)
  target_compile_options(trace_subject PRIVATE -fno-builtin -Wall -Wextra -Werror)
  target_link_libraries(trace_subject PRIVATE Threads::Threads)
  add_executable(pack_trace EXCLUDE_FROM_ALL ${recorder}/pack_trace.cpp)
  lab_own(pack_trace)
  target_link_libraries(pack_trace PRIVATE common base lab_fmt)
  foreach(target trace_recorder trace_subject)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  endforeach()
  set_target_properties(trace_recorder trace_subject pack_trace PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/traces LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/traces)
  if(TARGET allocator_test)
    add_dependencies(allocator_test trace_recorder trace_subject)
  endif()
endif()
