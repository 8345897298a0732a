/// farm submit, farm status and farm cancel.
#pragma once

#include <filesystem>

#include "harness/cli/commands.h"

namespace lab::cli {

Expected<ExitStatus> run_submit(const Options& options, const std::filesystem::path& results);
Expected<ExitStatus> run_status(const Options& options, const std::filesystem::path& results);
Expected<ExitStatus> run_cancel(const Options& options, const std::filesystem::path& results);

}  // namespace lab::cli
