# The main of every variant executable; apart, so that tests can link the rest.
add_library(bench_main OBJECT ${dir}/variant_main.cpp)
lab_own(bench_main)
target_link_libraries(bench_main PUBLIC bench)
lab_keep_objects(bench_main)

# The same for a fuzz target (LAB_FUZZ).
add_library(bench_fuzz_main OBJECT EXCLUDE_FROM_ALL ${dir}/fuzz_main.cpp)
lab_own(bench_fuzz_main)
target_link_libraries(bench_fuzz_main PUBLIC bench)
lab_keep_objects(bench_fuzz_main)

# Times the stopwatch itself (.ci/stopwatch).
add_executable(stopwatch EXCLUDE_FROM_ALL ${dir}/stopwatch_main.cpp)
lab_own(stopwatch)
target_link_libraries(stopwatch PRIVATE bench bench_main)
set_target_properties(stopwatch PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Another decoder of PNG.
if(TARGET bench_test)
  target_link_libraries(bench_test PRIVATE lab_stb)
endif()
