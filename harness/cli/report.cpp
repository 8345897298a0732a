#include "harness/cli/commands.h"

namespace lab::cli {

Command report_command() { return {"report", "", "", {}, [](const Options&) -> Expected<ExitStatus> { return ExitStatus::kOk; }}; }

}  // namespace lab::cli
