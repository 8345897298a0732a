/// Every result of a folder, condensed to one row a benchmark and session, in SQLite: <results>/index.sqlite. It is a
/// cache: made from <results>/<machine>/*.json, brought up to date by name, size and time of the files, made anew where
/// it is missing, damaged or another version's, and kept in memory alone where nothing can be written there.
///
/// Two processes at once wait for each other (flock on <results>/index.lock, SQLite's own locks); one that is killed
/// leaves what it had stored whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/changes.h"

namespace lab::judge {

/// What history follows: one benchmark, in one version of its workload, on one machine.
struct Series {
  std::string machine;
  std::string benchmark;
  int version = 0;
};

/// What was found in a series, as the index keeps it.
struct Findings {
  std::size_t sessions = 0;
  std::string first, last;  ///< when the first and the last session started
  double median = 0;        ///< of the last session, ns per operation
  std::vector<Change> changes;
  std::vector<MetricChange> metric_changes;
  Judged judged;
};

/// How far the reading is: results and bytes, of all that have to be read.
struct Progress {
  std::size_t done = 0, all = 0;
  std::uintmax_t bytes = 0;
  double seconds = 0;
  bool waiting = false;  ///< for another process that is at it
};

class Index {
 public:
  /// Opens the index of `results` and brings it up to date. `progress` is called now and then while results are read.
  /// An error (kUsage) where `results` or a machine's folder cannot be read, for whatever reason.
  static Expected<Index> open(const std::filesystem::path& results,
                              const std::function<void(const Progress&)>& progress);
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  /// All series, by machine, benchmark and version.
  Expected<std::vector<Series>> series();
  Expected<Findings> findings(const Series& series);
  /// Its points in the order of time.
  Expected<std::vector<Point>> points(const Series& series);

  /// Sentences about what was met: results that cannot be read, one a line; an index that could not be kept.
  Expected<std::vector<std::string>> remarks();
  /// How many readable results are left out of all series, by reason: "dirty source", "interrupted session",
  /// "unfit session", "no release build".
  Expected<std::vector<std::pair<std::string, std::size_t>>> skipped();
  Expected<std::size_t> results();                      ///< readable ones
  Expected<std::size_t> unreadable();                   ///< results of which a remark says why
  const Progress& reading() const { return reading_; }  ///< what had to be read this time

 private:
  struct Store;
  explicit Index(std::unique_ptr<Store> store);
  /// What `read` gives; where it meets damage, the index is made anew and read once more.
  template <typename T>
  Expected<T> sound(const std::function<T()>& read);

  std::unique_ptr<Store> store_;
  Progress reading_;
};

/// The name of its file in the folder of results.
inline constexpr const char* kIndexName = "index.sqlite";

}  // namespace lab::judge
