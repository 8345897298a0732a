lab_variant(colony USES lab_colony)

target_link_libraries(particle_buffer_test PRIVATE lab_colony)  # it checks the rival's buffer as well
