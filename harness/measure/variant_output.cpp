#include "harness/measure/variant_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/printable.h"
#include "harness/bench/checksum.h"
#include "harness/bench/description_json.h"
#include "harness/bench/variant.h"
#include "harness/results/metrics.h"
#include "harness/stats/quantile.h"

namespace lab::measure {

template <typename F>
void fields(F& f, Description::Offer& o) {
  std::optional<std::string> unsupported;
  bench::workload_fields(f, o.workload);
  f("unsupported", unsupported);
  o.unsupported = unsupported.value_or("");
}

template <typename F>
void fields(F& f, Description& d) {
  f("family", d.variant.family);
  f("variant", d.variant.name);
  bench::card_fields(f, d.variant);
  f("workloads", d.offers);
}

namespace {

struct Protocol {
  int protocol = 0;
};

LAB_JSON_STRUCT(Protocol, protocol)

struct ReportedWarmup : results::Warmup {};

LAB_JSON_STRUCT(ReportedWarmup, repetitions, seconds, stationary)

/// What --run measured at one point.
struct MeasuredPoint {
  results::ProcessPoint point;  ///< times are not divided by its operations
  std::string checksum;
  double cpu_time = 0;
};

template <typename F>
void point_fields(F& f, MeasuredPoint& m) {
  std::optional<ReportedWarmup> warmup;
  f("checksum", m.checksum);
  f("operations", m.point.operations);
  f("repetitions", m.point.repetitions);
  f("samples", m.point.samples);
  f("counters", m.point.counters);
  f.added("warmup", warmup);
  f("cpu_time", m.cpu_time);
  if (warmup) m.point.warmup = *warmup;
}

template <typename F>
void fields(F& f, MeasuredPoint& m) {
  f("at", m.point.at);
  point_fields(f, m);
}

/// What --run prints apart from its points.
struct Measured {
  std::string benchmark;
  int version = 0;  ///< of the workload
  std::uint64_t seed = 0;
  unsigned threads = 1;
};

LAB_JSON_STRUCT(Measured, benchmark, version, seed, threads)

/// Of a workload without an axis.
struct MeasuredOnce : MeasuredPoint {};

template <typename F>
void fields(F& f, MeasuredOnce& m) {
  point_fields(f, m);
}

struct MeasuredSweep {
  std::vector<MeasuredPoint> points;
};

LAB_JSON_STRUCT(MeasuredSweep, points)

struct CheckOutcome {
  std::string name;
  std::optional<std::string> failure;
  std::optional<std::string> remark;
};

LAB_JSON_STRUCT(CheckOutcome, name, failure, (remark))

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
Expected<json::value> parse_object(std::string_view output) {
  const Expected<json::value> value = parse_json(output, "standard output");
  if (!value) return bad(printable(value.error().what));
  const Expected<Protocol> spoken = from_json<Protocol>(*value);
  if (!spoken) return spoken.error();
  if (spoken->protocol < kOldestProtocol || spoken->protocol > bench::kProtocol)
    return bad(
        fmt::format("protocol {}, this build supports {} to {}", spoken->protocol, kOldestProtocol, bench::kProtocol));
  return *value;
}

template <typename T>
Expected<T> parse_output(std::string_view output) {
  const Expected<json::value> value = parse_object(output);
  return value ? from_json<T>(*value) : value.error();
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '@';
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
Expected<std::vector<double>> add_phases(const results::ProcessPoint& point, const results::WorkloadInfo& workload) {
  if (point.samples.size() != workload.phases.size())
    return bad(fmt::format("expected samples of {} phases, found {}", workload.phases.size(), point.samples.size()));
  std::vector<double> totals(point.repetitions, 0.0);
  for (const std::string& phase : workload.phases) {
    const auto found = point.samples.find(phase);
    if (found == point.samples.end()) return bad(fmt::format("expected samples of phase '{}', found none", phase));
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
  const results::WorkloadInfo& workload = *request.workload;
  if (measured.benchmark != request.benchmark)
    return bad(fmt::format("expected benchmark {}, found {}", request.benchmark, measured.benchmark));
  if (measured.version != workload.version)
    return bad(fmt::format("expected version {} of the workload, found {}", workload.version, measured.version));
  if (measured.seed != request.seed) return bad(fmt::format("expected seed {}, found {}", request.seed, measured.seed));
  return {};
}

Expected<void> check_point(const MeasuredPoint& measured, std::uint64_t operations) {
  const results::ProcessPoint& point = measured.point;
  if (point.operations != operations)
    return bad(fmt::format("expected {} operations, found {}", operations, point.operations));
  if (!is_checksum(measured.checksum))
    return bad(fmt::format("checksum: expected 16 hex digits, found '{}'", measured.checksum.substr(0, 40)));
  if (point.repetitions == 0) return bad("expected at least one repetition, found none");
  if (point.warmup && point.warmup->seconds < 0)
    return bad(fmt::format("warmup: expected 0 or more seconds, found {}", point.warmup->seconds));
  if (measured.cpu_time < 0) return bad(fmt::format("cpu_time: expected 0 or more, found {}", measured.cpu_time));
  return {};
}

/// The points that were measured; one without an axis. An error if they are not those of the workload.
Expected<std::vector<MeasuredPoint>> points_in(const json::value& output, const results::WorkloadInfo& workload) {
  if (!workload.axis) {
    Expected<MeasuredOnce> once = from_json<MeasuredOnce>(output);
    if (!once) return once.error();
    return std::vector<MeasuredPoint>{std::move(*once)};
  }
  Expected<MeasuredSweep> sweep = from_json<MeasuredSweep>(output);
  if (!sweep) return sweep.error();
  std::vector<double> wanted, found;
  for (const bench::AxisPoint& point : workload.axis->points) wanted.push_back(point.at);
  for (const MeasuredPoint& measured : sweep->points) found.push_back(measured.point.at);
  if (found != wanted)
    return bad(
        fmt::format("expected points {} of its axis, found {}", fmt::join(wanted, ", "), fmt::join(found, ", ")));
  return std::move(sweep->points);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// The mean over the points of each counter that all have: geometric, or arithmetic where a value is not positive.
std::map<std::string, double> mean_counters(const std::vector<results::ProcessPoint>& points) {
  std::map<std::string, double> means;
  for (const auto& [name, first] : points.front().counters) {
    std::vector<double> values;
    for (const results::ProcessPoint& point : points)
      if (const auto found = point.counters.find(name); found != point.counters.end()) values.push_back(found->second);
    if (values.size() != points.size()) continue;
    const bool positive = std::ranges::all_of(values, [](double value) { return value > 0; });
    means[name] = std::ranges::count(values, first) == std::ssize(values) ? first  // exact metrics stay exact
                  : positive                                              ? geometric_mean(values)
                             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  return means;
}

/// One checksum over those of all points.
std::string combined_checksum(const std::vector<MeasuredPoint>& points) {
  if (points.size() == 1) return points.front().checksum;
  bench::Checksum checksum;
  for (const MeasuredPoint& point : points) checksum.bytes(point.checksum.data(), point.checksum.size());
  return fmt::format("{:016x}", checksum.value());
}

/// The warm-up of all points together.
std::optional<results::Warmup> combined_warmup(const std::vector<results::ProcessPoint>& points) {
  results::Warmup all;
  for (const results::ProcessPoint& point : points) {
    if (!point.warmup) return std::nullopt;
    all.repetitions += point.warmup->repetitions;
    all.seconds += point.warmup->seconds;
    all.stationary = all.stationary && point.warmup->stationary;
  }
  return all;
}

std::string named_twice(const auto& list) {
  std::set<std::string> names;
  for (const auto& one : list)
    if (!names.insert(one.name).second) return one.name;
  return "";
}

/// What is wrong with a workload as an executable describes it; "" if nothing is.
std::string problem_of(const results::WorkloadInfo& workload) {
  if (workload.operations == 0)
    return fmt::format("expected operations, how many '{}' a repetition is, found 0", workload.operation);
  if (workload.phases.empty()) return "expected phases, found none";
  for (const auto& [phase, operations] : workload.phase_operations)
    if (operations == 0 || std::ranges::find(workload.phases, phase) == workload.phases.end())
      return fmt::format("phase_operations: expected a phase and more than 0 operations, found '{}': {}", phase,
                         operations);
  const std::vector<results::Metric> metrics = results::metrics_of(workload);
  for (const results::Metric& metric : metrics)
    if (!is_name(metric.name)) return fmt::format("'{}' is not a metric's name", metric.name);
  if (const std::string twice = named_twice(metrics); !twice.empty()) return fmt::format("two metrics '{}'", twice);
  if (metrics.front().name != workload.primary)
    return fmt::format("expected one of its metrics as the primary one, found '{}'", workload.primary);
  for (const bench::ExhibitInfo& exhibit : workload.exhibits)
    if (!is_name(exhibit.name)) return fmt::format("'{}' is not an exhibit's name", exhibit.name);
  if (const std::string twice = named_twice(workload.exhibits); !twice.empty())
    return fmt::format("two exhibits '{}'", twice);
  if (workload.axis && workload.axis->points.empty()) return "expected points on its axis, found none";
  return "";
}

/// Operations of a repetition at point `index`.
std::uint64_t operations_at(const results::WorkloadInfo& workload, std::size_t index) {
  const std::uint64_t own = workload.axis ? workload.axis->points[index].operations : 0;
  return own == 0 ? workload.operations : own;
}

}  // namespace

Expected<Description> parse_description(std::string_view output) {
  Expected<Description> description = parse_output<Description>(output);
  if (!description) return description;
  const results::VariantCard& variant = description->variant;
  if (!is_name(variant.family) || !is_name(variant.name))
    return bad(fmt::format("'{}/{}' is not a variant's name", variant.family, variant.name));
  for (Description::Offer& offer : description->offers) {
    results::WorkloadInfo& workload = offer.workload;
    workload.family = variant.family;
    if (!is_name(workload.name)) return bad(fmt::format("'{}' is not a workload's name", workload.name));
    if (const std::string problem = problem_of(workload); !problem.empty())
      return bad(fmt::format("workload {}: {}", workload.name, problem));
  }
  return description;
}

Expected<FailedChecks> parse_conformance(std::string_view output) {
  const Expected<CheckOutcomes> outcomes = parse_output<CheckOutcomes>(output);
  if (!outcomes) return outcomes.error();
  if (outcomes->checks.empty()) return bad("expected checks, found none");
  FailedChecks failed;
  const auto sentence = [](const CheckOutcome& check, const std::string& what) {
    return printable(fmt::format("{}: {}", check.name, what).substr(0, kKeptFailure));
  };
  for (const CheckOutcome& check : outcomes->checks) {
    if (check.failure) failed.failures.push_back(sentence(check, *check.failure));
    if (check.remark) failed.remarks.push_back(sentence(check, *check.remark));
  }
  return failed;
}

Expected<results::Process> parse_measurement(std::string_view output, const ProcessRequest& request) {
  const Expected<json::value> value = parse_object(output);
  if (!value) return value.error();
  const Expected<Measured> measured = from_json<Measured>(*value);
  if (!measured) return measured.error();
  if (const Expected<void> checked = check_request(*measured, request); !checked) return checked.error();
  Expected<std::vector<MeasuredPoint>> found = points_in(*value, *request.workload);
  if (!found) return found.error();

  results::Process process;
  process.benchmark = measured->benchmark;
  process.seed = measured->seed;
  process.threads = measured->threads;
  process.operations = request.workload->operations;
  process.checksum = combined_checksum(*found);
  std::vector<double> times;
  for (std::size_t i = 0; i < found->size(); ++i) {
    MeasuredPoint& one = (*found)[i];
    if (const Expected<void> checked = check_point(one, operations_at(*request.workload, i)); !checked)
      return checked.error();
    const Expected<std::vector<double>> totals = add_phases(one.point, *request.workload);
    if (!totals) return totals.error();
    const auto operations = static_cast<double>(one.point.operations);
    times.push_back(stats::median(*totals) / operations);
    if (!(times.back() > 0)) return bad(fmt::format("expected a median time above 0, found {}", times.back()));
    process.cpu_time += one.cpu_time / operations / static_cast<double>(found->size());
    process.timed_seconds += std::accumulate(totals->begin(), totals->end(), 0.0) * 1e-9;
    process.repetitions += one.point.repetitions;
    for (auto& [phase, samples] : one.point.samples) samples = thinned(samples, request.kept_samples);
    process.points.push_back(std::move(one.point));
  }
  process.real_time = times.size() == 1 ? times.front() : geometric_mean(times);
  process.counters = mean_counters(process.points);
  process.warmup = combined_warmup(process.points);
  if (!request.workload->axis) {
    process.samples = std::move(process.points.front().samples);
    process.points.clear();
  }
  return process;
}

}  // namespace lab::measure
