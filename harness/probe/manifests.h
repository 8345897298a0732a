/// Finds drivers by their ICD manifests: where the Vulkan loader searches for them, and the pinned driver's own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::probe {

using EnvironmentVariables = std::map<std::string, std::string>;

/// This process's environment.
EnvironmentVariables current_environment();

struct Manifest {
  std::filesystem::path file;
  std::string library;                 ///< library to load: an absolute path, or a name that the dynamic linker finds
  std::string problem;                 ///< why it cannot be used; "" if it can
  bool foreign = false;                ///< for another word size: not relevant to this machine
  bool pinned = false;                 ///< from lib/
  std::vector<std::string> libraries;  ///< folders searched for shared libraries, only in this driver's process
};

/// The folders that the loader searches, in its order. `root` is prefixed to every absolute default ("/etc",
/// "/usr/share").
std::vector<std::filesystem::path> manifest_folders(const EnvironmentVariables& environment,
                                                    const std::filesystem::path& root = "");

/// The machine's own manifests: only VK_DRIVER_FILES (or VK_ICD_FILENAMES) if it is set, otherwise VK_ADD_DRIVER_FILES
/// and the folders. The files of each list are sorted by name; the same file appears once.
std::vector<Manifest> find_manifests(const EnvironmentVariables& environment, const std::filesystem::path& root = "");

/// Reads a manifest. Errors are reported in `problem`.
Manifest read_manifest(const std::filesystem::path& file);

/// The drivers under `lib` (lavapipe), each with a manifest written to `generated`: a manifest contains an absolute
/// path, which a package in the store cannot know.
Expected<std::vector<Manifest>> pinned_manifests(const std::filesystem::path& lib,
                                                 const std::filesystem::path& generated);

/// The one folder or file `lib`/<prefix>-<version>; empty if the package is not installed.
std::filesystem::path pinned_package(const std::filesystem::path& lib, const std::string& prefix);

/// The loader to use: the pinned one, otherwise the name with which the dynamic linker finds the machine's.
std::string loader_library(const std::filesystem::path& lib);

/// Writes a manifest of the pinned validation layers into `generated` and returns its folder, for VK_LAYER_PATH.
Expected<std::filesystem::path> validation_layers(const std::filesystem::path& lib,
                                                  const std::filesystem::path& generated);

}  // namespace lab::probe
