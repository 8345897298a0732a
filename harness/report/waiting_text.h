/// Which benchmarks a session did not measure for lack of time.
#pragma once

#include <string>

#include "harness/results/result.h"

namespace lab::report {

/// Maximum workloads that the sentence names.
inline constexpr std::size_t kMostWorkloads = 5;

/// "30 benchmarks wait for a later session: shelf/drop, shelf/fill"; "" if none waits.
std::string waiting_text(const results::Session& session);

}  // namespace lab::report
