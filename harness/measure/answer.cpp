#include "harness/measure/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>

#include "harness/base/json_fields.h"
#include "harness/bench/variant.h"
#include "harness/stats/quantile.h"

namespace lab::measure {

namespace json = boost::json;

namespace {

struct Offered {
  std::string name;
  std::string title;
  int version = 0;
  std::vector<std::string> phases;
  std::uint64_t operations = 0;
  std::string operation;
  bool parallel = false;
  std::map<std::string, std::uint64_t> phase_operations;
  std::optional<std::string> unsupported;
};

struct Described {
  std::string family;
  std::string variant;
  std::string idea;
  std::string cost;
  std::string source;
  std::string weakness;
  std::map<std::string, std::string> traits;
  std::vector<Offered> workloads;
};

struct WarmedUp {
  std::uint64_t repetitions = 0;
  double seconds = 0;
  bool stationary = true;
};

struct Measured {
  std::string benchmark;
  int version = 0;
  std::uint64_t seed = 0;
  unsigned threads = 0;
  std::string checksum;
  std::uint64_t operations = 0;
  std::uint64_t repetitions = 0;
  std::map<std::string, std::vector<double>> samples;
  std::map<std::string, double> counters;
  std::optional<WarmedUp> warmup;
  double cpu_time = 0;
};

struct Checked {
  std::string name;
  std::optional<std::string> failure;
};

struct Conformed {
  std::vector<Checked> checks;
};

/// Bisect runs executables of earlier commits.
constexpr int kOldestProtocol = 1;

/// Characters kept of one check's failure.
constexpr std::size_t kKeptFailure = 500;

template <typename F>
void fields(F& f, Offered& o) {
  f("name", o.name);
  f("title", o.title);
  f("version", o.version);
  f("phases", o.phases);
  f("operations", o.operations);
  f("operation", o.operation);
  f("parallel", o.parallel);
  f.added("phase_operations", o.phase_operations);
  f("unsupported", o.unsupported);
}

template <typename F>
void fields(F& f, Described& d) {
  f("family", d.family);
  f("variant", d.variant);
  f("idea", d.idea);
  f("cost", d.cost);
  f("source", d.source);
  f("weakness", d.weakness);
  f("traits", d.traits);
  f("workloads", d.workloads);
}

template <typename F>
void fields(F& f, WarmedUp& w) {
  f("repetitions", w.repetitions);
  f("seconds", w.seconds);
  f("stationary", w.stationary);
}

template <typename F>
void fields(F& f, Measured& m) {
  f("benchmark", m.benchmark);
  f("version", m.version);
  f("seed", m.seed);
  f("threads", m.threads);
  f("checksum", m.checksum);
  f("operations", m.operations);
  f("repetitions", m.repetitions);
  f("samples", m.samples);
  f("counters", m.counters);
  f.added("warmup", m.warmup);
  f("cpu_time", m.cpu_time);
}

template <typename F>
void fields(F& f, Checked& c) {
  f("name", c.name);
  f("failure", c.failure);
}

template <typename F>
void fields(F& f, Conformed& c) {
  f("checks", c.checks);
}

Error bad(std::string what) {
  return Error{std::move(what), ""};
}

/// Parses the one object of `output`; its protocol must be supported by this build.
template <typename T>
Expected<T> parse_words(std::string_view output) {
  if (output.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return bad("expected a JSON object, found no output");
  boost::system::error_code problem;
  const json::value value = json::parse(output, problem);
  if (problem) return bad(fmt::format("expected one JSON object, found something else ({})", problem.message()));
  const json::object* object = value.if_object();
  const json::value* protocol = object == nullptr ? nullptr : object->if_contains("protocol");
  if (protocol == nullptr) return bad("expected an object with a protocol version, found none");
  if (!protocol->is_int64() || protocol->get_int64() < kOldestProtocol || protocol->get_int64() > bench::kProtocol)
    return bad(fmt::format("protocol {}, this build speaks {} to {}", json::serialize(*protocol), kOldestProtocol,
                           bench::kProtocol));
  return from_json<T>(value);
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

std::vector<double> thinned(const std::vector<double>& samples) {
  if (samples.size() <= kKeptSamples) return samples;
  std::vector<double> kept;
  kept.reserve(kKeptSamples);
  for (std::size_t i = 0; i < kKeptSamples; ++i) kept.push_back(samples[i * samples.size() / kKeptSamples]);
  return kept;
}

/// Nanoseconds of every repetition, summed over the phases; an error if the phases are not those of the workload.
Expected<std::vector<double>> add_phases(const Measured& measured, const results::WorkloadInfo& workload) {
  if (measured.samples.size() != workload.phases.size())
    return bad(fmt::format("expected samples of {} phases, found {}", workload.phases.size(), measured.samples.size()));
  std::vector<double> totals(measured.repetitions, 0.0);
  for (const std::string& phase : workload.phases) {
    const auto found = measured.samples.find(phase);
    if (found == measured.samples.end()) return bad(fmt::format("expected samples of phase '{}', found none", phase));
    if (found->second.size() != measured.repetitions)
      return bad(
          fmt::format("phase '{}': expected {} samples, found {}", phase, measured.repetitions, found->second.size()));
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (found->second[i] < 0) return bad(fmt::format("phase '{}': found a negative time", phase));
      totals[i] += found->second[i];
    }
  }
  return totals;
}

Expected<void> check_asked(const Measured& measured, const Asked& asked) {
  const results::WorkloadInfo& workload = *asked.workload;
  if (measured.benchmark != asked.benchmark)
    return bad(fmt::format("expected benchmark {}, found {}", asked.benchmark, measured.benchmark));
  if (measured.version != workload.version)
    return bad(fmt::format("expected version {} of the workload, found {}", workload.version, measured.version));
  if (measured.seed != asked.seed) return bad(fmt::format("expected seed {}, found {}", asked.seed, measured.seed));
  if (measured.operations != workload.operations)
    return bad(fmt::format("expected {} operations, found {}", workload.operations, measured.operations));
  if (!is_checksum(measured.checksum))
    return bad(fmt::format("checksum: expected 16 hex digits, found '{}'", measured.checksum.substr(0, 40)));
  if (measured.repetitions == 0) return bad("expected at least one repetition, found none");
  if (measured.warmup && measured.warmup->seconds < 0)
    return bad(fmt::format("warmup: expected 0 or more seconds, found {}", measured.warmup->seconds));
  if (measured.cpu_time < 0) return bad(fmt::format("cpu_time: expected 0 or more, found {}", measured.cpu_time));
  return {};
}

}  // namespace

Expected<Description> parse_description(std::string_view output) {
  const Expected<Described> described = parse_words<Described>(output);
  if (!described) return described.error();
  Description description;
  description.variant = {described->family,   described->variant, false,
                         described->idea,     described->cost,    described->source,
                         described->weakness, described->traits};
  if (!is_name(described->family) || !is_name(described->variant))
    return bad(fmt::format("'{}/{}' is no name of a variant", described->family, described->variant));
  for (const Offered& offered : described->workloads) {
    if (!is_name(offered.name)) return bad(fmt::format("'{}' is no name of a workload", offered.name));
    if (offered.operations == 0) return bad(fmt::format("workload {}: expected operations, found 0", offered.name));
    if (offered.phases.empty()) return bad(fmt::format("workload {}: expected phases, found none", offered.name));
    for (const auto& [phase, operations] : offered.phase_operations)
      if (operations == 0 || std::find(offered.phases.begin(), offered.phases.end(), phase) == offered.phases.end())
        return bad(
            fmt::format("workload {}: phase_operations: expected a phase and more than 0 operations, found '{}': {}",
                        offered.name, phase, operations));
    description.offers.push_back({{described->family, offered.name, offered.title, offered.version, offered.phases,
                                   offered.operations, offered.operation, offered.parallel, offered.phase_operations},
                                  offered.unsupported.value_or("")});
  }
  return description;
}

Expected<std::vector<std::string>> parse_conformance(std::string_view output) {
  const Expected<Conformed> conformed = parse_words<Conformed>(output);
  if (!conformed) return conformed.error();
  if (conformed->checks.empty()) return bad("expected checks, found none");
  std::vector<std::string> failures;
  for (const Checked& check : conformed->checks)
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

Expected<results::Process> parse_measurement(std::string_view output, const Asked& asked) {
  const Expected<Measured> measured = parse_words<Measured>(output);
  if (!measured) return measured.error();
  if (const Expected<void> checked = check_asked(*measured, asked); !checked) return checked.error();
  const Expected<std::vector<double>> totals = add_phases(*measured, *asked.workload);
  if (!totals) return totals.error();

  const auto operations = static_cast<double>(measured->operations);
  results::Process process;
  process.benchmark = asked.benchmark;
  process.repetitions = measured->repetitions;
  process.real_time = stats::median(*totals) / operations;
  process.cpu_time = measured->cpu_time / operations;
  process.threads = measured->threads;
  process.seed = asked.seed;
  process.checksum = measured->checksum;
  process.operations = measured->operations;
  process.timed_seconds = std::accumulate(totals->begin(), totals->end(), 0.0) * 1e-9;
  process.counters = measured->counters;
  if (const std::optional<WarmedUp>& warmup = measured->warmup)
    process.warmup = {warmup->repetitions, warmup->seconds, warmup->stationary};
  for (const auto& [phase, samples] : measured->samples) process.samples[phase] = thinned(samples);
  if (!(process.real_time > 0)) return bad(fmt::format("expected a median time above 0, found {}", process.real_time));
  return process;
}

}  // namespace lab::measure
