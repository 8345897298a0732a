/// The SQL tables of Store. Errors are kept in database(): see results/database.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/results/database.h"
#include "harness/results/store.h"
#include "harness/results/store_scan.h"

namespace lab::results {

class StoreTables {
 public:
  /// `file`: the database; "" is a database in memory.
  StoreTables(std::filesystem::path results, const std::filesystem::path& file, StoreRules rules,
              KnownMachines known_machines, Database::Mode mode = Database::Mode::kReadWrite);

  /// Creates the tables in a new file. False if the file is of another program or version.
  bool prepare();
  /// Of a database that is only read: whether it is of this program and version.
  bool is_prepared();
  /// Copies the database at `file`, if it is of this program and version.
  void copy_from(const std::filesystem::path& file);
  /// Reads the new results of `files`, removes those that no longer exist, and judges the changed series.
  StoreProgress update(const std::vector<ResultFile>& files, const std::function<void(const StoreProgress&)>& progress);

  std::vector<SeriesKey> series();
  std::string findings(const SeriesKey& series);
  std::vector<std::pair<SeriesKey, std::string>> all_findings();
  std::vector<SessionRecord> sessions();
  std::vector<SeriesPoint> points(const SeriesKey& series);
  std::vector<std::pair<SeriesKey, SeriesPoint>> last_points();
  std::vector<TimedSeries> timed(const std::string& machine);
  std::vector<TimedSeries> levels(std::span<const SeriesKey> list, const std::string& since);
  std::vector<std::pair<SeriesKey, std::vector<SeriesPoint>>> points_at(const std::string& machine,
                                                                        std::span<const std::string> starts);
  std::vector<std::string> problems();
  std::vector<std::pair<std::string, std::size_t>> skipped();
  std::size_t readable();
  std::size_t unreadable();

  const std::filesystem::path& results() const { return results_; }
  const StoreRules& rules() const { return rules_; }
  const KnownMachines& known_machines() const { return known_machines_; }
  Database& database() { return database_; }

 private:
  bool is_own(Database& database) const;
  std::map<std::string, ResultFile> known();
  void remove(const std::vector<std::string>& paths);
  /// Of each of these rows, what makes another file the same one.
  std::map<std::string, std::string> contents(const std::vector<std::string>& paths);
  /// If the file has what a row of `left` has, as after packing, the row gets its name, and nothing is judged again.
  bool take_over(const ResultFile& file, const CondensedFile& read, std::map<std::string, std::string>& left);
  void add(const ResultFile& file, const CondensedFile& read);
  void add(std::int64_t result, const CondensedResult& condensed, const CondensedRow& row);
  struct StoredSeries {
    std::int64_t id = 0;
    JudgedSeries judged;  ///< findings "": none yet
    std::string watched, memory;
  };
  std::vector<StoredSeries> stored_series(const std::string& machine);
  static std::vector<TimedSeries> timed_of(std::span<const StoredSeries> series);
  /// What the points of a result have in common.
  struct StoredResult {
    std::string session, path, commit;
    std::shared_ptr<const MeasurementEnvironment> environment;
  };
  using StoredResults = std::unordered_map<std::int64_t, StoredResult>;  // by id
  StoredResults results_in_series(const std::string& machine);
  void update_findings();
  void update_findings(const std::string& machine);
  /// On all cores.
  void judge(std::span<StoredSeries* const> list, const MachineRules& rules);
  std::int64_t word(const std::string& text);
  std::int64_t id_of(const SeriesKey& series);
  std::int64_t added(const SeriesKey& series);
  SeriesPoint point_of(Statement& row, const StoredResult& result);
  /// Those of the session that began at `started`; of all sessions if it is "".
  std::vector<SeriesPoint> points(std::int64_t series, const StoredResults& results, const std::string& started);
  template <typename T>
  std::shared_ptr<const T> shared(std::int64_t id, std::unordered_map<std::int64_t, std::shared_ptr<const T>>& cache);

  std::filesystem::path results_;
  StoreRules rules_;
  KnownMachines known_machines_;
  Database database_;
  std::optional<Statement> insert_point_;
  // Caches of stored rows, by text or id.
  std::unordered_map<std::string, std::int64_t> words_;
  std::map<std::tuple<std::string, std::string, int>, std::int64_t> series_;
  std::unordered_map<std::int64_t, std::string> executables_;
  std::unordered_map<std::int64_t, std::shared_ptr<const MeasurementEnvironment>> environments_;
  std::unordered_map<std::int64_t, std::shared_ptr<const ExactCounters>> exact_;
  std::unordered_map<std::int64_t, std::shared_ptr<const bench::Metric>> metrics_;
};

}  // namespace lab::results
