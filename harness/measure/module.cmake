# The fixture family of the tests: one executable that behaves as the name it is started by says (fake_variant_main.cpp).
add_executable(fake_variant EXCLUDE_FROM_ALL ${dir}/fake_variant_main.cpp $<TARGET_OBJECTS:bench>)
lab_own(fake_variant)
target_link_libraries(fake_variant PRIVATE base lab_benchmark)
set_target_properties(fake_variant PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
lab_keep_link_command(fake_variant)
add_dependencies(measure_test fake_variant)
