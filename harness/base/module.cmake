# Only zstd.cpp includes its header, so the flags of everything above base, and their objects, stay as they are.
target_link_libraries(base PRIVATE lab_zstd)
