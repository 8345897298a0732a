/// `probe --advise FILE`: prints the advice for a program.
#pragma once

#include <string>

#include "harness/base/error.h"
#include "harness/command/options.h"
#include "harness/probe/probe.h"

namespace lab::cli {

/// For each driver that `spec` chooses, or for the column of --column; as JSON with --format. `spec` begins with the
/// article's sweep. kFailed if a driver failed, gave answers that cannot be true, or gets no advice; advice is printed
/// all the same.
Expected<ExitStatus> advise_and_print(const command::Options& options, const std::string& file,
                                      const probe::ProbeSpec& spec);

}  // namespace lab::cli
