#include "harness/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <tuple>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/zstd.h"
#include "harness/bench/description_json.h"
#include "harness/results/result_name.h"

namespace lab::results {

// In the namespace of the structs, because json_fields.h finds these functions by argument-dependent lookup.

LAB_JSON_STRUCT(CpuCache, type, level, size, num_sharing)
LAB_JSON_STRUCT(BenchmarkContext, date, host_name, executable, num_cpus, mhz_per_cpu, cpu_scaling_enabled, caches,
                load_avg, library_build_type)

template <typename F>
void fields(F& f, Machine& m) {
  f("id", m.id);
  f("name", m.name);
  f("cpu_model", m.cpu_model);
  f("architecture", m.architecture);
  f("sockets", m.sockets);
  f("physical_cores", m.physical_cores);
  f("logical_cores", m.logical_cores);
  f("memory_gib", m.memory_gib);
  f("virtual", m.is_virtual);
  f("gpus", m.gpus);
  f.added("installation", m.installation);
}

LAB_JSON_STRUCT(MachineState, kernel, microcode, governor, turbo, smt, aslr, transparent_huge_pages, libc, distribution,
                load_avg, (libc_build))

LAB_JSON_STRUCT(Build, toolchain, config, march, compiler, flags, (fetched))
LAB_JSON_STRUCT(Source, commit, dirty, state)
LAB_JSON_STRUCT(Disturbance, block, seconds, foreign, stolen)
LAB_JSON_STRUCT(Waiting, benchmark, process_seconds)

LAB_JSON_STRUCT(Session, id, started, ended, seed, mode, budget_seconds, blocks, protocol, state, unusual,
                (wall_seconds), (timed_seconds), (disturbances), (waiting), (medians_only))

LAB_JSON_STRUCT(Warmup, repetitions, seconds, stationary)
LAB_JSON_STRUCT(ProcessPoint, at, operations, repetitions, samples, counters, warmup)

template <typename F>
void fields(F& f, Process& p) {
  // Google Benchmark's tools group and label by these. They repeat our own fields.
  std::string run_name = p.benchmark;
  std::string run_type = "iteration";
  std::string time_unit = "ns";
  std::uint64_t iterations = p.repetitions * p.operations;
  f("name", p.benchmark);
  f("run_name", run_name);
  f("run_type", run_type);
  f("repetitions", p.repetitions);
  f("iterations", iterations);
  f("real_time", p.real_time);
  f("cpu_time", p.cpu_time);
  f("time_unit", time_unit);
  f("process", p.process);
  f("block", p.block);
  f("position", p.position);
  f("arm", p.arm);
  f("cpu", p.cpu);
  f("threads", p.threads);
  f("seed", p.seed);
  f("checksum", p.checksum);
  f("operations", p.operations);
  f("wall_seconds", p.wall_seconds);
  f.added("timed_seconds", p.timed_seconds);
  f("samples", p.samples);
  f("counters", p.counters);
  f.added("warmup", p.warmup);
  f.added("points", p.points);
  f.added("device", p.device);
  f.added("layout", p.layout);
}

LAB_JSON_STRUCT(ReferenceChecksum, benchmark, seed, checksum)
LAB_JSON_STRUCT(Unsupported, benchmark, reason)

template <typename F>
void fields(F& f, Exhibit& x) {
  f("benchmark", x.benchmark);
  f("name", x.info.name);
  f("title", x.info.title);
  f("kind", x.info.kind);
  f("file", x.file);
  f("processes", x.processes);
  f("summary", x.summary);
}

LAB_JSON_STRUCT(Failure, benchmark, process, block, kind, detail, output_tail, (arm))

LAB_JSON_STRUCT(Arm, name, build, pins, source, executables, versions)

template <typename F>
void fields(F& f, Result& r) {
  f("schema", r.schema);
  f("context", r.context);
  f("machine", r.machine);
  f("facts", r.facts);
  f("build", r.build);
  f("pins", r.pins);
  f("source", r.source);
  f("session", r.session);
  f.added("arms", r.arms);
  f("workloads", r.workloads);
  f("variants", r.variants);
  f("benchmarks", r.processes);
  f("answers", r.answers);
  f("unsupported", r.unsupported);
  f("failures", r.failures);
  f.added("exhibits", r.exhibits);
}

namespace {

Error refused(std::string_view name, std::string what) {
  return Error{fmt::format("{}: {}", name, what), "", ExitStatus::kUsage};
}

Expected<void> check_schema(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  const json::value* schema = object == nullptr ? nullptr : object->if_contains("schema");
  if (schema == nullptr) {
    const bool google = object != nullptr && object->contains("context") && object->contains("benchmarks");
    return refused(name,
                   google ? "a Google Benchmark file, expected a result of run" : "not a result: it has no 'schema'");
  }
  const std::int64_t* const number = schema->if_int64();
  if (number == nullptr || *number < kOldestSchema || *number > kSchema)
    return refused(
        name, fmt::format("schema {}, this build reads {} to {}", json::serialize(*schema), kOldestSchema, kSchema));
  return {};
}

std::string implausible(const std::map<std::string, std::vector<double>>& samples_of) {
  if (samples_of.empty()) return "it has no samples";
  for (const auto& [phase, samples] : samples_of) {
    if (samples.empty()) return fmt::format("phase '{}' has no samples", phase);
    if (std::ranges::min(samples) < 0) return fmt::format("phase '{}' has a negative time", phase);
  }
  return "";
}

/// Beyond JSON and types: which numbers cannot come from a measurement.
std::string implausible(const Process& process) {
  if (!(process.real_time > 0)) return fmt::format("real_time is {}, expected more than 0", process.real_time);
  if (!(process.cpu_time >= 0)) return fmt::format("cpu_time is {}, expected 0 or more", process.cpu_time);
  if (process.operations == 0 || process.repetitions == 0) return "it has no operations";
  if (process.process < 0 || process.block < 0)
    return fmt::format("it is process {} of block {}, expected numbers from 0", process.process, process.block);
  if (process.points.empty()) return implausible(process.samples);
  for (const ProcessPoint& point : process.points)
    if (const std::string problem = implausible(point.samples); !problem.empty())
      return fmt::format("at {}: {}", point.at, problem);
  return "";
}

std::string implausible(const Disturbance& disturbance) {
  for (const auto& [what, seconds] :
       {std::pair("seconds", disturbance.seconds), std::pair("foreign", disturbance.foreign),
        std::pair("stolen", disturbance.stolen)})
    if (!(seconds >= 0)) return fmt::format("{} is {}, expected 0 or more", what, seconds);
  return "";
}

/// The arm that is listed twice, or that only a process names.
std::string wrong_arm(const Result& result) {
  std::set<std::string_view> arms;
  for (const Arm& arm : result.arms)
    if (!arms.insert(arm.name).second) return fmt::format("arms: '{}' appears twice, expected once", arm.name);
  if (arms.empty()) return "";
  for (const Process& process : result.processes)
    if (!arms.contains(process.arm))
      return fmt::format("{}, process {}: expected an arm of the session ({}), found '{}'", process.benchmark,
                         process.process, fmt::join(arms, ", "), process.arm);
  return "";
}

/// The number shared by more than one process of a benchmark and arm.
std::string repeated(const Result& result, std::string_view what, int Process::*number) {
  std::map<std::tuple<std::string_view, std::string_view, int>, int> counts;
  for (const Process& process : result.processes) ++counts[{process.benchmark, process.arm, process.*number}];
  for (const Process& process : result.processes)
    if (const int count = counts[{process.benchmark, process.arm, process.*number}]; count > 1)
      return fmt::format("{}: {} {} appears {} times, expected once", subject(process.benchmark, process.arm), what,
                         process.*number, count);
  return "";
}

template <typename T>
std::string tagged(std::string_view kind, const T& value) {
  json::object line;
  line[kind] = lab::to_json(value);
  return json::serialize(line);
}

template <typename T>
Expected<void> add(const json::value& value, std::string_view kind, std::vector<T>& list) {
  Expected<T> read = from_json<T>(value, std::string(kind));
  if (!read) return read.error();
  list.push_back(std::move(*read));
  return {};
}

}  // namespace

std::string serialize(const Result& result) {
  const json::value value = lab::to_json(result);
  std::string text = "{\n";
  const json::object& object = value.get_object();
  for (auto member = object.begin(); member != object.end(); ++member) {
    text += fmt::format("  {}: ", json::serialize(member->key()));
    if (const json::array* list = member->value().if_array(); list != nullptr && !list->empty()) {
      text += "[\n";
      for (const json::value& element : *list)
        text += fmt::format("    {}{}\n", json::serialize(element), &element == &list->back() ? "" : ",");
      text += "  ]";
    } else {
      text += json::serialize(member->value());
    }
    text += member + 1 == object.end() ? "\n" : ",\n";
  }
  return text + "}\n";
}

Expected<Result> parse_result(std::string_view text, std::string_view name) {
  const Expected<json::value> value = parse_printable_json(text, name);
  if (!value) return value.error();
  return result_from(*value, name);
}

Expected<Result> result_from(const json::value& document, std::string_view name) {
  if (const Expected<void> known = check_schema(document, name); !known) return known.error();
  Expected<Result> result = from_json<Result>(document);
  if (!result) return in_context(name, result.error());
  for (const Process& process : result->processes) {
    if (const std::string problem = implausible(process); !problem.empty())
      return refused(name, fmt::format("{}, process {}: {}", process.benchmark, process.process, problem));
  }
  for (const Disturbance& disturbance : result->session.disturbances)
    if (const std::string problem = implausible(disturbance); !problem.empty())
      return refused(name, fmt::format("disturbance of block {}: {}", disturbance.block, problem));
  if (const Expected<void> sound = check_session(*result, name); !sound) return sound.error();
  return result;
}

Expected<void> check_session(const Result& result, std::string_view name) {
  for (const std::string& problem :
       {wrong_arm(result), repeated(result, "process", &Process::process), repeated(result, "block", &Process::block)})
    if (!problem.empty()) return refused(name, problem);
  return {};
}

Expected<std::string> read_result_text(const std::filesystem::path& path) {
  Expected<std::string> bytes = read_file(path);
  if (!bytes || !is_packed_name(path.native())) return bytes;
  Expected<std::string> text = zstd_decompress(*bytes, 2 * kMostResultBytes);
  return text ? std::move(text) : in_context(fmt::format("reading '{}'", path.string()), text.error());
}

Expected<void> write_result_text(const std::filesystem::path& path, std::string_view text,
                                 std::optional<std::int64_t> modified_ns) {
  return is_packed_name(path.native()) ? write_file(path, zstd_compress(text), modified_ns)
                                       : write_file(path, text, modified_ns);
}

Expected<Result> load_result(const std::filesystem::path& path) {
  const Expected<std::string> text = read_result_text(path);
  if (!text) return text.error();
  return parse_result(*text, path.string());
}

Expected<Result> load_result_head(const std::filesystem::path& path) {
  // As `serialize` writes it: two spaces before each field of the result, four before the members of a list.
  constexpr std::string_view kProcesses = "\n  \"benchmarks\": [";
  constexpr std::size_t kChunk = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  const auto fill = [&file](std::span<char> place) -> Expected<std::size_t> {
    file.read(place.data(), std::ssize(place));
    return static_cast<std::size_t>(file.gcount());
  };
  ZstdReader packed(fill);
  const bool is_packed = is_packed_name(path.native());
  std::string text;
  std::size_t end = std::string::npos;
  for (bool more = true; more && end == std::string::npos;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    const std::span<char> place(text.data() + before, kChunk);
    const Expected<std::size_t> got = is_packed ? packed.read(place) : fill(place);
    text.resize(before + (got ? *got : 0));
    more = got && *got == kChunk;
    end = text.find(kProcesses, before - std::min(before, kProcesses.size()));
  }
  // One that was written by hand has another form, and a damaged one an error.
  if (end == std::string::npos) return load_result(path);
  text.resize(end + kProcesses.size());
  return parse_result(text + R"(], "answers": [], "unsupported": [], "failures": []})", path.string());
}

std::string journal_line(const Process& process) {
  return tagged("process", process);
}
std::string journal_line(const Failure& failure) {
  return tagged("failure", failure);
}
std::string journal_line(const ReferenceChecksum& answer) {
  return tagged("answer", answer);
}
std::string journal_line(const Disturbance& disturbance) {
  return tagged("disturbance", disturbance);
}

Expected<void> add_journal_line(std::string_view line, Result& result) {
  const Expected<json::value> value = parse_json(line, "line");
  if (!value) return value.error();
  const json::object* object = value->if_object();
  if (object == nullptr || object->size() != 1)
    return refused("line", "expected one of process, failure, answer and disturbance");
  const json::string_view kind = object->begin()->key();
  const json::value& content = object->begin()->value();
  if (kind == "failure") return add(content, kind, result.failures);
  if (kind == "answer") return add(content, kind, result.answers);
  if (kind == "disturbance") return add(content, kind, result.session.disturbances);
  if (kind == "exhibit") return {};  // some journals of November 2026 have exhibits; their files may be missing
  if (kind != "process") return refused("line", fmt::format("unknown kind '{}'", std::string_view(kind)));
  const Expected<void> added = add(content, kind, result.processes);
  if (!added) return added;
  const std::string problem = implausible(result.processes.back());
  if (problem.empty()) return {};
  result.processes.pop_back();
  return refused("line", problem);
}

Expected<Build> parse_build(std::string_view text, std::string_view name) {
  return parse_struct<Build>(text, name);
}

std::string benchmark_name(std::string_view family, std::string_view variant, std::string_view workload) {
  return fmt::format("{}/{}/{}", family, variant, workload);
}

std::string_view without_metric(std::string_view benchmark) {
  return benchmark.substr(0, benchmark.find(':'));
}

BenchmarkParts benchmark_parts(std::string_view benchmark) {
  const std::size_t colon = benchmark.find(':');
  const std::string_view metric = colon == std::string_view::npos ? "" : benchmark.substr(colon + 1);
  benchmark = without_metric(benchmark);
  const auto cut = [&benchmark] {
    const std::string_view part = benchmark.substr(0, benchmark.find('/'));
    benchmark.remove_prefix(std::min(benchmark.size(), part.size() + 1));
    return part;
  };
  const std::string_view family = cut();
  const std::string_view variant = cut();
  return {family, variant, benchmark, metric};
}

std::string subject(std::string_view benchmark, std::string_view arm) {
  return arm == kHead ? std::string(benchmark) : fmt::format("{} ({})", benchmark, arm);
}

namespace {

constexpr std::string_view kFixedSuffix = " (fixed build)";

}  // namespace

std::string fixed_name(std::string_view benchmark) {
  return std::string(benchmark).append(kFixedSuffix);
}

bool is_fixed_name(std::string_view series) {
  return series.ends_with(kFixedSuffix);
}

const Arm* find_arm(const Result& result, std::string_view name) {
  const auto found = std::ranges::find(result.arms, name, &Arm::name);
  return found == result.arms.end() ? nullptr : &*found;
}

std::string executable_of(const Arm* arm, std::string_view benchmark) {
  if (arm == nullptr) return "";
  const BenchmarkParts parts = benchmark_parts(benchmark);
  const auto found = arm->executables.find(fmt::format("{}/{}", parts.family, parts.variant));
  return found == arm->executables.end() ? "" : found->second;
}

std::uint64_t operations_of(const WorkloadInfo& workload, const std::string& phase) {
  const auto own = workload.phase_operations.find(phase);
  return own == workload.phase_operations.end() ? workload.operations : own->second;
}

const WorkloadInfo* find_workload(const Result& result, std::string_view benchmark) {
  const BenchmarkParts parts = benchmark_parts(benchmark);
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == parts.family && workload.name == parts.workload) return &workload;
  return nullptr;
}

const VariantCard* find_variant(const Result& result, std::string_view benchmark) {
  const BenchmarkParts parts = benchmark_parts(benchmark);
  for (const VariantCard& variant : result.variants)
    if (variant.family == parts.family && variant.name == parts.variant) return &variant;
  return nullptr;
}

const VariantCard* find_reference(const Result& result, std::string_view family) {
  for (const VariantCard& variant : result.variants)
    if (variant.family == family && variant.reference) return &variant;
  return nullptr;
}

}  // namespace lab::results
