# lab_shader_array(<variable> <shader file>)   the name of its array
function(lab_shader_array variable file)
  string(REGEX REPLACE "[._]" ";" words ${file})
  set(array k)
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND array ${first}${rest})
  endforeach()
  set(${variable} ${array} PARENT_SCOPE)
endfunction()

# lab_shaders(<target> <shader.vert|frag|comp>...)
#     Compiles GLSL to SPIR-V while building, into headers that <target> includes: light_disc.frag becomes
#     "light_disc.frag.h" with an array kLightDiscFrag of 32-bit words. The header is included after <cstdint>. A shader
#     may include files of its own folder. The compiler and the validator, which must accept its output, are pinned and
#     run on the pinned libraries, with any toolchain.
function(lab_shaders target)
  lab_package(glslang glslang)
  lab_package(spirv_tools spirv-tools)
  lab_package(runtime runtime)
  # Where the machine's C library is too old, they are started by the pinned loader (harness/make/toolchain.py).
  set(start ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${runtime})
  if(LAB_LOADER)
    get_filename_component(libc ${LAB_LOADER} DIRECTORY)
    set(start ${LAB_LOADER} --inhibit-cache --library-path ${libc}:${runtime})
  endif()
  set(folder ${CMAKE_BINARY_DIR}/generated/shaders/${target})
  file(MAKE_DIRECTORY ${folder})
  foreach(shader ${ARGN})
    get_filename_component(shader ${shader} ABSOLUTE)
    get_filename_component(file ${shader} NAME)
    lab_shader_array(array ${file})
    set(header ${folder}/${file}.h)
    add_custom_command(OUTPUT ${header} DEPENDS ${shader} DEPFILE ${header}.d VERBATIM
      COMMAND ${start} ${glslang}/bin/glslangValidator --quiet -V
        -o ${folder}/${file}.spv ${shader}
      COMMAND ${start} ${spirv_tools}/bin/spirv-val --target-env vulkan1.0
        ${folder}/${file}.spv
      COMMAND ${start} ${glslang}/bin/glslangValidator --quiet -V
        --vn ${array} --depfile ${header}.d -o ${header} ${shader})
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
