# The main of every variant executable; apart, so that tests can link the rest.
add_library(bench_main OBJECT ${dir}/variant_main.cpp)
lab_own(bench_main)
target_link_libraries(bench_main PUBLIC bench)
