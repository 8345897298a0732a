/// The subcommands, one source file each: a new one is its file, a line here and a line in main's table.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/cli/options.h"
#include "harness/results/result.h"

namespace lab::cli {

/// Writes the report of what a session has so far into a folder. `planned_blocks`: as many as there will be, as it
/// looks now; none when the session is over.
using RefreshReport = Expected<void> (*)(const results::Result& result, const std::filesystem::path& folder,
                                         std::optional<int> planned_blocks);

Command list_command();
/// `refresh_report` is called before the first block, after every one and at the end; with it, run has the option
/// --report DIR.
Command run_command(RefreshReport refresh_report = nullptr);
Command probe_command();
Command report_command();
Command compare_command();
Command history_command();
Command bisect_command();
Command simulate_command();
Command changepoints_command();
/// While the session runs only the page, without drawings or verdicts; the whole report when it is over.
Expected<void> keep_report(const results::Result& result, const std::filesystem::path& folder,
                           std::optional<int> planned_blocks);

}  // namespace lab::cli
