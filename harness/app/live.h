/// A farm that somebody looks at: what `serve` shows, kept up to date. One thread refreshes it, others read it at the
/// same time.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/app/farm.h"
#include "harness/app/running_sessions.h"
#include "harness/base/error.h"
#include "harness/report/document.h"
#include "harness/report/farm_grid.h"
#include "harness/results/farm_alarms.h"

namespace lab::app {

/// What was known at the end of a refresh. It never changes: the next refresh makes another one.
struct LiveState {
  std::uint64_t version = 0;  ///< grows with each state that shows something else
  judge::Farm farm;
  judge::FarmInput input;                      ///< sessions, findings, alarms and commits that `farm` was judged from
  std::vector<results::FarmAlarmRecord> said;  ///< of all alarms
  std::vector<std::string> remarks;            ///< sentences: what was left out, and why
  std::size_t mark = 0;                        ///< differs where a page or data differ
  report::GridRows rows;                       ///< refers to `input`
  boost::json::object grid;                    ///< as data("grid")

  report::FarmView view() const;
};

/// What a refresh found.
struct LiveChange {
  std::uint64_t version = 0;
  bool changed = false;               ///< there is a new state
  std::vector<std::string> machines;  ///< with other sessions than before
  /// (machine, benchmark) whose findings or last point changed, at most kMostTold.
  std::vector<std::pair<std::string, std::string>> series;

  static constexpr std::size_t kMostTold = 1000;
};

class LiveReader;

class LiveFarm {
 public:
  using Query = std::map<std::string, std::string>;

  /// Opens nothing yet. `request.now` is the time from which this farm's clock runs on.
  explicit LiveFarm(FarmRequest request);
  LiveFarm(const LiveFarm&) = delete;
  LiveFarm& operator=(const LiveFarm&) = delete;
  ~LiveFarm();

  /// Reads new results, judges them, and makes the next state. One thread at a time. On an error the last state stays:
  /// the folder may come back.
  Expected<LiveChange> refresh(const HistoryObserver& observer = {});

  /// Null before the first refresh. Thread-safe, as all that follows.
  std::shared_ptr<const LiveState> state() const;

  /// The page of an address's last part, "" for the front page. An error of kUsage says that there is no such page,
  /// machine, series, alarm or commit; any other, that it cannot be read at the moment.
  Expected<report::Document> page(std::string_view view, const Query& query);

  /// "grid", "sparks" (from, to, nights), "farm", "series" (m, b, v), "status". Errors as of page().
  Expected<boost::json::value> data(std::string_view name, const Query& query);

  /// The report of the session at `path`, relative to the results folder, file by file. Charts are drawn by its pages.
  /// Only of a path that the index has.
  Expected<std::map<std::string, std::string>> night(const std::string& path);

  /// The path of a session's result by its path or its id; an error (kUsage) if the index has none.
  Expected<std::string> path_of(const std::string& session) const;

  /// The sessions that run now. Cheap: reads what is new in their journals.
  std::vector<RunningSession> running();

 private:
  Expected<std::shared_ptr<const LiveState>> known() const;
  /// What the files say without being read: equal stamps, equal state. "" where that is not known.
  std::string stamp() const;
  /// Null if the last state still holds.
  Expected<std::shared_ptr<LiveState>> read(const HistoryObserver& observer);
  Expected<std::vector<judge::SeriesHistory>> histories(const std::vector<const judge::FarmSeries*>& list);
  Expected<std::map<std::string, std::string>> report_of(const std::string& path);
  Expected<report::Document> alarm_page(const LiveState& state, const Query& query);
  Expected<report::Document> series_page(const LiveState& state, const Query& query);
  Expected<report::Document> compare_page(const LiveState& state, const Query& query);
  Expected<report::Document> atlas_page() const;
  Expected<boost::json::value> sparks(const LiveState& state, const Query& query);
  Expected<boost::json::value> series(const LiveState& state, const Query& query);
  boost::json::value status(const LiveState& state);

  FarmRequest request_;
  std::time_t ahead_ = 0;     ///< of its clock, compared with this computer's
  std::string stamp_;         ///< of state_, for refresh() alone
  std::time_t judged_ = 0;    ///< when that was judged
  mutable std::mutex mutex_;  ///< of state_
  std::shared_ptr<const LiveState> state_;
  std::unique_ptr<LiveReader> reader_;
  std::mutex running_mutex_;
  RunningSessions running_;
};

}  // namespace lab::app
