#include "harness/results/google_benchmark.h"

#include <fmt/format.h>

#include <map>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/stats/quantile.h"

namespace lab::results {

namespace json = boost::json;

namespace {

/// The fields read from one entry of "benchmarks". The others are not about time.
struct GoogleBenchmarkEntry {
  std::string name, run_name, run_type = "iteration", time_unit = "ns", error_message, skip_message;
  double real_time = 0, cpu_time = 0;
  bool error_occurred = false, skipped = false;
};

struct GoogleBenchmarkContext {
  std::string date, host_name;
  int num_cpus = 0;
};

struct GoogleBenchmarkFile {
  GoogleBenchmarkContext context;
  std::vector<GoogleBenchmarkEntry> benchmarks;
};

LAB_JSON_STRUCT(GoogleBenchmarkContext, (date), (host_name), (num_cpus))

template <typename F>
void fields(F& f, GoogleBenchmarkEntry& e) {
  f("name", e.name);
  f.added("run_name", e.run_name);
  f.added("run_type", e.run_type);
  f.added("time_unit", e.time_unit);
  f.added("error_occurred", e.error_occurred);
  f.added("error_message", e.error_message);
  // Since 1.8 a number (0: not skipped) with a message, in addition to error_occurred.
  f.added("skip_message", e.skip_message);
  if (e.run_type != "iteration" || e.error_occurred || !e.skip_message.empty()) return;
  f("real_time", e.real_time);
  f.added("cpu_time", e.cpu_time);
}

LAB_JSON_STRUCT(GoogleBenchmarkFile, context, benchmarks)

Error refused(std::string_view name, std::string what, std::string hint = "") {
  return {fmt::format("{}: {}", name, what), std::move(hint), ExitStatus::kUsage};
}

/// Nanoseconds per time unit; 0 if the unit is unknown.
double nanoseconds_in(std::string_view unit) {
  static const std::map<std::string_view, double> kUnits{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? 0 : found->second;
}

Process process_of(const std::string& benchmark, int number, double time, double cpu_time) {
  Process process;
  process.benchmark = benchmark;
  process.repetitions = 1;
  process.real_time = time;
  process.cpu_time = cpu_time;
  process.process = process.block = number;
  process.operations = 1;
  return process;
}

/// Real and CPU times in ns by benchmark, in the order of the file.
using TimesByBenchmark = std::map<std::string, std::vector<std::pair<double, double>>>;

Expected<TimesByBenchmark> times_of(const std::vector<GoogleBenchmarkEntry>& entries, std::string_view name,
                                    Result& result) {
  TimesByBenchmark times;
  for (const GoogleBenchmarkEntry& entry : entries) {
    const std::string& benchmark = entry.run_name.empty() ? entry.name : entry.run_name;
    if (entry.run_type != "iteration") continue;
    if (entry.error_occurred || !entry.skip_message.empty()) {
      result.failures.push_back({benchmark, 0, 0, entry.error_occurred ? "error" : "skipped",
                                 entry.error_occurred ? entry.error_message : entry.skip_message, ""});
      continue;
    }
    const double unit = nanoseconds_in(entry.time_unit);
    if (unit == 0)
      return refused(
          name, fmt::format("{}: expected a time_unit of ns, us, ms or s, found '{}'", benchmark, entry.time_unit));
    if (!(entry.real_time > 0))
      return refused(name, fmt::format("{}: real_time is {}, expected more than 0", benchmark, entry.real_time));
    times[benchmark].emplace_back(entry.real_time * unit, entry.cpu_time * unit);
  }
  return times;
}

}  // namespace

bool is_google_benchmark(std::string_view text) {
  constexpr std::size_t kBeginning = 4096;  // our own writer puts "schema" here
  return text.substr(0, kBeginning).find("\"schema\"") == std::string_view::npos &&
         text.find("\"context\"") != std::string_view::npos && text.find("\"benchmarks\"") != std::string_view::npos;
}

Expected<Result> parse_google_benchmark(std::string_view text, std::string_view name, bool independent) {
  const Expected<GoogleBenchmarkFile> file = parse_struct<GoogleBenchmarkFile>(text, name);
  if (!file) return file.error();
  Result result;
  result.machine.id = fmt::format("{}, {} CPUs", file->context.host_name, file->context.num_cpus);
  result.session.started = file->context.date;
  result.session.state = "complete";
  result.source.state.clear();
  const Expected<TimesByBenchmark> times = times_of(file->benchmarks, name, result);
  if (!times) return times.error();
  if (times->empty())
    return refused(name, fmt::format("none of its {} entries is a time", file->benchmarks.size()),
                   "run it without --benchmark_report_aggregates_only");
  for (const auto& [benchmark, repetitions] : *times) {
    std::vector<double> real, cpu;
    for (const auto& [time, cpu_time] : repetitions) {
      if (independent) result.processes.push_back(process_of(benchmark, static_cast<int>(real.size()), time, cpu_time));
      real.push_back(time);
      cpu.push_back(cpu_time);
    }
    if (!independent) result.processes.push_back(process_of(benchmark, 0, stats::median(real), stats::median(cpu)));
  }
  return result;
}

}  // namespace lab::results
