# vma_range.cpp compiles VulkanMemoryAllocator once for all variants. A test of dumps runs its tool on them.
target_link_libraries(family_${family} PUBLIC lab_vma)
target_compile_definitions(${family}_test PRIVATE LAB_VMA_TOOLS="${LAB_VMA_TOOLS}")

# Where the tables of the atlas lie that family/tables.cpp puts into the executables: in a column's folder, or among those
# that several columns share (harness/results/atlas.h).
set(atlas results/reference/atlas)
set(paths "")
set(tables "")
foreach(column lavapipe-25.0.7 lavapipe-22.3.6 anv-25.0.7-hd620-simulated radv-25.0.7-navi10-simulated
        nvk-25.0.7-ga102-simulated)
  set(about ${CMAKE_SOURCE_DIR}/${atlas}/${column}/column.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${about})
  file(READ ${about} about)
  string(MAKE_C_IDENTIFIER ${column} name)
  foreach(table images buffers)
    string(JSON shared ERROR_VARIABLE own GET "${about}" shared ${table}.csv)
    set(path ${atlas}/tables/${shared})
    if(own)
      set(path ${atlas}/${column}/${table}.csv)
    endif()
    string(APPEND paths "#define LAB_ATLAS_${name}_${table} \"${path}\"\n")
    list(APPEND tables ${CMAKE_SOURCE_DIR}/${path})
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/atlas_tables_generated.h CONTENT "${paths}" @ONLY)
target_include_directories(family_${family} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
set_source_files_properties(${dir}/family/tables.cpp PROPERTIES OBJECT_DEPENDS "${tables}")

include(${dir}/device/device.cmake)
include(${dir}/dump/dump.cmake)
