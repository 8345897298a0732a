#include "harness/cli/commands.h"

namespace lab::cli {

Command list_command() { return {"list", "", "", {}, [](const Options&) -> Expected<ExitStatus> { return ExitStatus::kOk; }}; }

}  // namespace lab::cli
