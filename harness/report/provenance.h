/// The origin of the numbers, and how to reproduce them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/judge/picture.h"
#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// The facts at the top of a report.
std::vector<std::pair<std::string, std::string>> head_facts(const results::Result& result);

/// Maximum workloads that waiting_text() names.
inline constexpr std::size_t kMostWorkloads = 5;

/// "30 benchmarks wait for a later session: shelf/drop, shelf/fill"; "" if none waits.
std::string waiting_text(const results::Session& session);

/// Reasons to trust the numbers less: about the machine, the sources and, after its end, the session.
std::vector<std::string> unusual(const results::Result& result, bool running);

/// Benchmarks that crashed, hung or gave a wrong answer, with the end of their output.
Section failures_section(const results::Result& result);

/// Unsupported pairs of variant and workload, with the reasons.
Section unsupported_section(const results::Result& result);

/// Machine, build, session, pins and the commands that repeat the session. Of a picture: first which sessions it has.
Section provenance_section(const results::Result& result, const judge::Picture* picture = nullptr);

}  // namespace lab::report
