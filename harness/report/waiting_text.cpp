#include "harness/report/waiting_text.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/base/fit.h"

namespace lab::report {

std::string waiting_text(const results::Session& session) {
  if (session.waiting.empty()) return "";
  std::set<std::string> workloads;
  for (const results::Waiting& one : session.waiting) {
    const results::BenchmarkParts parts = results::benchmark_parts(one.benchmark);
    workloads.insert(fmt::format("{}/{}", parts.family, parts.workload));
  }
  std::vector<std::string> named;
  for (const std::string& workload : workloads)
    if (named.size() < kMostWorkloads) named.push_back(workload);
  const std::size_t more = workloads.size() - named.size();
  return fmt::format("{} for {}: {}{}", counted(session.waiting.size(), "benchmark waits", "benchmarks wait"),
                     session.mode == "quick" ? "a session without --quick" : "a later session", fmt::join(named, ", "),
                     more == 0 ? "" : fmt::format(" and {}", counted(more, "other workload")));
}

}  // namespace lab::report
