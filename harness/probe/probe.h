/// The probe: every driver found, each asked in a process of its own, as named columns of an atlas.
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
  std::filesystem::path lib;          ///< spm's folder: the loader, the pinned driver, the validation layers
  std::filesystem::path generated;    ///< where manifests of what lies there are written (in the build folder)
  std::filesystem::path child;        ///< vulkan_probe_child
  std::filesystem::path sweeps_file;  ///< sweeps.json or another
  std::string driver = "all";         ///< the columns whose name begins so; other drivers are left alone where their
                                      ///< library's name already tells who they are
  bool validate = false;              ///< under the validation layers
  Environment environment;            ///< where drivers are looked for, and what their processes start from
  std::filesystem::path root;         ///< before the loader's default folders; empty outside tests
  std::chrono::milliseconds silence{30'000};     ///< a driver that says nothing for so long hangs
  std::function<void(const std::string&)> talk;  ///< a line on what was asked and what came of it
};

/// The chosen columns, the pinned driver's first. None is an answer where no driver is found. An error: no loader,
/// unreadable sweeps, or a `driver` that nothing is called (with the nearest name).
Expected<std::vector<results::Column>> probe(const ProbeSpec& spec);

/// Distinct names in the columns' order: one of the machine's that is called as a pinned one gets "-host", any further
/// of the same name (two equal GPUs) "-2", "-3".
void name_columns(std::vector<results::Column>& columns);

}  // namespace lab::probe
