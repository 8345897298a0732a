/// An executable on a driver of its choice: it starts itself again in the environment in which the Vulkan loader finds
/// that driver. The dynamic linker reads the environment only at a process's start, and a crash of the driver becomes
/// an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace lab::vulkan {

/// "pinned": lavapipe from packages.json. "machine": what the machine's loader finds, with the pinned loader if it is
/// there. Both with the pinned validation layers if they are there.
inline constexpr std::string_view kDrivers[] = {"pinned", "machine"};

/// Runs this executable with `arguments` and, at their end, --loader and its path. Passes on its output, and returns
/// its exit status. An error with kUnfit: the pinned driver is not installed.
Expected<int> run_on_driver(std::string_view driver, const std::vector<std::string>& arguments);

/// For a process that is already started and has one thread: unless its environment is that of `driver`, replaces the
/// process with one that has it, with the same command line. Returns the loader to open. An error with kUnfit: the
/// pinned driver is not installed.
Expected<std::string> enter_driver(std::string_view driver);

/// Whether the pinned driver is installed.
bool has_pinned_driver();

}  // namespace lab::vulkan
