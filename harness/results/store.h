/// All results of a folder in SQLite, condensed to one row per benchmark and session: <results>/index.sqlite. It is a
/// cache of <results>/<machine>/*.json. Name, size and time of the files decide what is read again. A missing or
/// damaged index, or one of another version, is rebuilt, and finds the same. In a read-only folder it is in memory
/// only.
///
/// Concurrent processes wait for each other (a lock on <results>/index.lock, SQLite's locks). A killed process leaves
/// its committed data intact. The store gives no verdict: StoreRules condense a result and find the changes of a
/// series.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/condensed.h"
#include "harness/results/machines.h"
#include "harness/results/result.h"

namespace lab::results {

/// A series and what was found in it alone.
struct JudgedSeries {
  SeriesKey key;
  std::vector<SeriesPoint> points;  ///< in order of time
  std::string findings;
};

/// How the series of one machine are judged.
struct MachineRules {
  std::string watched;  ///< other known facts of the machine; if they change, its findings are computed again
  /// The findings of a series, as text. Called by several threads. `memory` is what the last call for this series left
  /// there, "" at first. It may make this call faster and nothing else: the findings depend on the points alone.
  std::function<std::string(std::span<const SeriesPoint>, std::string& memory)> find;
  /// The findings of all series of the machine, seen together; as many as there are series.
  std::function<std::vector<std::string>(std::vector<JudgedSeries>)> together;
};

/// The sessions of one series, in order of time.
struct TimedSeries {
  std::vector<std::string> started;  ///< UTC, RFC 3339
  std::vector<double> medians;
};

/// A readable result, whether or not it is in a series.
struct SessionRecord {
  std::string path;                                           ///< relative to the results folder
  std::string machine;                                        ///< its present name (results/machines.h)
  std::string reported;                                       ///< the name that the session gives
  std::string session, started;                               ///< its id; UTC, RFC 3339
  std::int64_t arrived = 0;                                   ///< ns since the epoch: when this folder got the file
  std::optional<std::string> commit;                          ///< none without git
  bool medians_only = false;                                  ///< its samples were removed
  std::string skipped;                                        ///< why it is in no series; "" if it is in one
  bool wrong_clock = false;                                   ///< it is skipped because its clock was wrong
  bool contradicted = false;                                  ///< another file has other contents of the same session
  std::shared_ptr<const MeasurementEnvironment> environment;  ///< never null
};

struct StoreRules {
  int version = 0;  ///< 0 to 999; incremented when the same results would be condensed or judged differently
  std::function<CondensedResult(const Result&)> condense;
  /// Of all series of a machine. `memory` is what the last call for this machine left there, as that of
  /// MachineRules::find.
  std::function<MachineRules(std::span<const TimedSeries>, std::string& memory)> machine;
};

/// Progress of reading: results and bytes, of all that must be read.
struct StoreProgress {
  std::size_t done = 0, all = 0;
  std::uintmax_t bytes = 0;
  double seconds = 0;
  bool waiting = false;  ///< for another process that is reading them
};

class StoreTables;
struct ResultFile;

class Store {
 public:
  /// Opens the store of `results` and updates it. Calls `progress` from time to time while it reads results.
  /// An error (kUsage) if `results`, a machine's folder or machines.json cannot be read.
  static Expected<Store> open(const std::filesystem::path& results, const StoreRules& rules,
                              const std::function<void(const StoreProgress&)>& progress);
  /// What is stored, without an update: for reading beside a process or thread that updates. It never writes and keeps
  /// little in memory. After an error of one of its calls all later ones fail, too. An error if there is no index of
  /// this program and version.
  static Expected<Store> open_stored(const std::filesystem::path& results, const StoreRules& rules);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// All series, sorted by machine, benchmark and version.
  Expected<std::vector<SeriesKey>> series();
  /// The text of MachineRules::together for this series; "" for an unknown series.
  Expected<std::string> findings(const SeriesKey& series);
  /// Its points in order of time.
  Expected<std::vector<SeriesPoint>> points(const SeriesKey& series);
  /// Of each of `list`, its sessions that began at `since` or later.
  Expected<std::vector<TimedSeries>> levels(std::span<const SeriesKey> list, const std::string& since);
  /// All series of a machine that have points of sessions that began at one of `starts`, with these points, sorted as
  /// series().
  Expected<std::vector<std::pair<SeriesKey, std::vector<SeriesPoint>>>> points_at(const std::string& machine,
                                                                                  std::span<const std::string> starts);
  /// All series with their last point, sorted as series().
  Expected<std::vector<std::pair<SeriesKey, SeriesPoint>>> last_points();
  /// All series with the text of their findings, sorted as series().
  Expected<std::vector<std::pair<SeriesKey, std::string>>> all_findings();
  /// All readable results, sorted by machine and start.
  Expected<std::vector<SessionRecord>> sessions();
  /// What people know of the machines.
  const KnownMachines& known_machines() const;
  /// All series of a machine, as MachineRules are made of.
  Expected<std::vector<TimedSeries>> timed(const std::string& machine);

  /// Problems found, as sentences: one per unreadable result, and an index that could not be written.
  Expected<std::vector<std::string>> remarks();
  /// The number of readable results that are in no series, by CondensedResult::skipped.
  Expected<std::vector<std::pair<std::string, std::size_t>>> skipped();
  Expected<std::size_t> results();     ///< number of readable results
  Expected<std::size_t> unreadable();  ///< number of unreadable results; remarks() has the reasons
  const StoreProgress& reading() const { return reading_; }  ///< what open() had to read
  bool in_memory() const { return in_memory_; }              ///< the folder has no index that another could read

 private:
  Store(std::unique_ptr<StoreTables> tables, StoreProgress reading);
  /// An index of `files` that is never written, begun from the one in the folder, if any.
  static Expected<Store> open_in_memory(const std::filesystem::path& results, const StoreRules& rules,
                                        const KnownMachines& known, const std::vector<ResultFile>& files,
                                        const std::function<void(const StoreProgress&)>& progress);
  /// The value of `read`. If it finds damage, the index is rebuilt and read again, once.
  template <typename Read>
  auto sound(const Read& read) -> Expected<decltype(read(std::declval<StoreTables&>()))>;

  std::unique_ptr<StoreTables> tables_;
  StoreProgress reading_;
  std::string remark_;
  bool in_memory_ = false, stored_ = false;  ///< from open_in_memory(), open_stored()
};

/// The index's file name in the results folder.
inline constexpr const char* kIndexName = "index.sqlite";

}  // namespace lab::results
