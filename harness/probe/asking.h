/// One driver asked: its child processes started and what they say (child/protocol.h) folded into columns.
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

struct AskSpec {
  std::filesystem::path child;  ///< vulkan_probe_child
  std::string loader;           ///< loader_library()
  std::filesystem::path sweeps_file;
  boost::json::object sweep_parameters;       ///< Sweeps::parameters of that file
  Environment environment;                    ///< what a child starts from
  std::chrono::milliseconds silence{30'000};  ///< a driver that says nothing for so long hangs
  std::filesystem::path home;                 ///< paths in it are recorded from there on: "lib/..."
  std::filesystem::path validation_layers;    ///< validation_layers(); empty: not asked for
};

struct Answer {
  std::vector<results::Column> columns;  ///< one a device, without names; a failure before any device is a column too
  std::string note;                      ///< why there is no column: "no device", "for another word size"
};

/// The environment of a driver's own process: this one manifest, no implicit layers, and the pinned libraries where
/// the driver is pinned; a driver of the machine's must not meet those.
Environment child_environment(const Manifest& manifest, const AskSpec& spec);

/// Asks every device of a driver. After a crash or a hang the devices behind it are asked by a new process.
/// An error means that nothing can be asked at all: no loader, no child executable.
Expected<Answer> ask(const Manifest& manifest, const AskSpec& spec);

}  // namespace lab::probe
