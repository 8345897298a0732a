/// The probe: finds every driver, queries each in its own process, and returns named columns of an atlas.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/manifests.h"
#include "harness/results/atlas.h"

namespace lab::probe {

struct ProbeSpec {
  std::filesystem::path lib;        ///< spm's folder: the loader, the pinned driver, the validation layers
  std::filesystem::path generated;  ///< where manifests of these packages are written (in the build folder)
  std::filesystem::path child;      ///< vulkan_probe_child
  std::vector<std::filesystem::path> sweep_files;  ///< the article's first, whose answers are the columns' own tables
  std::filesystem::path simulated_devices = {};    ///< simulated_devices.json; empty: no simulated devices
  std::filesystem::path shims = {};                ///< their shims, which make.py builds
  std::string driver = "all";  ///< prefix of the columns to choose; a driver is skipped without a query if the name of
                               ///< its library already excludes it
  bool validate = false;       ///< use the validation layers
  EnvironmentVariables environment;  ///< where drivers are searched, and the base of their processes' environment
  std::filesystem::path root;        ///< prefix of the loader's default folders; empty outside tests
  std::chrono::milliseconds silence{30'000};            ///< a driver without output for this long counts as hanging
  std::function<void(const std::string&)> on_progress;  ///< receives one line per query and its result
};

/// Every driver that probe() may query: the pinned ones first, then the machine's.
Expected<std::vector<Manifest>> all_manifests(const ProbeSpec& spec);

/// The chosen columns, the pinned driver's first; empty if no driver is found. An error: no loader, unreadable sweeps,
/// or a `driver` that matches no name (with the nearest one).
Expected<std::vector<results::DriverColumn>> probe(const ProbeSpec& spec);

/// Makes names distinct, in the columns' order: a driver of the machine with the same name as a pinned one gets
/// "-host"; any further one with the same name (two equal GPUs) gets "-2", "-3".
void name_columns(std::vector<results::DriverColumn>& columns);

}  // namespace lab::probe
