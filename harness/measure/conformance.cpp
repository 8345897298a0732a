#include "harness/measure/conformance.h"

#include <fmt/format.h>

#include "harness/base/printable.h"

namespace lab::measure {

namespace {

/// The first failure, and the names of the other checks that failed.
std::vector<std::string> in_one_sentence(const std::vector<std::string>& failures) {
  if (failures.size() < 2) return failures;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < failures.size(); ++i) others.push_back(failures[i].substr(0, failures[i].find(": ")));
  return {fmt::format("{}; also not true: {}", failures.front(), fmt::join(others, "; "))};
}

}  // namespace

std::optional<ConformanceResult> run_conformance(const std::filesystem::path& executable, const Runner& run,
                                                 const MallocLibrary* malloc) {
  ChildSpec spec;
  if (malloc != nullptr) spec.environment = malloc->environment();
  spec.command = {executable.string(), "--conformance"};
  spec.timeout_seconds = kConformanceSeconds;
  const ChildOutcome outcome = run(spec);
  if (outcome.end == ChildEnd::kStopped) return std::nullopt;
  if (const std::string change = malloc == nullptr ? "" : malloc->change(); !change.empty())
    return ConformanceResult{{change}, ""};
  ConformanceResult found{{}, printable(outcome.error_tail)};
  const Expected<FailedChecks> checked = parse_conformance(outcome.output);
  // An executable of an earlier revision runs its checks in one process: if that crashes, there is no output.
  if (checked) {
    found.failures = checked->failures;
    found.remarks = checked->remarks;
  }
  const bool well = outcome.end == ChildEnd::kExited && outcome.code == 0;
  if (found.failures.empty() && !well)
    found.failures = {"--conformance: " + describe_end(spec, outcome)};
  else if (!checked)
    found.failures = {"--conformance: " + checked.error().what};
  if (malloc != nullptr) found.failures = in_one_sentence(found.failures);
  return found;
}

}  // namespace lab::measure
