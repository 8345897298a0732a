/// farm collect: takes what was delivered into the folders of its machines.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/error.h"
#include "harness/command/options.h"

namespace lab::cli {

Expected<ExitStatus> run_farm_collect(const command::Options& options, const std::filesystem::path& results);

/// One line if results wait in the inbox or lie in quarantine; "" otherwise.
std::string unread_text(const std::filesystem::path& results);

}  // namespace lab::cli
