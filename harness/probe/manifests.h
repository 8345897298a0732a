/// Which drivers there are: ICD manifests, found where the Vulkan loader looks for them, and the pinned driver's own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::probe {

using Environment = std::map<std::string, std::string>;

/// This process's environment.
Environment current_environment();

struct Manifest {
  std::filesystem::path file;
  std::string library;                 ///< what to load: an absolute path, or a name that the dynamic linker finds
  std::string problem;                 ///< why it cannot be used; empty for a good one
  bool foreign = false;                ///< for another word size: not this machine's affair
  bool pinned = false;                 ///< from lib/
  std::vector<std::string> libraries;  ///< folders that only this driver's process searches for shared libraries
};

/// The folders that the loader searches, in its order. `root` stands before every absolute default ("/etc",
/// "/usr/share").
std::vector<std::filesystem::path> manifest_folders(const Environment& environment,
                                                    const std::filesystem::path& root = "");

/// The machine's own: VK_DRIVER_FILES (else VK_ICD_FILENAMES) alone where it is set, otherwise VK_ADD_DRIVER_FILES and
/// the folders; each list's files by name, the same file once.
std::vector<Manifest> find_manifests(const Environment& environment, const std::filesystem::path& root = "");

/// Reads what a manifest says. What is wrong with it is in `problem`.
Manifest read_manifest(const std::filesystem::path& file);

/// The drivers under `lib` (lavapipe), each with a manifest written to `generated`: a manifest names an absolute path,
/// which what lies in the store cannot know.
Expected<std::vector<Manifest>> pinned_manifests(const std::filesystem::path& lib,
                                                 const std::filesystem::path& generated);

/// The one folder or file `lib`/<prefix>-<version>; empty where the package is not installed.
std::filesystem::path pinned_package(const std::filesystem::path& lib, const std::string& prefix);

/// The loader to ask through: the pinned one, else the name under which the dynamic linker finds the machine's.
std::string loader_library(const std::filesystem::path& lib);

/// Writes a manifest of the pinned validation layers into `generated` and returns its folder, for VK_LAYER_PATH.
Expected<std::filesystem::path> validation_layers(const std::filesystem::path& lib,
                                                  const std::filesystem::path& generated);

}  // namespace lab::probe
