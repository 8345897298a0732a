# The fixture family of the tests: one executable that behaves as the name it is started by says (fake_variant_main.cpp).
add_executable(fake_variant EXCLUDE_FROM_ALL ${dir}/fake_variant_main.cpp $<TARGET_OBJECTS:bench>)
lab_own(fake_variant)
target_link_libraries(fake_variant PRIVATE base lab_benchmark)
set_target_properties(fake_variant PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
lab_keep_link_command(fake_variant)
add_dependencies(measure_test fake_variant)

# Malloc replacements, most of them wrong, as libraries that the tests preload: build/.../tests/fake_malloc_<what>.so.
add_custom_target(fake_mallocs)
foreach(what good null sizeless pages crashing nothing part unresolved misaligned overlapping zero calloc realloc usable
        threads fork exec handlers split)
  string(TOUPPER ${what} macro)
  add_library(fake_malloc_${what} MODULE EXCLUDE_FROM_ALL ${dir}/fake_malloc.c)
  target_compile_definitions(fake_malloc_${what} PRIVATE FAKE_${macro})
  # The compiler would turn malloc and memset into a call of calloc, also inside calloc.
  target_compile_options(fake_malloc_${what} PRIVATE -fno-builtin -fPIC -fno-sanitize=all)
  target_link_options(fake_malloc_${what} PRIVATE -fno-sanitize=all)
  set_target_properties(fake_malloc_${what} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
  add_dependencies(fake_mallocs fake_malloc_${what})
endforeach()
add_dependencies(measure_test fake_mallocs)
