#include "harness/cli/commands.h"

namespace lab::cli {

Command probe_command() { return {"probe", "", "", {}, [](const Options&) -> Expected<ExitStatus> { return ExitStatus::kOk; }}; }

}  // namespace lab::cli
