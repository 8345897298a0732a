/// A result: all measurements of one session and their provenance. harness/docs/formats.md shows the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/bench/description.h"

namespace boost::json {
class value;
}

namespace lab::results {

/// Incremented when a reader of the previous schema would misread a file. New fields alone do not increment it.
/// 2: sweeps, whose processes have no samples of their own, and metrics other than times.
inline constexpr int kSchema = 2;
inline constexpr int kOldestSchema = 1;

struct CpuCache {
  std::string type;  ///< "Data", "Instruction", "Unified"
  int level = 0;
  std::int64_t size = 0;  ///< bytes
  int num_sharing = 0;    ///< logical cores
};

/// Google Benchmark's context block, for its tools.
struct BenchmarkContext {
  std::string date;  ///< UTC, RFC 3339
  std::string host_name;
  std::string executable;
  int num_cpus = 0;
  int mhz_per_cpu = 0;
  bool cpu_scaling_enabled = false;
  std::vector<CpuCache> caches;
  std::vector<double> load_avg;
  std::string library_build_type;  ///< "release" or "debug"
};

/// The stable facts of a machine. Its id is the name given by the user, otherwise a hash of the facts marked *.
struct Machine {
  std::string id;            ///< name of its folder in results/
  std::string name;          ///< given by the user, or ""
  std::string cpu_model;     ///< *
  std::string architecture;  ///< *
  int sockets = 0;
  int physical_cores = 0;  ///< *
  int logical_cores = 0;
  int memory_gib = 0;             ///< * rounded up
  bool is_virtual = false;        ///< * "virtual" in the file
  std::vector<std::string> gpus;  ///< * "Intel 8086:5916", sorted
  /// A hash of the system's id, from which that does not follow: it differs where two hosts have one name, and stays
  /// where a host gets another. "" where not recorded.
  std::string installation = {};
};

/// Facts that may change from night to night on one machine; "unknown" where the system does not report one.
struct MachineState {
  std::string kernel;
  std::string microcode;
  std::string governor;                ///< all that are in use, comma-separated
  std::string turbo;                   ///< "on", "off"
  std::string smt;                     ///< "on", "off"
  std::string aslr;                    ///< "off", "partial", "full"
  std::string transparent_huge_pages;  ///< "always", "madvise", "never"
  std::string libc;
  std::string distribution;
  std::vector<double> load_avg;  ///< over 1, 5 and 15 minutes, before the session
  std::string libc_build = {};   ///< hex digits that change with every patch of `libc`; "" where not recorded
};

struct Build {
  std::string toolchain;
  std::string config;
  std::string march;
  std::string compiler;
  std::string flags;
  std::string fetched = {};  ///< how many objects were fetched, from where, who signed them; "" for none
};

struct Source {
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::string state = "no git";  ///< "clean", "dirty", "no git"
};

/// CPU time that one block lost to other work, from the kernel's counters. 0.1 of `seconds` is 10 % of one CPU.
struct Disturbance {
  int block = 0;
  double seconds = 0;  ///< from the block's start to its end
  double foreign = 0;  ///< CPU seconds used by processes outside the session
  double stolen = 0;   ///< CPU seconds that the host withheld (steal time), summed over all CPUs
};

/// A benchmark that this session did not measure for lack of time.
struct Waiting {
  std::string benchmark;
  /// Seconds that a process of it took, if the session began it and then left the time to others.
  std::optional<double> process_seconds;
};

struct Session {
  std::string id;       ///< <utc>-<commit>, also the file name of the result
  std::string started;  ///< UTC, RFC 3339
  std::string ended;
  std::uint64_t seed = 0;
  std::string mode;  ///< "quick", "default", "full", "processes"
  double budget_seconds = 0;
  int blocks = 0;  ///< complete blocks
  int protocol = 0;
  std::string state = "interrupted";           ///< until it is "complete" or "out of time"
  std::vector<std::string> unusual;            ///< sentences: why the machine is unfit or noisy, and what to do
  double wall_seconds = 0;                     ///< whole session: discovery, preparation, measurement, judgement
  double timed_seconds = 0;                    ///< of these, inside timed regions
  std::vector<Disturbance> disturbances = {};  ///< one per block; empty if not recorded
  std::vector<Waiting> waiting = {};           ///< sorted by benchmark; empty if all were measured, or a filter chose
  bool medians_only = false;                   ///< the samples were removed (without_samples)
};

using bench::ExhibitKind;
using bench::Metric;
using bench::MetricKind;
using bench::VariantCard;
using bench::WorkloadInfo;

/// Operations of one phase; of a whole repetition if `phase` is "".
std::uint64_t operations_of(const WorkloadInfo& workload, const std::string& phase);

/// The warm-up of a process: first repetitions that differ from the rest and are not samples.
struct Warmup {
  std::uint64_t repetitions = 0;
  double seconds = 0;
  bool stationary = true;  ///< false: the samples still have a trend (bench/stationary.h)
};

/// One point of a process that measured a sweep.
struct ProcessPoint {
  double at = 0;                                       ///< on the workload's axis
  std::uint64_t operations = 0;                        ///< per repetition
  std::uint64_t repetitions = 0;                       ///< timed
  std::map<std::string, std::vector<double>> samples;  ///< as in Process
  std::map<std::string, double> counters;
  std::optional<Warmup> warmup;
};

/// One execution of one benchmark: one statistical observation.
struct Process {
  std::string benchmark;          ///< "name" and "run_name" in the file
  std::uint64_t repetitions = 0;  ///< timed; multiplied by `operations`: Google Benchmark's "iterations"
  double real_time = 0;           ///< ns per operation: median over the repetitions of the sum of phases, / operations;
                                  ///< of a sweep, the geometric mean over the points
  double cpu_time = 0;            ///< ns per operation: the mean, untimed parts of a repetition included
  int process = 0;                ///< from 0, per benchmark and arm
  int block = 0;                  ///< from 0
  int position = 0;               ///< from 0, within the block
  std::string arm = "head";       ///< see kHead
  std::optional<int> cpu;         ///< CPU that it is pinned to; null for a parallel workload
  unsigned threads = 1;
  std::uint64_t seed = 0;
  std::string checksum;                                ///< 16 hex digits
  std::uint64_t operations = 0;                        ///< per repetition
  double wall_seconds = 0;                             ///< from start to end of the process
  double timed_seconds = 0;                            ///< of these, in timed repetitions; 0 if not recorded
  std::map<std::string, std::vector<double>> samples;  ///< ns per repetition, by phase; downsampled if there are many
  std::map<std::string, double> counters;              ///< values of metrics; of a sweep, the geometric mean
  std::optional<Warmup> warmup;                        ///< none if not recorded
  std::vector<ProcessPoint> points = {};               ///< of a sweep; then `samples` is empty
  std::string device = {};                             ///< "": none
  int layout = 0;           ///< the link of its executable that ran, from 1; 0: the build has one link
  int session = 0;          ///< in a picture of several sessions (judge/picture.h): which; not in a file
  bool is_untimed = false;  ///< in a picture: its times do not count; not in a file
};

/// The checksum of a reference variant that was not selected and ran only to give this checksum.
struct ReferenceChecksum {
  std::string benchmark;
  std::uint64_t seed = 0;
  std::string checksum;
};

/// Names in the summary of a latency distribution.
inline constexpr const char* kP50 = "p50";
inline constexpr const char* kP99 = "p99";
inline constexpr const char* kP999 = "p99.9";
inline constexpr const char* kWorst = "worst";
inline constexpr const char* kRawWorst = "raw worst";  ///< in any replay, disturbances included

/// Something to look at that a benchmark wrote in a pass of its own, as a file beside the result.
struct Exhibit {
  std::string benchmark;
  bench::ExhibitInfo info;
  std::string file;                       ///< relative to the folder of the result
  int processes = 0;                      ///< that it is made of
  std::map<std::string, double> summary;  ///< of latencies: kP50 and so on, nanoseconds; of events: their figures
  std::string session = {};               ///< in a picture, the id of the other session that made it; not in a file
};

struct Unsupported {
  std::string benchmark;
  std::string reason;
};

/// Why a benchmark has fewer processes than the others, or none.
struct Failure {
  std::string benchmark;  ///< or family/variant, if the query of its benchmarks already failed
  int process = 0;
  int block = 0;
  std::string kind;  ///< "crash", "timeout", "wrong answer", "protocol", "refused", "conformance"
  std::string detail;
  std::string output_tail;  ///< the end of its output
  std::string arm = "head";
};

inline constexpr std::string_view kHead = "head";        ///< the code under test
inline constexpr std::string_view kBase = "base";        ///< the code it is compared with, in a session with --against
inline constexpr std::string_view kFixed = "fixed";      ///< kept executables that never change (measure/fixed_build.h)
inline constexpr std::string_view kControl = "control";  ///< other links of head's build, one benchmark per family: A/A

/// One arm of a session: the executables of all processes with this arm's name.
struct Arm {
  std::string name;  ///< kHead, kBase, kControl or kFixed
  Build build;
  std::map<std::string, std::string> pins;
  Source source;
  /// "family/variant" to the hash of its content, hex digits; of all its layouts together, if it has several.
  std::map<std::string, std::string> executables;
  std::map<std::string, int> versions;  ///< "family/workload" to the workload's version
};

/// The series of a benchmark's times in the fixed build is called so.
std::string fixed_name(std::string_view benchmark);
bool is_fixed_name(std::string_view series);

/// A readable name of what runs or failed: the benchmark, and the arm if it is not head.
std::string subject(std::string_view benchmark, std::string_view arm);

inline constexpr std::string_view kWrongAnswer = "wrong answer";
/// The variant of this failure breaks its family's contract, so it has no numbers.
inline constexpr std::string_view kNotConforming = "conformance";

struct Result {
  int schema = kSchema;
  BenchmarkContext context;
  Machine machine;
  MachineState facts;
  Build build;
  std::map<std::string, std::string> pins;  ///< package to version hash
  Source source;
  Session session;
  std::vector<Arm> arms;  ///< empty in older files: every process is "head"
  std::vector<WorkloadInfo> workloads;
  std::vector<VariantCard> variants;
  std::vector<Process> processes;  ///< "benchmarks" in the file
  std::vector<ReferenceChecksum> answers;
  std::vector<Unsupported> unsupported;
  std::vector<Failure> failures;
  std::vector<Exhibit> exhibits;
};

/// The file's text: one line per field of the result, one line per process.
std::string serialize(const Result& result);

/// The text of a result's file, which may be packed (results/result_name.h). An error (kUsage) names the file.
Expected<std::string> read_result_text(const std::filesystem::path& path);
/// Replaces the file at `path` as a whole by this text, packed if the name says so.
Expected<void> write_result_text(const std::filesystem::path& path, std::string_view text,
                                 std::optional<std::int64_t> modified_ns = {});

/// Parses a result; errors name it `name`. Rejects, with one sentence and ExitStatus::kUsage: empty or truncated text,
/// invalid JSON (NaN included), other formats, a later schema, an impossible time, a duplicate process.
Expected<Result> parse_result(std::string_view text, std::string_view name);
Expected<Result> load_result(const std::filesystem::path& path);
/// Everything that the file has before its processes, which is little of it: the facts, the session and its arms.
/// Nothing after them is read or checked.
Expected<Result> load_result_head(const std::filesystem::path& path);
/// As parse_result, from a JSON document.
Expected<Result> result_from(const boost::json::value& document, std::string_view name);

/// Checks that the processes can be of one session: (benchmark, arm, process) and (benchmark, arm, block) are unique,
/// and every arm is in `arms`, unless that is empty. A duplicate process would count as two observations.
Expected<void> check_session(const Result& result, std::string_view name);

/// One line of a journal: its kind ("process", "failure", "answer" or "disturbance") and the object.
std::string journal_line(const Process& process);
std::string journal_line(const Failure& failure);
std::string journal_line(const ReferenceChecksum& answer);
std::string journal_line(const Disturbance& disturbance);
/// Parses one such line and adds its object to `result`.
Expected<void> add_journal_line(std::string_view line, Result& result);

/// The "build" of a result, parsed from the text of build_info.json.
Expected<Build> parse_build(std::string_view text, std::string_view name);

/// "family/variant/workload".
std::string benchmark_name(std::string_view family, std::string_view variant, std::string_view workload);

/// The parts of a benchmark's name; "" for a missing part. A name may end in ":metric"; without, it means the primary
/// metric of its workload.
struct BenchmarkParts {
  std::string_view family;
  std::string_view variant;
  std::string_view workload;
  std::string_view metric;
};
BenchmarkParts benchmark_parts(std::string_view benchmark);

/// "family/variant/workload" of a name that may end in ":metric".
std::string_view without_metric(std::string_view benchmark);

/// The arm with this name; null if there is none.
const Arm* find_arm(const Result& result, std::string_view name);

/// The content hash of the benchmark's executable in `arm`; "" if that is null or does not record it.
std::string executable_of(const Arm* arm, std::string_view benchmark);

/// The benchmark's entry in `variants`; null if there is none.
const VariantCard* find_variant(const Result& result, std::string_view benchmark);

/// The family's reference; null if no variant is.
const VariantCard* find_reference(const Result& result, std::string_view family);

/// The benchmark's entry in `workloads`; null if there is none.
const WorkloadInfo* find_workload(const Result& result, std::string_view benchmark);

}  // namespace lab::results
