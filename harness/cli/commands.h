/// The subcommands, one source file each. To add one, add its file, a line here and a line in main's table.
#pragma once

#include "harness/command/options.h"

namespace lab::cli {

using command::Command;
using command::Options;

Command list_command();
Command run_command();
Command probe_command();
Command report_command();
Command compare_command();
Command history_command();
Command bisect_command();
Command nightly_command();
Command changepoints_command();

}  // namespace lab::cli
