/// Where the numbers came from, and how to get them again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// The few facts that head a report.
std::vector<std::pair<std::string, std::string>> head_facts(const results::Result& result);

/// What makes these numbers less than they seem: of the machine, the sources and, when it is over, the session.
std::vector<std::string> unusual(const results::Result& result, bool running);

/// Benchmarks that crashed, hung or answered wrongly, with the end of what they said.
Section failures_section(const results::Result& result);

/// Pairs that cannot work, with their reasons.
Section unsupported_section(const results::Result& result);

/// Machine, build, session, pins and the commands that repeat it.
Section provenance_section(const results::Result& result);

}  // namespace lab::report
