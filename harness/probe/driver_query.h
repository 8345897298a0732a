/// Queries one driver: starts its child processes and converts their output (child/protocol.h) into columns.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/manifests.h"
#include "harness/probe/sweeps.h"
#include "harness/results/atlas.h"

namespace lab::probe {

struct QuerySpec {
  std::filesystem::path child;                     ///< vulkan_probe_child
  std::string loader;                              ///< loader_library()
  std::vector<std::filesystem::path> sweep_files;  ///< the article's first
  std::vector<Sweep> sweeps;                       ///< their content
  EnvironmentVariables environment;                ///< the base of a child's environment
  std::chrono::milliseconds silence{30'000};       ///< a driver without output for this long counts as hanging
  std::filesystem::path home;                      ///< paths inside it are recorded relative to it: "lib/..."
  std::filesystem::path validation_layers;         ///< validation_layers(); empty: not used
};

struct DriverReply {
  /// One per device, without names; a failure before any device counts too.
  std::vector<results::DriverColumn> columns;
  std::string note;  ///< why there is no column: "no device", "for another word size"
};

/// The environment of a driver's own process: only this manifest, no implicit layers, the pinned libraries if the
/// driver is pinned (a driver of the machine must not load those), and the shim of a simulated device.
EnvironmentVariables child_environment(const Manifest& manifest, const QuerySpec& spec);

/// Queries every device of a driver. After a crash or a hang, a new process queries the remaining devices. An error
/// means that no query is possible: no loader, no child executable.
Expected<DriverReply> query_driver(const Manifest& manifest, const QuerySpec& spec);

}  // namespace lab::probe
