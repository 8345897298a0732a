# A separate executable, built only by `make.py simulate`.
add_executable(simulate_main EXCLUDE_FROM_ALL ${dir}/main.cpp)
lab_own(simulate_main)
target_link_libraries(simulate_main PRIVATE simulate)
set_target_properties(simulate_main PROPERTIES OUTPUT_NAME simulate RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set_target_properties(simulate PROPERTIES EXCLUDE_FROM_ALL TRUE)
