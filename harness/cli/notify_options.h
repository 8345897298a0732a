/// The options --notify and --page of farm check and nightly.
#pragma once

#include <optional>
#include <vector>

#include "harness/app/notify.h"
#include "harness/cli/commands.h"

namespace lab::cli {

/// Their lines in a command's table; `before`: "check: ".
std::vector<command::Option> notify_options(const std::string& before);

/// What they ask for; none without --notify.
Expected<std::optional<app::NotifyRequest>> notify_request(const command::Options& options);

}  // namespace lab::cli
