#include "harness/measure/variant_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/bench/variant.h"
#include "harness/results/workload_fields.h"
#include "harness/stats/quantile.h"

namespace lab::measure {

template <typename F>
void fields(F& f, Description::Offer& o) {
  std::optional<std::string> unsupported;
  results::workload_fields(f, o.workload);
  f("unsupported", unsupported);
  o.unsupported = unsupported.value_or("");
}

template <typename F>
void fields(F& f, Description& d) {
  results::VariantInfo& v = d.variant;
  f("family", v.family);
  f("variant", v.name);
  f("idea", v.idea);
  f("cost", v.cost);
  f("source", v.source);
  f("weakness", v.weakness);
  f("traits", v.traits);
  f("workloads", d.offers);
}

namespace {

struct Protocol {
  int protocol = 0;
};

LAB_JSON_STRUCT(Protocol, protocol)

struct ReportedWarmup : results::Warmup {};

LAB_JSON_STRUCT(ReportedWarmup, repetitions, seconds, stationary)

/// The output of --run.
struct Measured {
  results::Process process;  ///< times are not yet divided by its operations
  int version = 0;           ///< of the workload
};

template <typename F>
void fields(F& f, Measured& m) {
  results::Process& p = m.process;
  std::optional<ReportedWarmup> warmup;
  f("benchmark", p.benchmark);
  f("version", m.version);
  f("seed", p.seed);
  f("threads", p.threads);
  f("checksum", p.checksum);
  f("operations", p.operations);
  f("repetitions", p.repetitions);
  f("samples", p.samples);
  f("counters", p.counters);
  f.added("warmup", warmup);
  f("cpu_time", p.cpu_time);
  if (warmup) p.warmup = *warmup;
}

struct CheckOutcome {
  std::string name;
  std::optional<std::string> failure;
};

LAB_JSON_STRUCT(CheckOutcome, name, failure)

/// The output of --conformance.
struct CheckOutcomes {
  std::vector<CheckOutcome> checks;
};

LAB_JSON_STRUCT(CheckOutcomes, checks)

/// Bisect runs executables of earlier commits.
constexpr int kOldestProtocol = 1;

/// Characters kept of one check's failure.
constexpr std::size_t kKeptFailure = 500;

Error bad(std::string what) {
  return Error{std::move(what), ""};
}

/// Parses the one object of `output`, whose protocol this build must support.
template <typename T>
Expected<T> parse_output(std::string_view output) {
  const Expected<json::value> value = parse_json(output, "standard output");
  if (!value) return bad(printable(value.error().what));
  const Expected<Protocol> spoken = from_json<Protocol>(*value);
  if (!spoken) return spoken.error();
  if (spoken->protocol < kOldestProtocol || spoken->protocol > bench::kProtocol)
    return bad(
        fmt::format("protocol {}, this build supports {} to {}", spoken->protocol, kOldestProtocol, bench::kProtocol));
  return from_json<T>(*value);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
}

bool is_checksum(std::string_view text) {
  return text.size() == 16 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::vector<double> thinned(const std::vector<double>& samples, std::size_t most) {
  if (samples.size() <= most) return samples;
  std::vector<double> kept;
  kept.reserve(most);
  for (std::size_t i = 0; i < most; ++i) kept.push_back(samples[i * samples.size() / most]);
  return kept;
}

/// Nanoseconds of every repetition, summed over the phases; an error if the phases are not those of the workload.
Expected<std::vector<double>> add_phases(const results::Process& process, const results::WorkloadInfo& workload) {
  if (process.samples.size() != workload.phases.size())
    return bad(fmt::format("expected samples of {} phases, found {}", workload.phases.size(), process.samples.size()));
  std::vector<double> totals(process.repetitions, 0.0);
  for (const std::string& phase : workload.phases) {
    const auto found = process.samples.find(phase);
    if (found == process.samples.end()) return bad(fmt::format("expected samples of phase '{}', found none", phase));
    const std::vector<double>& samples = found->second;
    if (samples.size() != totals.size())
      return bad(fmt::format("phase '{}': expected {} samples, found {}", phase, totals.size(), samples.size()));
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (samples[i] < 0) return bad(fmt::format("phase '{}': found a negative time", phase));
      totals[i] += samples[i];
    }
  }
  return totals;
}

Expected<void> check_request(const Measured& measured, const ProcessRequest& request) {
  const results::Process& process = measured.process;
  const results::WorkloadInfo& workload = *request.workload;
  if (process.benchmark != request.benchmark)
    return bad(fmt::format("expected benchmark {}, found {}", request.benchmark, process.benchmark));
  if (measured.version != workload.version)
    return bad(fmt::format("expected version {} of the workload, found {}", workload.version, measured.version));
  if (process.seed != request.seed) return bad(fmt::format("expected seed {}, found {}", request.seed, process.seed));
  if (process.operations != workload.operations)
    return bad(fmt::format("expected {} operations, found {}", workload.operations, process.operations));
  if (!is_checksum(process.checksum))
    return bad(fmt::format("checksum: expected 16 hex digits, found '{}'", process.checksum.substr(0, 40)));
  if (process.repetitions == 0) return bad("expected at least one repetition, found none");
  if (process.warmup && process.warmup->seconds < 0)
    return bad(fmt::format("warmup: expected 0 or more seconds, found {}", process.warmup->seconds));
  if (process.cpu_time < 0) return bad(fmt::format("cpu_time: expected 0 or more, found {}", process.cpu_time));
  return {};
}

}  // namespace

Expected<Description> parse_description(std::string_view output) {
  Expected<Description> description = parse_output<Description>(output);
  if (!description) return description;
  const results::VariantInfo& variant = description->variant;
  if (!is_name(variant.family) || !is_name(variant.name))
    return bad(fmt::format("'{}/{}' is not a variant's name", variant.family, variant.name));
  for (Description::Offer& offer : description->offers) {
    results::WorkloadInfo& workload = offer.workload;
    workload.family = variant.family;
    if (!is_name(workload.name)) return bad(fmt::format("'{}' is not a workload's name", workload.name));
    if (workload.operations == 0) return bad(fmt::format("workload {}: expected operations, found 0", workload.name));
    if (workload.phases.empty()) return bad(fmt::format("workload {}: expected phases, found none", workload.name));
    for (const auto& [phase, operations] : workload.phase_operations)
      if (operations == 0 || std::find(workload.phases.begin(), workload.phases.end(), phase) == workload.phases.end())
        return bad(
            fmt::format("workload {}: phase_operations: expected a phase and more than 0 operations, found '{}': {}",
                        workload.name, phase, operations));
  }
  return description;
}

Expected<std::vector<std::string>> parse_conformance(std::string_view output) {
  const Expected<CheckOutcomes> outcomes = parse_output<CheckOutcomes>(output);
  if (!outcomes) return outcomes.error();
  if (outcomes->checks.empty()) return bad("expected checks, found none");
  std::vector<std::string> failures;
  for (const CheckOutcome& check : outcomes->checks)
    if (check.failure)
      failures.push_back(printable(fmt::format("{}: {}", check.name, *check.failure).substr(0, kKeptFailure)));
  return failures;
}

std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte >= 0x7f) c = '?';
  }
  return text;
}

Expected<results::Process> parse_measurement(std::string_view output, const ProcessRequest& request) {
  Expected<Measured> measured = parse_output<Measured>(output);
  if (!measured) return measured.error();
  if (const Expected<void> checked = check_request(*measured, request); !checked) return checked.error();
  results::Process& process = measured->process;
  const Expected<std::vector<double>> totals = add_phases(process, *request.workload);
  if (!totals) return totals.error();

  const auto operations = static_cast<double>(process.operations);
  process.real_time = stats::median(*totals) / operations;
  process.cpu_time /= operations;
  process.timed_seconds = std::accumulate(totals->begin(), totals->end(), 0.0) * 1e-9;
  for (auto& [phase, samples] : process.samples) samples = thinned(samples, request.kept_samples);
  if (!(process.real_time > 0)) return bad(fmt::format("expected a median time above 0, found {}", process.real_time));
  return std::move(process);
}

}  // namespace lab::measure
