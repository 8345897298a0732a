#include "harness/cli/commands.h"

namespace lab::cli {

Command run_command() { return {"run", "", "", {}, [](const Options&) -> Expected<ExitStatus> { return ExitStatus::kOk; }}; }

}  // namespace lab::cli
