/// The use cases results pack, unpack and keep: what is kept of older results, and how.
///
/// `keep` removes the samples and the exhibits' files of older sessions, never a session itself: its medians,
/// intervals, counters and provenance stay, and with them all findings of the history. Everything stays of
/// - the first and the last session of each level of each series, of the sessions between which a change may lie, of
/// the
///   one that found it, and of those at a change of an exact metric;
/// - the sessions of the commits and the first session of every alarm, of a machine's nights or of the farm;
/// - a machine's last kYoung sessions, and the last level of a series that is too young to be judged;
/// - sessions whose clock was wrong, or of which another file says something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/history.h"
#include "harness/base/error_fwd.h"
#include "harness/base/layout.h"
#include "harness/judge/history.h"

namespace lab::app {

/// A night may still be found to be a change of so many sessions before.
inline constexpr std::size_t kYoung = 20;

struct PackRequest {
  std::filesystem::path results = results_dir();
  std::string machine = "";  ///< only this one; "": all
  std::size_t newest = 3;    ///< so many of each machine stay as they are, for other tools
  bool unpack = false;       ///< the reverse, of all
};

struct Packing {
  std::size_t results = 0;                 ///< that were changed
  std::uintmax_t before = 0, after = 0;    ///< bytes of these
  std::vector<std::string> problems = {};  ///< why others were not
};

/// Packs the results of all machines: each .json becomes .json.zst, each folder of exhibits one file. A kill loses
/// nothing, and the next call goes on. Results of a running session stay. An error (kUsage) if there is no such folder,
/// kFailed if another process packs in it.
Expected<Packing> pack(const PackRequest& request);

struct KeepRequest {
  std::filesystem::path results = results_dir();
  std::string machine = "";                            ///< only this one; "": all
  std::optional<double> samples_days = std::nullopt;   ///< none: the samples stay
  std::optional<double> exhibits_days = std::nullopt;  ///< none: the exhibits stay
  bool remove = false;                                 ///< false: only says what would be removed
  std::time_t now = std::time(nullptr);
};

/// What is removed of one result.
struct Removal {
  std::filesystem::path base;  ///< the result without its ending
  bool samples = false, exhibits = false;
  std::uintmax_t before = 0, after = 0;  ///< bytes
};

struct Keeping {
  std::vector<Removal> removed = {};       ///< or would be, by machine and name
  std::size_t kept = 0;                    ///< sessions that are old enough, of which everything stays
  std::vector<std::string> problems = {};  ///< why nothing was removed of others
};

Expected<Keeping> keep(const KeepRequest& request, const HistoryObserver& observer = {});

/// The ids of the sessions of one machine of which everything stays because of its series.
std::set<std::string> sessions_of_levels(std::span<const judge::SeriesHistory> series);

/// Days of a text such as "90d", "12w" or "1y". An error (kUsage) names `option`.
Expected<double> parse_days(std::string_view option, std::string_view text);

}  // namespace lab::app
