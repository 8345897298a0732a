#include "harness/measure/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/json_fields.h"
#include "harness/base/parallel.h"
#include "harness/base/printable.h"
#include "harness/measure/variant_output.h"
#include "harness/stats/latency.h"

namespace lab::measure {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using bench::ExhibitInfo;
using bench::ExhibitKind;

/// Names named in a sentence; the rest is counted.
constexpr std::size_t kNamed = 3;

/// Files that are written at a time, and the most bytes of files that are not written yet.
constexpr std::size_t kWriters = 8, kMostUnwritten = std::size_t{64} << 20;

/// A benchmark with exhibits.
struct Exhibitor {
  const Benchmark* benchmark = nullptr;
  int replays = 1;                     ///< that it needs
  std::vector<fs::path> folders = {};  ///< of its processes so far
  double longest = 0;                  ///< seconds of a process
  bool failed = false;

  bool is_complete() const { return failed || static_cast<int>(folders.size()) >= replays; }
};

bool has_latency(const Benchmark& benchmark) {
  return std::ranges::any_of(benchmark.workload.exhibits,
                             [](const ExhibitInfo& exhibit) { return exhibit.kind == ExhibitKind::kLatency; });
}

bool has_numbers(const results::Result& result, const std::string& benchmark) {
  return std::ranges::any_of(result.processes, [&](const results::Process& process) {
    return process.benchmark == benchmark && process.arm == results::kHead;
  });
}

std::string as_file_name(std::string benchmark) {
  std::ranges::replace(benchmark, '/', '.');
  return benchmark;
}

Expected<std::vector<std::uint32_t>> read_latencies(const fs::path& path) {
  const Expected<std::string> content = read_file(path);
  if (!content) return content.error();
  std::vector<std::uint32_t> values(content->size() / sizeof(std::uint32_t));
  if (values.empty()) return Error{"it has no latencies", ""};
  std::memcpy(values.data(), content->data(), values.size() * sizeof(std::uint32_t));
  return values;
}

json::object summary_json(const std::map<std::string, double>& summary) {
  json::object object;
  for (const auto& [name, value] : summary) object[name] = value;
  return object;
}

/// The figures of a file of events.
Expected<std::map<std::string, double>> figures_of(const std::string& events, const std::string& file) {
  const Expected<json::value> value = parse_json(events, file);
  if (!value) return value.error();
  std::map<std::string, double> figures;
  if (const json::object* const object = value->if_object())
    if (const json::value* const other = object->if_contains("otherData")) {
      Expected<std::map<std::string, double>> read = from_json<std::map<std::string, double>>(*other);
      if (!read) return read.error();
      figures = std::move(*read);
    }
  return figures;
}

class ExhibitRun {
 public:
  ExhibitRun(const SessionSpec& spec, const SessionEnvironment& environment, const ExhibitPass& pass,
             SessionEvents& events, results::Result& result)
      : spec_(spec),
        environment_(environment),
        pass_(pass),
        events_(events),
        result_(result),
        start_(environment.now()) {
    for (const Benchmark& benchmark : spec.selection.benchmarks)
      if (!benchmark.workload.exhibits.empty() && has_numbers(result, benchmark.name))
        exhibitors_.push_back({&benchmark, has_latency(benchmark) ? kLatencyReplays : 1});
  }

  Expected<void> run() {
    for (int round = 0; round < kLatencyReplays; ++round)
      for (Exhibitor& one : exhibitors_) {
        if (one.is_complete() || static_cast<int>(one.folders.size()) > round) continue;
        if (problem_ || environment_.interrupted()) return finish();
        if (elapsed() + one.longest <= pass_.seconds) run_process(one, round);
      }
    return finish();
  }

 private:
  double elapsed() const { return environment_.now() - start_; }

  std::size_t processes(bool done) const {
    std::size_t count = 0;
    for (const Exhibitor& one : exhibitors_) count += done ? one.folders.size() : static_cast<std::size_t>(one.replays);
    return count;
  }

  ChildSpec command(const Benchmark& benchmark, const fs::path& folder) const {
    ChildSpec spec =
        workload_process(benchmark, "--exhibit", {spec_.seed, 0, spec_.cpu, spec_.threads, false, spec_.device});
    spec.command.insert(spec.command.end(), {"--out", folder.string()});
    spec.timeout_seconds = spec_.process_timeout.value_or(kTimeoutSeconds);
    return spec;
  }

  void run_process(Exhibitor& one, int round) {
    events_.on_exhibit({one.benchmark->name, processes(true), processes(false)});
    const fs::path folder = spec_.scratch / as_file_name(one.benchmark->name) / fmt::format("{}", round);
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return stop(file_error("creating", folder, failed.value()));
    const double before = environment_.now();
    const ChildSpec spec = command(*one.benchmark, folder);
    const ChildOutcome outcome = environment_.run(spec);
    one.longest = std::max(one.longest, environment_.now() - before);
    if (outcome.end == ChildEnd::kStopped) return;
    if (std::string change = one.benchmark->malloc ? one.benchmark->malloc->change() : ""; !change.empty())
      return fail(one, std::move(change));
    if (outcome.end != ChildEnd::kExited || outcome.code != 0)
      return fail(one, fmt::format("--exhibit: {}", describe_end(spec, outcome)), printable(outcome.error_tail));
    one.folders.push_back(folder);
  }

  void stop(Error error) {
    if (!problem_) problem_ = std::move(error);
  }

  void fail(Exhibitor& one, std::string detail, std::string tail = "") {
    one.failed = true;
    result_.failures.push_back({one.benchmark->name, 0, 0, "exhibit", std::move(detail), std::move(tail)});
  }

  Expected<void> finish() {
    std::vector<std::string> waiting;
    for (Exhibitor& one : exhibitors_) {
      if (one.failed) continue;
      for (const ExhibitInfo& exhibit : one.benchmark->workload.exhibits)
        if (!one.failed && !keep(one, exhibit))
          waiting.push_back(fmt::format("{} {}", one.benchmark->name, exhibit.name));
    }
    flush();
    if (!waiting.empty()) {
      const std::size_t all = waiting.size();
      waiting.resize(std::min(all, kNamed));
      result_.session.unusual.push_back(fmt::format("no time for {}: {}{}", counted(all, "exhibit"),
                                                    fmt::join(waiting, ", "),
                                                    all > kNamed ? fmt::format(" and {} more", all - kNamed) : ""));
    }
    if (problem_) return *problem_;
    return {};
  }

  /// Keeps the file of one exhibit; false if it needs more processes than there were.
  bool keep(Exhibitor& one, const ExhibitInfo& exhibit) {
    const bool is_latency = exhibit.kind == ExhibitKind::kLatency;
    const int processes = static_cast<int>(one.folders.size());
    if (processes < (is_latency ? kFewestReplays : 1)) return false;
    const fs::path made = one.folders.front() / bench::exhibit_file(exhibit);
    results::Exhibit kept{one.benchmark->name, exhibit, "", is_latency ? processes : 1, {}};
    std::string name = fmt::format("{}.{}", as_file_name(one.benchmark->name), bench::exhibit_file(exhibit));
    if (is_latency) name = fs::path(name).replace_extension(".json").string();
    Expected<std::string> content = is_latency ? latency_file(one, exhibit, kept) : read_file(made);
    if (content && content->size() > kMostExhibitBytes)
      content = Error{fmt::format("expected at most {} bytes, found {}", kMostExhibitBytes, content->size()), ""};
    if (!content) {
      fail(one, fmt::format("exhibit '{}': {}", exhibit.name, content.error().what));
      return true;
    }
    if (exhibit.kind == ExhibitKind::kEvents) {
      Expected<std::map<std::string, double>> figures = figures_of(*content, made.string());
      if (!figures) {
        fail(one, fmt::format("exhibit '{}': {}", exhibit.name, figures.error().what));
        return true;
      }
      kept.summary = std::move(*figures);
    }
    write(name, std::move(*content));
    kept.file = (pass_.folder.filename() / name).string();
    result_.exhibits.push_back(kept);
    return true;
  }

  void write(std::string name, std::string content) {
    unwritten_bytes_ += content.size();
    unwritten_.emplace_back(std::move(name), std::move(content));
    if (unwritten_bytes_ > kMostUnwritten) flush();
  }

  /// Writes several files at a time. Each waits for the disk, which may be busy with what a build has written.
  void flush() {
    if (unwritten_.empty()) return;
    std::error_code failed;
    fs::create_directories(pass_.folder, failed);
    if (failed) return stop(file_error("creating", pass_.folder, failed.value()));
    std::vector<Expected<void>> written(unwritten_.size());
    in_parallel(
        unwritten_.size(),
        [&](std::size_t i) { written[i] = write_file(pass_.folder / unwritten_[i].first, unwritten_[i].second); },
        kWriters);
    for (const Expected<void>& one : written)
      if (!one) stop(one.error());
    unwritten_.clear();
    unwritten_bytes_ = 0;
  }

  Expected<std::string> latency_file(const Exhibitor& one, const ExhibitInfo& exhibit, results::Exhibit& kept) {
    std::vector<std::vector<std::uint32_t>> replays;
    std::uint32_t raw_worst = 0;
    for (const fs::path& folder : one.folders) {
      Expected<std::vector<std::uint32_t>> values = read_latencies(folder / bench::exhibit_file(exhibit));
      if (!values) return values.error();
      if (!replays.empty() && values->size() != replays.front().size())
        return Error{
            fmt::format("expected {} operations in every replay, found {}", replays.front().size(), values->size()),
            ""};
      raw_worst = std::max(raw_worst, std::ranges::max(*values));
      replays.push_back(std::move(*values));
    }
    std::vector<std::uint32_t> least = stats::least_of_each(replays);
    std::ranges::sort(least);
    kept.summary = {{results::kP50, stats::nearest_rank(least, 0.5)},
                    {results::kP99, stats::nearest_rank(least, 0.99)},
                    {results::kP999, stats::nearest_rank(least, 0.999)},
                    {results::kWorst, least.back()},
                    {results::kRawWorst, raw_worst}};
    json::array buckets;
    for (const stats::LatencyBucket& bucket : stats::log_linear_histogram(least))
      buckets.push_back(json::array{bucket.low, bucket.high, bucket.count});
    return json::serialize(json::object{{"unit", "ns"},
                                        {"operations", least.size()},
                                        {"replays", replays.size()},
                                        {"summary", summary_json(kept.summary)},
                                        {"buckets", std::move(buckets)}}) +
           "\n";
  }

  const SessionSpec& spec_;
  const SessionEnvironment& environment_;
  const ExhibitPass& pass_;
  SessionEvents& events_;
  results::Result& result_;
  double start_;
  std::vector<Exhibitor> exhibitors_;
  std::vector<std::pair<std::string, std::string>> unwritten_;  ///< names and contents
  std::size_t unwritten_bytes_ = 0;
  std::optional<Error> problem_;
};

}  // namespace

Expected<void> collect_exhibits(const SessionSpec& spec, const SessionEnvironment& environment, const ExhibitPass& pass,
                                SessionEvents& events, results::Result& result) {
  return ExhibitRun(spec, environment, pass, events, result).run();
}

}  // namespace lab::measure
