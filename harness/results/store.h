/// Every result of a folder, condensed to one row a benchmark and session, in SQLite: <results>/index.sqlite. It is a
/// cache: made from <results>/<machine>/*.json, brought up to date by name, size and time of the files, made anew where
/// it is missing, damaged or of another version, and kept in memory alone where nothing can be written there.
///
/// Two processes at once wait for each other (a lock on <results>/index.lock, SQLite's own locks); one that is killed
/// leaves what it had stored whole. The store gives no verdict: StoreRules say how a result is condensed and what is
/// found in a series.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/results/condensed.h"
#include "harness/results/result.h"

namespace lab::results {

/// How the series of one machine are judged.
struct MachineRules {
  std::string watched;  ///< what else was known of the machine; findings made under another are made anew
  std::function<std::string(std::span<const Point>)> find;  ///< the findings of a series, as text
};

struct StoreRules {
  int version = 0;  ///< 0 to 999; raised where the same results would be condensed or judged differently
  std::function<Condensed(const Result&)> condense;
  std::function<MachineRules(std::span<const std::vector<double>> medians)> machine;  ///< medians of each of its series
};

/// How far the reading is: results and bytes, of all that have to be read.
struct StoreProgress {
  std::size_t done = 0, all = 0;
  std::uintmax_t bytes = 0;
  double seconds = 0;
  bool waiting = false;  ///< for another process that reads them
};

class StoreTables;

class Store {
 public:
  /// Opens the store of `results` and brings it up to date. `progress` is called now and then while results are read.
  /// An error (kUsage) where `results` or a machine's folder cannot be read, for whatever reason.
  static Expected<Store> open(const std::filesystem::path& results, const StoreRules& rules,
                              const std::function<void(const StoreProgress&)>& progress);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// All series, by machine, benchmark and version.
  Expected<std::vector<Series>> series();
  /// What MachineRules::find gave for it; "" for a series that is not there.
  Expected<std::string> findings(const Series& series);
  /// Its points in the order of time.
  Expected<std::vector<Point>> points(const Series& series);

  /// Sentences about what was met: results that cannot be read, one a line; an index that could not be kept.
  Expected<std::vector<std::string>> remarks();
  /// How many readable results are left out of all series, by Condensed::skipped.
  Expected<std::vector<std::pair<std::string, std::size_t>>> skipped();
  Expected<std::size_t> results();                           ///< readable ones
  Expected<std::size_t> unreadable();                        ///< results of which a remark says why
  const StoreProgress& reading() const { return reading_; }  ///< what had to be read this time

 private:
  Store(std::unique_ptr<StoreTables> tables, StoreProgress reading);
  /// What `read` gives; where it meets damage, the index is made anew and read once more.
  template <typename Read>
  auto sound(const Read& read) -> Expected<decltype(read(std::declval<StoreTables&>()))>;

  std::unique_ptr<StoreTables> tables_;
  StoreProgress reading_;
  std::string remark_;
};

/// The name of its file in the folder of results.
inline constexpr const char* kIndexName = "index.sqlite";

}  // namespace lab::results
