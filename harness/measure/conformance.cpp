#include "harness/measure/conformance.h"

#include "harness/base/printable.h"

namespace lab::measure {

std::optional<ConformanceResult> run_conformance(const std::filesystem::path& executable, const Runner& run) {
  ChildSpec spec;
  spec.command = {executable.string(), "--conformance"};
  spec.timeout_seconds = kConformanceSeconds;
  const ChildOutcome outcome = run(spec);
  if (outcome.end == ChildEnd::kStopped) return std::nullopt;
  ConformanceResult found{{}, printable(outcome.error_tail)};
  const Expected<std::vector<std::string>> failures = parse_conformance(outcome.output);
  // An executable of an earlier revision runs its checks in one process: if that crashes, there is no output.
  if (failures) found.failures = *failures;
  const bool well = outcome.end == ChildEnd::kExited && outcome.code == 0;
  if (found.failures.empty() && !well)
    found.failures = {"--conformance: " + describe_end(spec, outcome)};
  else if (!failures)
    found.failures = {"--conformance: " + failures.error().what};
  return found;
}

}  // namespace lab::measure
