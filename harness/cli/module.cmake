set_source_files_properties(${dir}/version.cpp PROPERTIES COMPILE_DEFINITIONS LAB_VERSION="${PROJECT_VERSION}")

# The harness itself: one executable with every subcommand.
lab_program(harness SOURCES ${dir}/main.cpp USES cli PLAIN)
# It starts these to ask drivers.
add_dependencies(harness vulkan_probe_child vulkan_memory_child)
# Its tests start it, on the fixture family, and ask drivers in earnest.
add_dependencies(cli_test harness fake_variant fake_mallocs fake_icd)
