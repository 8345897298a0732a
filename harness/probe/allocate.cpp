#include "harness/probe/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/printable.h"
#include "harness/base/utc.h"
#include "harness/probe/driver_process.h"
#include "harness/probe/driver_query.h"
#include "harness/probe/memory/protocol.h"

namespace lab::probe {

using results::MemoryFindings;
using results::MemoryPart;

namespace {

// Collects the output of one part's process. Its lines are expected to be well-formed; one that is not is a failure.
class PartReader {
 public:
  PartReader(MemoryFindings& findings, MemoryPart& part) : findings_(findings), part_(part) {}

  void read(std::string_view line) {
    const Expected<json::value> value = parse_json(line, "event");
    Expected<MemoryEvent> event = value ? from_json<MemoryEvent>(*value) : Expected<MemoryEvent>(value.error());
    if (event)
      take(*event);
    else
      part_.failure = {"exit", fmt::format("expected an event, found '{}'", line.substr(0, 80)), ""};
  }

  void ended(const ChildSpec& child, const ChildOutcome& outcome) {
    part_.seconds = outcome.wall_seconds;
    if (!done_ && !part_.failure) part_.failure = early_end(child, outcome, doing_);
    // Why a driver or its loader refused is in what they print.
    if (part_.failure && part_.failure->output_tail.empty()) part_.failure->output_tail = printable(outcome.error_tail);
  }

 private:
  void take(MemoryEvent& event) {
    if (event.event == "doing")
      doing_ = event.text;
    else if (event.event == "note")
      part_.notes.push_back(event.text);
    else if (event.event == "validation")
      part_.validation.push_back(event.text);
    else if (event.event == "problem")
      part_.failure = {"error", event.text, ""};
    else if (event.event == "policy")
      findings_.policy = std::move(event.policy);
    else if (event.event == "limit")
      findings_.limit = std::move(event.limit);
    else if (event.event == "texture")
      findings_.textures.push_back(std::move(event.texture));
    else if (event.event == "timing")
      findings_.timings.push_back(std::move(event.timing));
    else if (event.event == "done")
      done_ = true;
  }

  MemoryFindings& findings_;
  MemoryPart& part_;
  std::string doing_;
  bool done_ = false;
};

Expected<Manifest> manifest_of(const ProbeSpec& probe, const results::DriverColumn& column) {
  const Expected<std::vector<Manifest>> manifests = all_manifests(probe);
  if (!manifests) return manifests.error();
  for (const Manifest& manifest : *manifests)
    if (recorded_path(manifest.file, probe.lib.parent_path()) == column.driver.manifest) return manifest;
  return Error{fmt::format("no driver of '{}': expected the manifest '{}'", column.name, column.driver.manifest),
               "python3 make.py probe"};
}

}  // namespace

bool is_allocatable(const results::DriverColumn& column) {
  return !column.failure && !column.imported && !column.driver.simulated && !column.driver.device_name.empty() &&
         !column.driver.manifest.empty();
}

Expected<MemoryFindings> allocate(const ProbeSpec& probe, const AllocateSpec& spec,
                                  const results::DriverColumn& column) {
  const Expected<Manifest> manifest = manifest_of(probe, column);
  if (!manifest) return manifest.error();
  QuerySpec query;
  query.environment = probe.environment;
  // Without the layers the policy is tried all the same, and the findings say that nobody watched.
  if (const auto layers = validation_layers(probe.lib, probe.generated / "layers")) query.validation_layers = *layers;
  const EnvironmentVariables environment = child_environment(*manifest, query);

  MemoryFindings findings{.column = column.name,
                          .measured_at = utc(std::time(nullptr)),
                          .device_type = column.driver.device_type,
                          .memory_types = column.memory_types,
                          .parts = {},
                          .policy = std::nullopt,
                          .limit = std::nullopt,
                          .textures = {},
                          .timings = {}};
  for (const std::string_view name : kMemoryParts) {
    if (probe.on_progress) probe.on_progress(fmt::format("{}: real allocations: {}", column.name, name));
    MemoryPart part{.name = std::string(name), .seconds = 0, .failure = {}, .notes = {}, .validation = {}};
    std::vector<std::string> command = manifest->starter;
    const std::string loader = manifest->loader.empty() ? loader_library(probe.lib) : manifest->loader;
    for (const std::string& word : {spec.child.string(), loader, std::to_string(column.device), part.name})
      command.push_back(word);
    if (spec.layers || name == kMemoryParts.front()) command.emplace_back("layers");
    if (spec.quick) command.emplace_back("quick");
    ChildSpec child = driver_process(std::move(command), environment, probe.silence);
    PartReader reader(findings, part);
    child.on_line = [&](std::string_view line) { reader.read(line); };
    const ChildOutcome outcome = run_child(child);
    if (const std::optional<Error> error = start_error(child, outcome)) return *error;
    reader.ended(child, outcome);
    findings.parts.push_back(std::move(part));
  }
  return findings;
}

}  // namespace lab::probe
