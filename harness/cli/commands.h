/// The subcommands, one source file each. To add one, add its file, a line here and a line in main's table.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/command/options.h"

namespace lab::cli {

using command::Command;
using command::Options;

/// The largest --seed: a result stores it as a signed number.
inline constexpr std::uint64_t kMostSeed = std::numeric_limits<std::int64_t>::max();

Command list_command();
Command run_command();
Command probe_command();
Command report_command();
Command compare_command();
Command history_command();
Command farm_command();
Command deliver_command();
Command serve_command();
Command bundle_command();
Command bisect_command();
Command nightly_command();
Command changepoints_command();
Command results_command();

}  // namespace lab::cli
