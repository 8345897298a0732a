/// The pages of a farm, for a server: each is a document of one page. They show what the store knows now, and link to
/// each other by addresses relative to the server's ("./series?m=..."), so that they work behind a proxy.
#pragma once

#include <boost/json/object.hpp>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/farm.h"
#include "harness/report/document.h"

namespace lab::report {

/// What is known of a farm. Everything lives longer than the call that gets it.
struct FarmView {
  const judge::Farm& farm;
  std::span<const results::FarmAlarm> alarms;
  std::span<const results::FarmAlarmRecord> said;    ///< of all alarms, the oldest first
  std::span<const results::SessionRecord> sessions;  ///< sorted by machine and start
  std::span<const judge::FarmSeries> series;         ///< sorted by machine, benchmark and version
  std::span<const std::string> commits;              ///< first parents, the oldest first
  std::span<const std::string> remarks = {};         ///< what was omitted, as sentences
  std::time_t now = 0;
};

/// "./alarm?id=..." of values that are any text.
std::string live_address(std::string_view view, std::span<const std::pair<std::string_view, std::string_view>> query);
std::string series_address(const results::SeriesKey& series);
std::string machine_address(std::string_view machine);
std::string commit_address(std::string_view sha);
std::string alarm_address(std::string_view id);
/// Of a session's report. `path`: of its result in the results folder.
std::string night_address(std::string_view path);

/// A name from a result as a reader can take it: without control characters, and a long one cut.
std::string shown_name(std::string_view name);

/// The series of a machine, newest version first for each benchmark: null if there is none. `version` 0: the newest.
const judge::FarmSeries* find_series(std::span<const judge::FarmSeries> series, std::string_view machine,
                                     std::string_view benchmark, int version = 0);

/// Nights that a keeper looks back on.
inline constexpr int kRecentNights = 14;

/// All of it at a glance: what broke, who is silent, which nights are doubtful, and every series in a grid (`grid`: as
/// farm_grid()).
Document front_page(const FarmView& view, boost::json::object grid);

/// Everything of one alarm. `histories`: of some of the series that show it, with their points.
Document alarm_page(const FarmView& view, const results::FarmAlarm& alarm,
                    std::span<const judge::SeriesHistory> histories);

/// One series: its plot, its changes, its sessions. `history` has all points; what began before `from` or after `to`
/// (days; "": no limit) is not drawn. `history.findings.seen` may be known, of this series
/// alone.
Document series_page(const FarmView& view, const judge::SeriesHistory& history, const std::string& from,
                     const std::string& to);

/// Of all machines, what changed with a commit: the changes whose range has it.
Document commit_page(const FarmView& view, const std::string& sha);

Document machine_page(const FarmView& view, const judge::FarmMachine& machine);

/// One benchmark on one machine, as both sides of a comparison have it.
struct ComparedSeries {
  /// A side's values: one for each session.
  struct Side {
    std::vector<double> medians;
    std::optional<stats::Interval> interval;  ///< of the only session
  };

  results::SeriesKey series;  ///< of two machines: the first's
  bool more_is_better = false, is_time = true;
  Side a, b;
  double ratio = 1;  ///< b / a: of the medians; of two machines: the median over their nights
  std::optional<std::pair<double, double>> range = {};  ///< of the ratio over the nights, if there are several
};

struct ComparedFarm {
  std::string a, b;  ///< commits or machines
  bool of_machines = false;
  std::vector<ComparedSeries> series = {};
  std::string nothing = {};  ///< why there are none
};

Document compare_page(const ComparedFarm& compared);

/// Leads to the comparisons with `a`, a machine or a commit; of "" to both. `of_machines`: whether `a` is one.
Document compare_choice_page(const FarmView& view, const std::string& a, bool of_machines);

}  // namespace lab::report
