# builtin_shaders.cpp: the sources and the SPIR-V of the shaders in configurations/, for engine/builtin_shaders.h.
set(configurations ${CMAKE_CURRENT_LIST_DIR}/configurations)
file(GLOB_RECURSE shaders ${configurations}/*.vert ${configurations}/*.frag)
file(GLOB_RECURSE texts ${configurations}/*.vert ${configurations}/*.frag ${configurations}/*.glsl)
lab_shaders(render_config_engine ${shaders})

set(includes "")
set(words "")
foreach(shader ${shaders})
  file(RELATIVE_PATH name ${configurations} ${shader})
  get_filename_component(file ${shader} NAME)
  lab_shader_array(array ${file})
  string(APPEND includes "#include \"${file}.h\"\n")
  string(APPEND words "    {\"${name}\", ${array}},\n")
endforeach()
set(sources "")
foreach(text ${texts})
  file(RELATIVE_PATH name ${configurations} ${text})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
  file(READ ${text} content)
  string(APPEND sources "    {\"${name}\", R\"glsl(${content})glsl\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/builtin_shaders.cpp @ONLY CONTENT [[
#include "variants/render_config/engine/builtin_shaders.h"

@includes@
namespace lab::render_config {

std::span<const BuiltinShader> builtin_shaders() {
  static const BuiltinShader kShaders[] = {
@words@  };
  return kShaders;
}

std::span<const BuiltinFile> builtin_files() {
  static const BuiltinFile kFiles[] = {
@sources@  };
  return kFiles;
}

}  // namespace lab::render_config
]])
target_sources(render_config_engine PRIVATE ${CMAKE_BINARY_DIR}/generated/builtin_shaders.cpp)
