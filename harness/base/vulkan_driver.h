/// How a process must be started to find one Vulkan driver, and no other: the pinned packages of Vulkan, and the
/// environment of the Vulkan loader. Nothing here calls Vulkan.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab {

using EnvironmentVariables = std::map<std::string, std::string>;

/// This process's environment.
EnvironmentVariables current_environment();

/// The one folder or file `lib`/<prefix>-<version>; empty if the package is not installed.
std::filesystem::path pinned_package(const std::filesystem::path& lib, const std::string& prefix);

/// The folders with the libraries that pinned drivers link; none has a C library.
std::vector<std::string> pinned_libraries(const std::filesystem::path& lib);

/// The loader to use: the pinned one, otherwise the name with which the dynamic linker finds the machine's.
std::string loader_library(const std::filesystem::path& lib);

/// Writes a driver's manifest, with which the loader finds its library: it contains an absolute path, which a package
/// in the store cannot know.
Expected<void> write_driver_manifest(const std::filesystem::path& file, const std::string& library);

/// Writes a manifest of the pinned validation layers into `generated` and returns its folder, for VK_LAYER_PATH.
Expected<std::filesystem::path> validation_layers(const std::filesystem::path& lib,
                                                  const std::filesystem::path& generated);

/// `inherited`, changed so that the loader finds the driver of this manifest alone, and no implicit layer. The dynamic
/// linker searches `libraries` and no other folders, unless there are none: a driver of the machine must not load the
/// pinned ones. `layers`: validation_layers(), or empty: no explicit layer, whichever the machine has. LAB_SHADER_CACHE
/// in `inherited`: the folder in which Mesa keeps compiled shaders for later processes; without it they are not kept.
EnvironmentVariables driver_environment(EnvironmentVariables inherited, const std::filesystem::path& manifest,
                                        const std::vector<std::string>& libraries, const std::filesystem::path& layers);

}  // namespace lab
