#include "harness/measure/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "harness/measure/arms.h"
#include "harness/measure/conformance.h"
#include "harness/measure/variant_output.h"
#include "harness/results/commit.h"
#include "harness/results/metrics.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

constexpr int kSkipStatus = 125;  ///< as in git bisect run

/// "exit status 2: no such file": how a child ended and the last line of its standard error.
std::string failure_of(const ChildSpec& spec, const ChildOutcome& outcome) {
  const std::string printed = boost::trim_copy(outcome.error_tail);
  const std::string last = printed.substr(printed.rfind('\n') + 1);
  return describe_end(spec, outcome) + (last.empty() ? "" : ": " + last);
}

class CommandMeter : public Meter {
 public:
  CommandMeter(const results::BisectQuestion& question, Revisions& revisions, Runner run)
      : question_(question), revisions_(revisions), run_(std::move(run)) {}

  Expected<PreparedCommit> prepare(const std::string& sha) override {
    const Expected<fs::path> tree = revisions_.checkout(sha);
    if (!tree) return tree.error();
    trees_[sha] = *tree;
    return PreparedCommit{};
  }

  Expected<MeterReading> measure(const std::string& sha, int) override {
    ChildSpec spec;
    spec.command = {"sh", "-c", R"(cd "$0" && exec sh -c "$1")", trees_.at(sha).string(), question_.command};
    spec.environment = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "LAB_COMMIT=" + sha};
    spec.timeout_seconds = question_.timeout_seconds;
    const ChildOutcome outcome = run_(spec);
    if (outcome.end == ChildEnd::kStopped) return interrupted_error();
    MeterReading reading;
    if (outcome.end == ChildEnd::kExited && outcome.code == kSkipStatus) {
      reading.skip = "the command exited with status 125";
    } else if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
      reading.failure = failure_of(spec, outcome);
    } else if (const Expected<double> value = parse_value(outcome.output)) {
      reading.value = *value;
    } else {
      reading.failure = value.error().what;
    }
    return reading;
  }

  /// Only the command knows what it builds on its first run.
  bool is_ready(const std::string&) const override { return false; }

 private:
  const results::BisectQuestion& question_;
  Revisions& revisions_;
  Runner run_;
  std::map<std::string, fs::path> trees_;
};

class BenchmarkMeter : public Meter {
 public:
  BenchmarkMeter(const results::BisectQuestion& question, Revisions& revisions, Runner run, BuildListener listener,
                 MallocLibraries mallocs)
      : question_(question),
        revisions_(revisions),
        run_(std::move(run)),
        listener_(std::move(listener)),
        mallocs_(std::move(mallocs)) {}

  Expected<PreparedCommit> prepare(const std::string& sha) override {
    const std::string& bad = question_.commits.back().sha;
    if (!workload_ && sha != bad) {
      // The bad end defines what is measured.
      const Expected<PreparedCommit> end = prepare(bad);
      if (!end) return end.error();
      if (!end->later.empty()) return *end;
      if (!end->skip.empty())
        return Error{fmt::format("the bad end, {}: {}", results::short_commit(bad), end->skip), end->hint,
                     ExitStatus::kUsage};
    }
    const auto built = revisions_.build(sha, question_.how, choice(), listener_);
    if (!built) return not_built(built.error());
    Expected<Catalog> catalog = load_catalog(built->build_dir, run_, mallocs_);
    if (!catalog) return PreparedCommit{.skip = catalog.error().what, .hint = catalog.error().hint};
    return find(sha, *catalog, built->build_dir);
  }

  Expected<MeterReading> measure(const std::string& sha, int turn) override {
    const bool costly = is_costly(benchmarks_.at(sha).workload);
    const Expected<CodeLayout> layout = layout_of_turn(sha, costly ? 0 : turn);
    if (!layout) return layout.error();
    Benchmark benchmark = benchmarks_.at(sha);
    benchmark.executable = layout->executable;
    ChildSpec spec = measuring_process(
        benchmark, {question_.seed, question_.process_seconds, question_.cpu, question_.threads, costly});
    spec.timeout_seconds = question_.timeout_seconds;
    const ChildOutcome outcome = run_(spec);
    if (outcome.end == ChildEnd::kStopped) return interrupted_error();
    if (const std::string change = benchmark.malloc ? benchmark.malloc->change() : ""; !change.empty())
      return Error{change, "the same call with the library as it was continues"};
    MeterReading reading;
    reading.layout = layout->number;
    if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
      reading.failure = failure_of(spec, outcome);
      return reading;
    }
    const Expected<results::Process> process =
        parse_measurement(outcome.output, {benchmark.name, &benchmark.workload, question_.seed});
    if (!process) {
      reading.failure = process.error().what;
      return reading;
    }
    if (checksum_.empty()) checksum_ = process->checksum;
    if (process->checksum != checksum_ && !benchmark.workload.tolerance)
      reading.skip = fmt::format("its checksum is {}, earlier commits have {}", process->checksum, checksum_);
    return with_value(reading, *process, benchmark.workload);
  }

  bool is_ready(const std::string& sha) const override { return revisions_.is_built(sha, question_.how, choice()); }

 private:
  /// Each measurement is of another link of the commit's build, which is made when it is needed. The same numbers at
  /// all commits, so that what their links have in common cancels out.
  Expected<CodeLayout> layout_of_turn(const std::string& sha, int turn) {
    Benchmark& benchmark = benchmarks_.at(sha);
    std::vector<CodeLayout>& layouts = benchmark.layouts;
    if (layouts.empty()) return CodeLayout{0, benchmark.executable};
    const auto wanted = static_cast<std::size_t>(turn % results::kLayoutsOfCommit);
    while (layouts.size() <= wanted) {
      const Expected<std::vector<CodeLayout>> more =
          link_layouts(build_dirs_.at(sha), benchmark.executable, static_cast<int>(layouts.size()) + 1, run_);
      if (!more) return more.error();
      layouts.insert(layouts.end(), more->begin(), more->end());
    }
    return layouts[wanted];
  }

  /// Adds the value of the metric in question. The inverse if more is better: a smaller value is better for bisect.
  MeterReading with_value(MeterReading reading, const results::Process& process,
                          const results::WorkloadInfo& workload) const {
    const std::string_view name = results::benchmark_parts(question_.benchmark).metric;
    const std::optional<results::Metric> metric = results::find_metric(workload, name);
    const std::optional<double> value = results::metric_value(workload, process, name);
    if (!metric || !value)
      reading.skip = fmt::format("it has no metric '{}'", name);
    else if (!(*value > 0))
      reading.failure = fmt::format("expected a value above 0, found {}", *value);
    else
      reading.value = metric->better == bench::Better::kMore ? 1 / *value : *value;
    return reading;
  }

  /// Only the benchmark's own variant: its answers are compared with those of other commits, not with the reference's.
  VariantChoice choice() const {
    return [this](const auto& listed) { return variants_for(listed, {question_.benchmark}, false, mallocs_); };
  }

  Expected<PreparedCommit> not_built(const BuildError& error) const {
    using Kind = BuildError::Kind;
    if (error.kind == Kind::kStopped) return Error(error);
    if (error.kind == Kind::kLostPins) return PreparedCommit{.later = error.what, .hint = error.hint};
    return PreparedCommit{.skip = error.what, .hint = error.hint};
  }

  Expected<PreparedCommit> find(const std::string& sha, Catalog& catalog, const fs::path& build_dir) {
    const std::string& bad = question_.commits.back().sha;
    if (sha == bad) {
      // The bad end's catalog has the names that the user may mean, so the error about a misspelt name comes from it.
      const Expected<BenchmarkSelection> selection = select(catalog, {question_.benchmark});
      if (!selection) return in_context(fmt::format("the bad end, {}", results::short_commit(bad)), selection.error());
      if (selection->benchmarks.size() != 1)
        return Error{
            fmt::format("expected one benchmark, '{}' matches {}", question_.benchmark, selection->benchmarks.size()),
            "python3 make.py list", ExitStatus::kUsage};
    }
    const auto benchmark = std::find_if(catalog.benchmarks.begin(), catalog.benchmarks.end(),
                                        [&](const Benchmark& each) { return each.name == name(); });
    if (benchmark == catalog.benchmarks.end()) return PreparedCommit{.skip = why_absent(catalog)};
    if (!benchmark->unsupported.empty()) return PreparedCommit{.skip = "unsupported: " + benchmark->unsupported};
    if (sha == bad) workload_ = benchmark->workload;
    const results::WorkloadInfo& work = benchmark->workload;
    if (!same_work(work, *workload_))
      return PreparedCommit{.skip = fmt::format("its workload has version {}, the bad end's has version {}",
                                                work.version, workload_->version),
                            .hint = "choose ends with one version of the workload"};
    // A commit whose build keeps no link command has one layout.
    const Expected<std::string> one_layout = link_benchmarks(build_dir, {&*benchmark}, 1, run_);
    if (!one_layout) return one_layout.error();
    const Expected<std::string> identity = hash_of_layouts(*benchmark);
    if (!identity) return identity.error();
    if (!conformance_.contains(*identity)) {
      const std::optional<ConformanceResult> found =
          run_conformance(benchmark->executable, run_, benchmark->malloc.get());
      if (!found) return interrupted_error();
      conformance_[*identity] = *found;
    }
    if (const std::vector<std::string>& failures = conformance_[*identity].failures; !failures.empty())
      return PreparedCommit{.skip = fmt::format("it does not conform: {}", failures.front())};
    benchmarks_[sha] = *benchmark;
    build_dirs_[sha] = build_dir;
    return PreparedCommit{.identity = *identity};
  }

  /// Its variant may exist, but its --describe failed.
  std::string why_absent(const Catalog& catalog) const {
    for (const results::Failure& failure : catalog.failures)
      if (question_.benchmark.starts_with(failure.benchmark + "/"))
        return fmt::format("{}: {}", failure.kind, failure.detail);
    return fmt::format("it has no benchmark {}", name());
  }

  /// Whether the metric in question is collected only on request.
  bool is_costly(const results::WorkloadInfo& workload) const {
    const std::optional<results::Metric> metric =
        results::find_metric(workload, results::benchmark_parts(question_.benchmark).metric);
    return metric && metric->costly;
  }

  /// The benchmark's name without its metric.
  std::string name() const { return std::string(results::without_metric(question_.benchmark)); }

  const results::BisectQuestion& question_;
  Revisions& revisions_;
  Runner run_;
  BuildListener listener_;
  MallocLibraries mallocs_;
  std::optional<results::WorkloadInfo> workload_;
  std::string checksum_;
  std::map<std::string, Benchmark> benchmarks_;
  std::map<std::string, fs::path> build_dirs_;
  std::map<std::string, ConformanceResult> conformance_;  ///< by the executable's hash
};

}  // namespace

std::unique_ptr<Meter> command_meter(const results::BisectQuestion& question, Revisions& revisions, Runner run) {
  return std::make_unique<CommandMeter>(question, revisions, std::move(run));
}

std::unique_ptr<Meter> benchmark_meter(const results::BisectQuestion& question, Revisions& revisions, Runner run,
                                       BuildListener listener, MallocLibraries mallocs) {
  return std::make_unique<BenchmarkMeter>(question, revisions, std::move(run), std::move(listener), std::move(mallocs));
}

Expected<double> parse_value(std::string_view output) {
  const std::string text = boost::trim_copy(std::string(output));
  const std::string line = boost::trim_copy(text.substr(text.rfind('\n') + 1));
  double value = 0;
  const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (line.empty() || problem != std::errc() || end != line.data() + line.size() || !std::isfinite(value) || value <= 0)
    return Error{
        fmt::format("expected a number above 0 in the last line of the output, found '{}'", line.substr(0, 60)), "",
        ExitStatus::kUsage};
  return value;
}

}  // namespace lab::measure
