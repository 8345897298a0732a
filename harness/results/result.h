/// A result: everything one session measured and where it came from. harness/docs/formats.md shows the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace boost::json {
class value;
}

namespace lab::results {

/// Raised when a reader of the earlier schema would misread a file; new fields alone do not raise it.
inline constexpr int kSchema = 1;

struct Cache {
  std::string type;  ///< "Data", "Instruction", "Unified"
  int level = 0;
  std::int64_t size = 0;  ///< bytes
  int num_sharing = 0;    ///< logical cores
};

/// Google Benchmark's own block, for its tools.
struct Context {
  std::string date;  ///< UTC, RFC 3339
  std::string host_name;
  std::string executable;
  int num_cpus = 0;
  int mhz_per_cpu = 0;
  bool cpu_scaling_enabled = false;
  std::vector<Cache> caches;
  std::vector<double> load_avg;
  std::string library_build_type;  ///< "release" or "debug"
};

/// The stable facts of a machine. Its id is the name that the user gave, else a hash of the facts marked *.
struct Machine {
  std::string id;            ///< names its folder in results/
  std::string name;          ///< given by the user, or ""
  std::string cpu_model;     ///< *
  std::string architecture;  ///< *
  int sockets = 0;
  int physical_cores = 0;  ///< *
  int logical_cores = 0;
  int memory_gib = 0;             ///< * rounded up
  bool is_virtual = false;        ///< * "virtual" in the file
  std::vector<std::string> gpus;  ///< * "Intel 8086:5916", sorted
};

/// What may change from night to night on one machine; "unknown" where the system does not say.
struct Facts {
  std::string kernel;
  std::string microcode;
  std::string governor;                ///< all that are in use, by comma
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
};

struct Source {
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::string state = "no git";  ///< "clean", "dirty", "no git"
};

/// What other work did to one block, by the kernel's counters; 0.1 of `seconds` is 10 % of one CPU.
struct Disturbance {
  int block = 0;
  double seconds = 0;  ///< from the block's start to its end
  double foreign = 0;  ///< CPU seconds of processes that are not the session's
  double stolen = 0;   ///< CPU seconds that the host withheld, all CPUs added up
};

struct Session {
  std::string id;       ///< <utc>-<commit>, the name of the result's file
  std::string started;  ///< UTC, RFC 3339
  std::string ended;
  std::uint64_t seed = 0;
  std::string mode;  ///< "quick", "default", "full", "processes"
  double budget_seconds = 0;
  int blocks = 0;  ///< complete ones
  int protocol = 0;
  std::string state = "interrupted";           ///< until it is "complete" or "out of time"
  std::vector<std::string> unusual;            ///< sentences: what makes the machine unfit or noisy, and what to do
  double wall_seconds = 0;                     ///< all of it: asking what there is, preparing, measuring, judging
  double timed_seconds = 0;                    ///< of these, inside what its processes timed
  std::vector<Disturbance> disturbances = {};  ///< one a block; empty where not recorded
};

struct Workload {
  std::string family;
  std::string name;
  std::string title;
  int version = 0;
  std::vector<std::string> phases;
  std::uint64_t operations = 0;
  std::string operation;
  bool parallel = false;
  std::map<std::string, std::uint64_t> phase_operations =
      {};  ///< what a phase's time is divided by, where not `operations`
};

/// Operations of one phase, or of a repetition where `phase` is "".
std::uint64_t operations_of(const Workload& workload, const std::string& phase);

/// The repetitions of a process that are no samples: they were not like the rest.
struct Warmup {
  std::uint64_t repetitions = 0;
  double seconds = 0;
  bool stationary = true;  ///< false: what was kept still became faster or slower (bench/stationary.h)
};

struct Variant {
  std::string family;
  std::string name;
  bool reference = false;
  std::string idea;
  std::string cost;
  std::string source;
  std::string weakness;
  std::map<std::string, std::string> traits;
};

/// One execution of one benchmark: one statistical datum.
struct Process {
  std::string benchmark;          ///< "name" and "run_name" in the file
  std::uint64_t repetitions = 0;  ///< timed; times `operations` they are Google Benchmark's "iterations"
  double real_time = 0;           ///< ns per operation: median over the repetitions of the sum of phases, / operations
  double cpu_time = 0;            ///< ns per operation: the mean, untimed parts of a repetition included
  int process = 0;                ///< from 0, per benchmark and arm
  int block = 0;                  ///< from 0
  int position = 0;               ///< from 0, within the block
  std::string arm = "head";       ///< see kHead
  std::optional<int> cpu;         ///< pinned to; null for a parallel workload
  unsigned threads = 1;
  std::uint64_t seed = 0;
  std::string checksum;                                ///< 16 hex digits
  std::uint64_t operations = 0;                        ///< per repetition
  double wall_seconds = 0;                             ///< from start to end of the process
  double timed_seconds = 0;                            ///< of these, in timed repetitions; 0 where not recorded
  std::map<std::string, std::vector<double>> samples;  ///< ns per repetition, by phase; thinned where there are many
  std::map<std::string, double> counters;
  std::optional<Warmup> warmup;  ///< none where not recorded
};

/// What the reference variant read back where it was run for that alone, because it was not selected.
struct Answer {
  std::string benchmark;
  std::uint64_t seed = 0;
  std::string checksum;
};

struct Unsupported {
  std::string benchmark;
  std::string reason;
};

/// Why a benchmark has fewer processes than the others, or none.
struct Failure {
  std::string benchmark;  ///< or family/variant where it could not even be asked what it offers
  int process = 0;
  int block = 0;
  std::string kind;  ///< "crash", "timeout", "wrong answer", "protocol", "refused", "conformance"
  std::string detail;
  std::string output_tail;  ///< the end of what it said
  std::string arm = "head";
};

inline constexpr std::string_view kHead = "head";        ///< what is measured
inline constexpr std::string_view kBase = "base";        ///< what it is compared with, in a session with --against
inline constexpr std::string_view kControl = "control";  ///< head's executables once more, one benchmark a family: A/A

/// One arm of a session: which executables stand behind the processes that bear its name.
struct Arm {
  std::string name;  ///< kHead, kBase or kControl
  Build build;
  std::map<std::string, std::string> pins;
  Source source;
  std::map<std::string, std::string> executables;  ///< "family/variant" to a hash of its content, hex digits
  std::map<std::string, int> versions;             ///< "family/workload" to the workload's version
};

/// What runs or failed, for people: the benchmark, and the arm where it is not head.
std::string subject(std::string_view benchmark, std::string_view arm);

inline constexpr std::string_view kWrongAnswer = "wrong answer";
/// Of a failure that names a variant: it does not do what its family promises, so it has no numbers.
inline constexpr std::string_view kNotConforming = "conformance";

struct Result {
  int schema = kSchema;
  Context context;
  Machine machine;
  Facts facts;
  Build build;
  std::map<std::string, std::string> pins;  ///< package to version hash
  Source source;
  Session session;
  std::vector<Arm> arms;  ///< empty in files from before there were any: all is "head"
  std::vector<Workload> workloads;
  std::vector<Variant> variants;
  std::vector<Process> processes;  ///< "benchmarks" in the file
  std::vector<Answer> answers;
  std::vector<Unsupported> unsupported;
  std::vector<Failure> failures;
};

/// The file's text: one field of the result a line, one process a line.
std::string serialize(const Result& result);

/// A result from its text; `name` is what errors call it. What is empty, truncated, no JSON (NaN included), foreign, of
/// a later schema, holds a time that cannot be one, or a process twice, is refused in a sentence with
/// ExitStatus::kUsage.
Expected<Result> parse_result(std::string_view text, std::string_view name);
Expected<Result> load_result(const std::filesystem::path& path);
/// The same from a JSON document.
Expected<Result> result_from(const boost::json::value& document, std::string_view name);

/// Whether these can be the processes of one session: (benchmark, arm, process) and (benchmark, arm, block) are there
/// once, and every arm is one of `arms`, where there are any. A process that counted twice would be two data.
Expected<void> check_session(const Result& result, std::string_view name);

/// The journal's lines: "process", "failure", "answer" or "disturbance", and the object.
std::string journal_line(const Process& process);
std::string journal_line(const Failure& failure);
std::string journal_line(const Answer& answer);
std::string journal_line(const Disturbance& disturbance);
/// Adds what one such line holds to `result`.
Expected<void> add_journal_line(std::string_view line, Result& result);

/// The "build" of a result, which is what build_info.json holds.
Expected<Build> parse_build(std::string_view text, std::string_view name);

/// "family/variant/workload".
std::string benchmark_name(std::string_view family, std::string_view variant, std::string_view workload);

/// The parts of a benchmark's name; "" for those it lacks.
struct BenchmarkParts {
  std::string_view family;
  std::string_view variant;
  std::string_view workload;
};
BenchmarkParts benchmark_parts(std::string_view benchmark);

/// The arm of that name; null where there is none.
const Arm* find_arm(const Result& result, std::string_view name);

/// The benchmark's entry in `variants`; null where there is none.
const Variant* find_variant(const Result& result, std::string_view benchmark);

/// The benchmark's entry in `workloads`; null where there is none.
const Workload* find_workload(const Result& result, std::string_view benchmark);

}  // namespace lab::results
