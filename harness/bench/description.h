/// What a variant says of itself and of its workloads: plain data, the same from a variant's source file through its
/// executable's --describe and the result to the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab::bench {

/// One implementation in a family. A variant's source file has the four descriptive lines (Card in task.h).
struct VariantCard {
  std::string family = {};
  std::string name = {};
  bool reference = false;  ///< set by the list of the build: an executable does not know it
  std::string idea = {};
  std::string cost = {};
  std::string source = {};
  std::string weakness = {};
  std::map<std::string, std::string> traits = {};  ///< what drives the conformance checks, for readers and the report
};

enum class MetricKind {
  kTime,     ///< host clock, or device timestamps: nanoseconds
  kExact,    ///< no noise: any change is a finding
  kQuality,  ///< of an answer, for example its error, with its own noise
  kMemory    ///< with noise, for example resident bytes
};
enum class Better { kLess, kMore, kNeither };  ///< kNeither: a property of the task, neither a merit nor a fault

/// A named value of every process. A workload has these without declaring them: "time" (the sum of its phases per
/// operation), each phase if there are several, "error" with a tolerance, "instructions" where they are counted, and
/// "page_faults", both of one repetition.
struct Metric {
  std::string name;   ///< as in `family/variant/workload:name`
  std::string title;  ///< for people, without its unit
  std::string unit;   ///< "bytes"; "" for a ratio or a count
  MetricKind kind = MetricKind::kExact;
  Better better = Better::kLess;
  bool costly = false;  ///< costs some repetitions, so that only some processes have it: a missing value means nothing
};

inline constexpr const char* kTimeMetric = "time";
inline constexpr const char* kErrorMetric = "error";
inline constexpr const char* kInstructionsMetric = "instructions";
inline constexpr const char* kPageFaultsMetric = "page_faults";

/// One point of a sweep.
struct AxisPoint {
  double at = 0;
  std::uint64_t operations = 0;  ///< per repetition at this point; 0: the workload's
};

/// What a workload is swept over. One process measures all points, one after the other, in equal shares of its time;
/// its value of any metric is the geometric mean over the points.
struct Axis {
  std::string name;  ///< "threads"
  std::string unit;  ///< "bytes"; "" for a count
  std::vector<AxisPoint> points;
};

/// How far an answer may be from the reference's. The distance is over all values d of the difference.
enum class Distance {
  kMaximum,        ///< the largest |d|
  kRootMeanSquare  ///< the square root of the mean of d^2
};
struct Tolerance {
  Distance distance = Distance::kMaximum;
  double most = 0;
  std::string unit;  ///< of the values
};

enum class ExhibitKind {
  kLatency,  ///< the distribution of times of single operations
  kSeries,   ///< values over the operations
  kImage,    ///< a picture
  kEvents    ///< what each thread did when
};
/// Something to look at, from a pass of its own that is never timed.
struct ExhibitInfo {
  std::string name;  ///< unique in the workload
  std::string title;
  ExhibitKind kind = ExhibitKind::kSeries;
};

/// The file of an exhibit as its process writes it: "<name>.u32" (32-bit little-endian integers), "<name>.json" (a
/// series), "<name>.png" or "<name>.trace.json" (Trace Event Format, which the profilers of browsers and Perfetto
/// open).
inline std::string exhibit_file(const ExhibitInfo& exhibit) {
  constexpr const char* kSuffixes[] = {".u32", ".json", ".png", ".trace.json"};
  return exhibit.name + kSuffixes[static_cast<std::size_t>(exhibit.kind)];
}

/// One deterministic task of a family.
struct WorkloadInfo {
  std::string family = {};                                     ///< filled in by the variant
  std::string name = {};                                       ///< as in `family/variant/workload`
  std::string title = {};                                      ///< one line for people
  int version = 1;                                             ///< raised when the work changes: results of two
                                                               ///< versions are not comparable
  std::vector<std::string> phases = {};                        ///< at least one; its time is their sum
  std::uint64_t operations = 0;                                ///< per repetition, 1 or more; times are divided by it
  std::string operation = "op";                                ///< what one operation is ("command", "pair")
  bool parallel = false;                                       ///< uses every logical core: it is not pinned
  std::map<std::string, std::uint64_t> phase_operations = {};  ///< by phase; the others have `operations`
  std::vector<Metric> metrics = {};                            ///< values of Task::counters()
  std::string primary = kTimeMetric;                           ///< the metric that verdicts judge
  std::optional<Axis> axis = {};                               ///< none: one point
  std::optional<Tolerance> tolerance = {};                     ///< none: checksums must be equal
  std::vector<ExhibitInfo> exhibits = {};
};

}  // namespace lab::bench
