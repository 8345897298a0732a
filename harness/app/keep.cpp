#include "harness/app/keep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "harness/app/kept_files.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/parallel.h"
#include "harness/base/usage_error.h"
#include "harness/base/utc.h"
#include "harness/results/alarm.h"
#include "harness/results/exhibit_archive.h"
#include "harness/results/farm_alarms.h"
#include "harness/results/result_name.h"
#include "harness/results/store.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

constexpr double kDay = 86'400;

/// The results in a machine's folder without their endings, sorted, also those of which only exhibits are left to pack.
/// Without those of a running session.
std::set<fs::path> bases_in(const fs::path& folder) {
  std::set<fs::path> bases;
  std::error_code problem;
  for (auto entry = fs::directory_iterator(folder, problem); !problem && entry != fs::end(entry);
       entry.increment(problem)) {
    const std::string& name = entry->path().native();
    if (std::error_code none; results::is_result_name(name) && entry->is_regular_file(none))
      bases.insert(std::string(results::result_base(name)));
  }
  std::erase_if(bases, [](const fs::path& base) {
    std::error_code none;
    return fs::exists(base.native() + ".journal", none);
  });
  return bases;
}

/// Changes these results on all cores, and counts.
Packing change_all(const std::vector<fs::path>& bases, const std::function<Expected<void>(const fs::path&)>& change) {
  struct One {
    std::uintmax_t before = 0, after = 0;
    std::string problem;
  };
  std::vector<One> all(bases.size());
  in_parallel(bases.size(), [&](std::size_t i) {
    all[i].before = bytes_of(bases[i]);
    if (const Expected<void> changed = change(bases[i]); !changed) all[i].problem = changed.error().what;
    all[i].after = bytes_of(bases[i]);
  });
  Packing done;
  for (One& one : all) {
    if (!one.problem.empty()) done.problems.push_back(std::move(one.problem));
    if (one.before == one.after) continue;
    ++done.results;
    done.before += one.before;
    done.after += one.after;
  }
  return done;
}

/// Whether it has what pack() would change.
bool is_plain(const fs::path& base, bool packed) {
  std::error_code none;
  const std::string& name = base.native();
  return packed
             ? fs::exists(name + ".json.zst", none) || fs::exists(name + std::string(results::kExhibitArchiveEnd), none)
             : fs::exists(name + ".json", none) || fs::exists(name + std::string(results::kExhibitsEnd), none);
}

/// What people and detectors said of sessions: everything of these stays.
struct Alarms {
  std::set<std::string> commits;                          ///< on any machine
  std::map<std::string, std::set<std::string>> sessions;  ///< by machine

  void add(const results::CommitRange& range) {
    for (const std::optional<std::string>& commit : {range.from, range.to})
      if (commit) commits.insert(*commit);
  }
};

Expected<Alarms> alarms_of(const fs::path& results) {
  Alarms all;
  const Expected<std::vector<results::FarmAlarm>> farm = results::load_farm_alarms(results);
  if (!farm) return farm.error();
  for (const results::FarmAlarm& alarm : *farm) all.add(alarm.commits);
  std::vector<fs::path> states{results / "nightly/state.json"};
  std::error_code problem;
  for (auto entry = fs::directory_iterator(results / "nightly", problem); !problem && entry != fs::end(entry);
       entry.increment(problem))
    states.push_back(entry->path() / "state.json");
  for (const fs::path& state : states) {
    if (std::error_code none; !fs::exists(state, none)) continue;
    const Expected<std::string> text = read_file(state);
    if (!text) return text.error();
    const Expected<std::vector<results::Alarm>> alarms = results::parse_alarms(*text, state.string());
    if (!alarms) return alarms.error();
    for (const results::Alarm& alarm : *alarms) {
      all.add(alarm.commits);
      all.sessions[alarm.machine].insert(alarm.session);
    }
  }
  return all;
}

/// What the request removes of the sessions of one machine, which are in order of time.
std::vector<Removal> due_of(const KeepRequest& request, std::span<const results::SessionRecord> sessions,
                            std::set<std::string> whole, const Alarms& alarms, std::size_t& kept) {
  if (const auto own = alarms.sessions.find(sessions.front().machine); own != alarms.sessions.end())
    whole.insert(own->second.begin(), own->second.end());
  std::vector<Removal> due;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const results::SessionRecord& one = sessions[i];
    const fs::path base = request.results / results::result_base(one.path);
    if (!request.machine.empty() && base.parent_path().filename() != request.machine) continue;
    const std::optional<std::time_t> started = seconds_of(one.started);
    if (!started) continue;
    const double days = std::difftime(request.now, *started) / kDay;
    std::error_code none;
    Removal removal{base};
    removal.samples = request.samples_days && days > *request.samples_days && !one.medians_only;
    removal.exhibits = request.exhibits_days && days > *request.exhibits_days &&
                       (fs::exists(base.native() + std::string(results::kExhibitsEnd), none) ||
                        fs::exists(base.native() + std::string(results::kExhibitArchiveEnd), none));
    if (!removal.samples && !removal.exhibits) continue;
    if (i + kYoung >= sessions.size() || whole.contains(one.session) || one.wrong_clock || one.contradicted ||
        (one.commit && alarms.commits.contains(*one.commit)))
      ++kept;
    else
      due.push_back(std::move(removal));
  }
  return due;
}

/// Removes, or only counts the bytes.
Expected<void> carry_out(Removal& removal, bool remove) {
  removal.before = removal.after = bytes_of(removal.base);
  if (remove) {
    // First what may be refused.
    if (removal.samples)
      if (const Expected<void> removed = remove_samples(removal.base); !removed) return removed;
    if (removal.exhibits)
      if (const Expected<void> removed = remove_exhibits(removal.base); !removed) return removed;
    removal.after = bytes_of(removal.base);
    return {};
  }
  const std::uintmax_t all = removal.before, result = result_bytes(removal.base);
  removal.after = removal.exhibits ? result : all;
  if (!removal.samples) return {};
  const Expected<std::uintmax_t> less = bytes_without_samples(removal.base);
  if (!less) return less.error();
  removal.after = removal.after - result + *less;
  return {};
}

}  // namespace

Expected<Packing> pack(const PackRequest& request) {
  const Expected<std::vector<fs::path>> folders = machine_folders(request.results, request.machine);
  if (!folders) return folders.error();
  const Expected<File> lock = lock_kept(request.results);
  if (!lock) return lock.error();
  std::vector<fs::path> chosen;
  for (const fs::path& folder : *folders) {
    const std::set<fs::path> bases = bases_in(folder);
    std::size_t left = bases.size() - (request.unpack ? 0 : std::min(request.newest, bases.size()));
    for (auto base = bases.begin(); left > 0; ++base, --left)
      if (is_plain(*base, request.unpack)) chosen.push_back(*base);
  }
  return change_all(chosen, request.unpack ? unpack_result : pack_result);
}

std::set<std::string> sessions_of_levels(std::span<const judge::SeriesHistory> series) {
  std::set<std::string> whole;
  for (const judge::SeriesHistory& one : series) {
    const std::size_t count = one.points.size();
    if (count == 0) continue;
    const auto add = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i <= to && i < count; ++i) whole.insert(one.points[i].session);
    };
    const auto before = [](std::size_t i) { return i == 0 ? 0 : i - 1; };
    add(0, 0);
    add(count - 1, count - 1);
    std::size_t last = 0;
    for (const judge::LevelChange& change : one.findings.changes) {
      add(before(std::min(change.index, change.earliest)), std::max(change.index, change.latest));
      add(change.detected_at, change.detected_at);
      last = std::max(last, change.index);
    }
    for (const judge::MetricChange& change : one.findings.metric_changes) add(before(change.index), change.index);
    if (one.findings.judged.nights_missing > 0 || count - last < kYoung) add(last, count - 1);
  }
  return whole;
}

Expected<Keeping> keep(const KeepRequest& request, const HistoryObserver& observer) {
  const Expected<std::vector<fs::path>> folders = machine_folders(request.results, request.machine);
  if (!folders) return folders.error();
  const Expected<File> lock = lock_kept(request.results);
  if (!lock) return lock.error();
  Expected<results::Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  const Expected<Alarms> alarms = alarms_of(request.results);
  if (!alarms) return alarms.error();
  const Expected<std::vector<results::SessionRecord>> sessions = store->sessions();
  if (!sessions) return sessions.error();
  Keeping keeping;
  for (auto first = sessions->begin(); first != sessions->end();) {
    const auto end =
        std::find_if(first, sessions->end(), [&](const auto& one) { return one.machine != first->machine; });
    const std::span<const results::SessionRecord> own(first, end);
    first = end;
    const auto is_asked = [&](const auto& one) { return fs::path(one.path).parent_path() == request.machine; };
    if (!request.machine.empty() && std::ranges::none_of(own, is_asked)) continue;
    const Expected<std::vector<judge::SeriesHistory>> series = load_machine(*store, own.front().machine);
    if (!series) return series.error();
    std::vector<Removal> due = due_of(request, own, sessions_of_levels(*series), *alarms, keeping.kept);
    std::vector<std::string> problems(due.size());
    in_parallel(due.size(), [&](std::size_t i) {
      if (const Expected<void> done = carry_out(due[i], request.remove); !done) problems[i] = done.error().what;
    });
    for (std::size_t i = 0; i < due.size(); ++i)
      if (problems[i].empty())
        keeping.removed.push_back(std::move(due[i]));
      else
        keeping.problems.push_back(std::move(problems[i]));
  }
  return keeping;
}

Expected<double> parse_days(std::string_view option, std::string_view text) {
  const std::map<std::string_view, double> kUnits{{"d", 1}, {"w", 7}, {"y", 365}};
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = kUnits.find(text.substr(static_cast<std::size_t>(end - text.data())));
  if (problem == std::errc() && unit != kUnits.end()) return number * unit->second;
  return usage_error(fmt::format("{}: expected an age such as 90d, 12w or 1y, found '{}'", option, text), "");
}

}  // namespace lab::app
