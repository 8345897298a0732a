/// Finds drivers by their ICD manifests: where the Vulkan loader searches for them, and the pinned driver's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/vulkan_driver.h"
#include "harness/results/atlas.h"

namespace lab::probe {

struct Manifest {
  std::filesystem::path file;
  std::string library;                 ///< library to load: an absolute path, or a name that the dynamic linker finds
  std::string problem;                 ///< why it cannot be used; "" if it can
  bool foreign = false;                ///< for another word size: not relevant to this machine
  bool pinned = false;                 ///< from lib/
  std::vector<std::string> libraries;  ///< folders searched for shared libraries, only in this driver's process
  std::string version;                 ///< of the driver, as its package says; "" if unknown
  std::string loader;                  ///< the Vulkan loader; "": the one that all drivers share
  std::vector<std::string> starter;    ///< runs the child executable: a dynamic linker and its arguments; or nothing
  std::string preloaded;               ///< name of a library that is loaded before all others; or nothing
  std::optional<results::SimulatedDevice> simulated;  ///< none: the driver finds devices of this machine
};

/// The folders that the loader searches, in its order. `root` is prefixed to every absolute default ("/etc",
/// "/usr/share").
std::vector<std::filesystem::path> manifest_folders(const EnvironmentVariables& environment,
                                                    const std::filesystem::path& root = "");

/// The machine's own manifests: only VK_DRIVER_FILES (or VK_ICD_FILENAMES) if it is set, otherwise VK_ADD_DRIVER_FILES
/// and the folders. The files of each list are sorted by name; the same file appears once.
std::vector<Manifest> find_manifests(const EnvironmentVariables& environment, const std::filesystem::path& root = "");

/// A path as a published column holds it: relative to `home` if it is inside, so that it does not reveal the
/// checkout's.
std::string recorded_path(const std::filesystem::path& path, const std::filesystem::path& home);

/// Reads a manifest. Errors are reported in `problem`.
Manifest read_manifest(const std::filesystem::path& file);

/// Writes a manifest's file, with which the loader finds its library.
Expected<void> write_manifest(const Manifest& manifest);

/// The drivers under `lib` (lavapipe), each with a manifest written to `generated`: a manifest contains an absolute
/// path, which a package in the store cannot know.
Expected<std::vector<Manifest>> pinned_manifests(const std::filesystem::path& lib,
                                                 const std::filesystem::path& generated);

}  // namespace lab::probe
