/// GLSL to SPIR-V while the program runs, with the pinned glslang in a process of its own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "variants/render_config/engine/objects.h"
#include "variants/render_config/engine/shader_interface.h"
#include "variants/render_config/engine/shader_source.h"

namespace lab::render_config {

struct CompiledShader {
  std::shared_ptr<const ShaderCode> code;
  ShaderInterface interface;
};

/// Keeps what it has compiled by the text of the source: a reload compiles what has changed. Used by one thread.
class ShaderCompiler {
 public:
  /// `lib`: spm's folder of packages. It starts with the shaders that were compiled with this program
  /// (builtin_shaders.h), which need no compiler.
  explicit ShaderCompiler(std::filesystem::path lib);

  /// An error in the code names file, line and what glslang says. `from`: where the file is named.
  Expected<std::shared_ptr<const CompiledShader>> compile(const std::filesystem::path& file, ShaderStage stage,
                                                          const Place& from, const ReadFile& read);

  /// How many times the compiler was started, and for how long in all; seconds.
  std::size_t compilations() const { return compilations_; }
  double seconds() const { return seconds_; }

 private:
  Expected<std::vector<std::uint32_t>> run_compiler(const ShaderSource& source, ShaderStage stage, const Place& from);

  std::filesystem::path lib_;
  std::map<std::string, std::shared_ptr<const CompiledShader>> compiled_;
  std::size_t compilations_ = 0;
  double seconds_ = 0;
};

/// The code of SPIR-V, with its name.
std::shared_ptr<const ShaderCode> shader_code(std::span<const std::uint32_t> words);

}  // namespace lab::render_config
