/// The output of `probe --allocate`: what real allocations on one device found, in a few lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/probe.h"
#include "harness/results/memory_findings.h"

namespace lab::cli {

/// The findings for a terminal, with one line for each thing that is wrong at the end.
std::vector<std::string> text_of(const results::MemoryFindings& findings);

/// Allocates on the device of a column, writes memory.json into its folder, and prints text_of() to standard error.
/// kFailed if something is wrong.
Expected<ExitStatus> allocate_and_save(const probe::ProbeSpec& spec, const results::DriverColumn& column,
                                       const std::filesystem::path& folder);

}  // namespace lab::cli
