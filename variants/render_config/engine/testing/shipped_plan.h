/// For tests: a plan of one of the shipped configurations.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/base/layout.h"
#include "variants/render_config/engine/plan.h"
#include "variants/render_config/language/read_config.h"

namespace lab::render_config {

/// `file`: below configurations/.
inline Expected<std::unique_ptr<Plan>> shipped_plan(const std::string& file, Objects& objects, std::uint32_t width,
                                                    std::uint32_t height) {
  FileSet files;
  const auto config =
      read_config(std::filesystem::path(LAB_SOURCE_DIR) / "variants/render_config/configurations" / file,
                  scene_environment(), files);
  if (!config) return config.error();
  ShaderCompiler compiler(lib_dir());
  const ReadFile read = [&](const std::filesystem::path& path) { return files.read(path); };
  auto plan = Plan::make(*config, compiler, read, objects, width, height);
  // Those that ship were compiled with this program.
  if (plan && compiler.compilations() > 0) return Error{"a shader was compiled again", ""};
  return plan;
}

}  // namespace lab::render_config
