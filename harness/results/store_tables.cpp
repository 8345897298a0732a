#include "harness/results/store_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "harness/base/json_fields.h"
#include "harness/base/parallel.h"
#include "harness/bench/description_json.h"
#include "harness/results/result_name.h"

namespace lab::results {

namespace {

constexpr std::int64_t kApplication = 0x6c616268;  // "labh"
constexpr int kLayout = 10;                        ///< incremented when the tables below change

/// A reader beside a writer waits so long for its transaction: somebody looks at a page.
constexpr int kReaderPatienceMs = 5'000;

/// Results read and series judged per transaction: a kill loses at most these.
constexpr std::size_t kBatch = 128, kJudgedBatch = 300;

// Results of one session with different contents contradict each other, so none of them is in a series. With equal
// contents, all but the first are copies. `content` is CondensedFile::content.
// `machine` is the present name of the one that a result reports, as machines.json had it when the result was read.
// A word is a text shared by many rows. A series is judged again if it has no findings, or if it was watched among
// more or fewer series of its machine. `told` are its findings among those of the other series. `memory`: see
// MachineRules::find and StoreRules::machine.
constexpr const char* kTables = R"(
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE result(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                    problem TEXT, skipped TEXT, reported TEXT, machine TEXT, session TEXT, started TEXT,
                    arrived INTEGER, content TEXT, commit_id TEXT, surroundings INTEGER, contradicted INTEGER NOT NULL DEFAULT 0,
                    copy INTEGER NOT NULL DEFAULT 0, medians_only INTEGER NOT NULL);
CREATE INDEX result_session ON result(machine, session);
CREATE TABLE series(id INTEGER PRIMARY KEY, machine TEXT NOT NULL, benchmark TEXT NOT NULL, version INTEGER NOT NULL,
                    findings TEXT, told TEXT, watched TEXT, memory TEXT, UNIQUE(machine, benchmark, version));
CREATE TABLE machine(name TEXT PRIMARY KEY, memory TEXT NOT NULL);
CREATE TABLE point(series INTEGER NOT NULL, started TEXT NOT NULL, result INTEGER NOT NULL, median REAL NOT NULL,
                   low REAL, high REAL, processes INTEGER NOT NULL, executable INTEGER NOT NULL, exact INTEGER NOT NULL,
                   metric INTEGER NOT NULL, PRIMARY KEY(series, started, result)) WITHOUT ROWID;
)";

constexpr const char* kContradicted = R"(skipped = '' AND session != '' AND EXISTS (
        SELECT 1 FROM result AS other WHERE other.machine = result.machine AND other.session = result.session
                                            AND other.content != result.content AND other.skipped = ''))";

int version_of(const StoreRules& rules) {
  return 1000 * kLayout + rules.version;
}

template <typename T>
std::shared_ptr<const T> shared_from_json(const std::string& text) {
  boost::system::error_code problem;
  const json::value value = json::parse(text, problem);
  Expected<T> read = problem ? T{} : from_json<T>(value);
  return std::make_shared<const T>(read ? std::move(*read) : T{});
}

std::string json_text(const auto& value) {
  return json::serialize(lab::to_json(value));
}

}  // namespace

StoreTables::StoreTables(std::filesystem::path results, const std::filesystem::path& file, StoreRules rules,
                         KnownMachines known_machines, Database::Mode mode)
    : results_(std::move(results)),
      rules_(std::move(rules)),
      known_machines_(std::move(known_machines)),
      database_(file, mode) {}

bool StoreTables::is_own(Database& database) const {
  return database.integer("PRAGMA application_id") == kApplication &&
         database.integer("PRAGMA user_version") == version_of(rules_);
}

bool StoreTables::prepare() {
  // A kill loses no transaction, a power cut at most the last one.
  database_.run("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;");
  if (is_own(database_)) return true;
  for (const char* what : {"PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"})
    if (database_.integer(what) != 0) return false;
  database_.run("BEGIN IMMEDIATE");
  database_.run(kTables);
  database_.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", kApplication, version_of(rules_)));
  return true;
}

bool StoreTables::is_prepared() {
  database_.wait_at_most(kReaderPatienceMs);
  database_.run("PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;");
  return is_own(database_);
}

void StoreTables::copy_from(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return;
  Database stored(file, Database::Mode::kReadOnly);
  if (is_own(stored)) database_.copy(stored);
}

std::map<std::string, ResultFile> StoreTables::known() {
  std::map<std::string, ResultFile> known;
  Statement all = database_.prepare("SELECT path, size, modified, reported, machine FROM result");
  while (all.next()) {
    std::string path = all.text(0);
    const bool is_renamed = known_machines_.present(all.text(3)) != all.text(4);  // since it was read
    known.emplace_hint(known.end(), path, ResultFile{path, all.integer(1), is_renamed ? -1 : all.integer(2), 0});
  }
  return known;
}

void StoreTables::remove(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  database_.run("CREATE TEMP TABLE IF NOT EXISTS gone(id INTEGER PRIMARY KEY); DELETE FROM gone");
  Statement mark = database_.prepare("INSERT INTO gone SELECT id FROM result WHERE path = ?");
  for (const std::string& path : paths) mark.bind(path).run();
  database_.run(R"(
    UPDATE series SET findings = NULL WHERE id IN (SELECT series FROM point WHERE result IN (SELECT id FROM gone));
    DELETE FROM point WHERE result IN (SELECT id FROM gone);
    DELETE FROM result WHERE id IN (SELECT id FROM gone);
    UPDATE series SET findings = NULL WHERE machine IN (SELECT machine FROM series WHERE findings IS NULL);
    DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM point WHERE point.series = series.id))");
  series_.clear();
}

std::map<std::string, std::string> StoreTables::contents(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> contents;
  for (const std::string& path : paths) {
    Statement one = database_.prepare("SELECT machine, session, content FROM result WHERE path = ?");
    one.bind(path);
    contents[path] = one.next() ? fmt::format("{}\n{}\n{}", one.text(0), one.text(1), one.text(2)) : "";
  }
  return contents;
}

bool StoreTables::take_over(const ResultFile& file, const CondensedFile& read,
                            std::map<std::string, std::string>& left) {
  if (!read.condensed || left.empty()) return false;
  const std::string content = fmt::format("{}\n{}\n{}", known_machines_.present(read.condensed->machine),
                                          read.condensed->session, read.content);
  auto found = left.find(file.path);
  if (found == left.end()) found = left.find(other_name(file.path));
  if (found == left.end() || found->second != content) return false;
  Statement moved =
      database_.prepare("UPDATE result SET path = ?, size = ?, modified = ?, medians_only = ? WHERE path = ?");
  moved.bind(file.path).bind(file.size).bind(file.modified).bind(std::int64_t{read.condensed->medians_only});
  moved.bind(found->first).run();
  left.erase(found);
  return true;
}

std::int64_t StoreTables::word(const std::string& text) {
  if (const auto found = words_.find(text); found != words_.end()) return found->second;
  Statement stored = database_.prepare("SELECT id FROM word WHERE text = ?");
  stored.bind(text);
  const bool is_there = stored.next();
  if (!is_there) database_.prepare("INSERT INTO word(text) VALUES(?)").bind(text).run();
  const std::int64_t id = is_there ? stored.integer(0) : database_.last_id();
  words_.emplace(text, id);
  return id;
}

std::int64_t StoreTables::id_of(const SeriesKey& series) {
  Statement stored = database_.prepare("SELECT id FROM series WHERE machine = ? AND benchmark = ? AND version = ?");
  stored.bind(series.machine).bind(series.benchmark).bind(std::int64_t{series.version});
  return stored.next() ? stored.integer(0) : 0;
}

std::int64_t StoreTables::added(const SeriesKey& series) {
  const auto key = std::make_tuple(series.machine, series.benchmark, series.version);
  if (const auto found = series_.find(key); found != series_.end()) return found->second;
  Statement insert = database_.prepare("INSERT OR IGNORE INTO series(machine, benchmark, version) VALUES(?, ?, ?)");
  insert.bind(series.machine).bind(series.benchmark).bind(std::int64_t{series.version}).run();
  const std::int64_t id = id_of(series);
  series_.emplace(key, id);
  return id;
}

void StoreTables::add(const ResultFile& file, const CondensedFile& read) {
  Statement insert = database_.prepare(
      "INSERT INTO result(path, size, modified, problem, skipped, reported, machine, session, started, arrived, "
      "content, "
      "commit_id, medians_only, surroundings) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  // A file that could not be opened is tried again, whatever its modification time.
  insert.bind(file.path).bind(file.size).bind(read.opened ? file.modified : -1).bind(read.problem);
  static const CondensedResult kNothing;
  const CondensedResult& condensed = read.condensed ? *read.condensed : kNothing;
  insert.bind(condensed.skipped).bind(condensed.machine).bind(known_machines_.present(condensed.machine));
  insert.bind(condensed.session).bind(condensed.started).bind(file.arrived).bind(read.content);
  insert.bind(condensed.commit.value_or("")).bind(std::int64_t{condensed.medians_only});
  insert.bind(word(json_text(condensed.environment))).run();
  const std::int64_t result = database_.last_id();
  for (const CondensedRow& row : condensed.rows) add(result, condensed, row);
}

void StoreTables::add(std::int64_t result, const CondensedResult& condensed, const CondensedRow& row) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  // Prepared once, because there are tens of thousands of points.
  if (!insert_point_) insert_point_ = database_.prepare("INSERT INTO point VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Statement& insert = *insert_point_;
  insert.bind(added({known_machines_.present(condensed.machine), row.benchmark, row.version}));
  insert.bind(std::string_view(condensed.started)).bind(result).bind(row.value.median);
  insert.bind(row.value.interval ? row.value.interval->low : kNone);
  insert.bind(row.value.interval ? row.value.interval->high : kNone);
  insert.bind(static_cast<std::int64_t>(row.value.count)).bind(word(row.executable)).bind(word(json_text(row.exact)));
  insert.bind(word(json_text(row.metric)));
  insert.run();
}

template <typename T>
std::shared_ptr<const T> StoreTables::shared(std::int64_t id,
                                             std::unordered_map<std::int64_t, std::shared_ptr<const T>>& cache) {
  std::shared_ptr<const T>& found = cache[id];
  if (found == nullptr) {
    Statement stored = database_.prepare("SELECT text FROM word WHERE id = ?");
    stored.bind(id);
    found = shared_from_json<T>(stored.next() ? stored.text(0) : "{}");
  }
  return found;
}

StoreTables::StoredResults StoreTables::results_in_series(const std::string& machine) {
  Statement all = database_.prepare(
      "SELECT id, session, path, commit_id, surroundings FROM result WHERE machine = ? AND contradicted = 0 AND copy = "
      "0");
  all.bind(machine);
  StoredResults results;
  while (all.next())
    results[all.integer(0)] = {all.text(1), all.text(2), all.text(3), shared(all.integer(4), environments_)};
  return results;
}

namespace {

/// Of one series; {0}: after the names to sort by, {1}: another condition.
constexpr const char* kPoints =
    "SELECT started, result, median, low, high, processes, executable, exact, metric FROM point WHERE series = ? {1}"
    "ORDER BY started{0}, result{0}";

}  // namespace

SeriesPoint StoreTables::point_of(Statement& row, const StoredResult& result) {
  SeriesPoint point;
  point.started = row.text(0);
  point.session = result.session;
  if (!result.commit.empty()) point.commit = result.commit;
  point.median = row.real(2);
  if (!row.null(3)) point.interval = stats::Interval{row.real(3), row.real(4)};
  point.processes = static_cast<std::size_t>(row.integer(5));
  const auto [executable, is_new] = executables_.try_emplace(row.integer(6));
  if (is_new) {
    Statement text = database_.prepare("SELECT text FROM word WHERE id = ?");
    text.bind(executable->first);
    if (text.next()) executable->second = text.text(0);
  }
  point.executable = executable->second;
  point.exact = shared(row.integer(7), exact_);
  point.environment = result.environment;
  point.metric = shared(row.integer(8), metrics_);
  return point;
}

std::vector<std::pair<SeriesKey, SeriesPoint>> StoreTables::last_points() {
  std::vector<std::pair<SeriesKey, SeriesPoint>> list;
  Statement all = database_.prepare(
      "SELECT id, machine, benchmark, version FROM series WHERE told IS NOT NULL ORDER BY machine, benchmark, version");
  const std::string latest = fmt::format(kPoints, " DESC", "");
  StoredResults results;
  std::string machine;
  for (bool is_first = true; all.next(); is_first = false) {
    if (is_first || machine != all.text(1)) results = results_in_series(machine = all.text(1));
    Statement points = database_.prepare(latest);
    points.bind(all.integer(0));
    while (points.next()) {
      const auto result = results.find(points.integer(1));
      if (result == results.end()) continue;
      list.push_back({{machine, all.text(2), static_cast<int>(all.integer(3))}, point_of(points, result->second)});
      break;
    }
  }
  return list;
}

std::vector<SeriesPoint> StoreTables::points(std::int64_t series, const StoredResults& results,
                                             const std::string& started) {
  // Joined here, not by SQLite, because many series are read and all of them have the same results.
  Statement all = database_.prepare(fmt::format(kPoints, "", started.empty() ? "" : "AND started = ? "));
  all.bind(series);
  if (!started.empty()) all.bind(std::string_view(started));
  std::vector<SeriesPoint> points;
  std::vector<std::string_view> paths;
  bool same_start = false;
  if (started.empty()) points.reserve(results.size());
  while (all.next()) {
    const auto result = results.find(all.integer(1));
    if (result == results.end()) continue;
    points.push_back(point_of(all, result->second));
    paths.push_back(result->second.path);
    same_start = same_start || (points.size() > 1 && points[points.size() - 2].started == points.back().started);
  }
  if (!same_start) return points;
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::tie(points[i].started, points[i].session, paths[i]); });
  std::vector<SeriesPoint> ordered;
  for (const std::size_t i : order) ordered.push_back(std::move(points[i]));
  return ordered;
}

std::vector<std::pair<SeriesKey, std::string>> StoreTables::all_findings() {
  std::vector<std::pair<SeriesKey, std::string>> list;
  Statement all = database_.prepare(
      "SELECT machine, benchmark, version, told FROM series WHERE told IS NOT NULL "
      "ORDER BY machine, benchmark, version");
  while (all.next()) list.push_back({{all.text(0), all.text(1), static_cast<int>(all.integer(2))}, all.text(3)});
  return list;
}

std::vector<SessionRecord> StoreTables::sessions() {
  std::vector<SessionRecord> list;
  Statement all = database_.prepare(
      "SELECT machine, reported, session, started, arrived, commit_id, skipped, contradicted, surroundings, path, "
      "medians_only FROM result "
      "WHERE problem = '' AND copy = 0 ORDER BY machine, started, session, path");
  while (all.next()) {
    SessionRecord& one = list.emplace_back();
    one.machine = all.text(0);
    one.reported = all.text(1);
    one.session = all.text(2);
    one.started = all.text(3);
    one.arrived = all.integer(4);
    if (std::string commit = all.text(5); !commit.empty()) one.commit = std::move(commit);
    one.skipped = all.text(6);
    one.wrong_clock = one.skipped.starts_with(kWrongClock);
    one.contradicted = all.integer(7) != 0;
    one.environment = shared(all.integer(8), environments_);
    one.path = all.text(9);
    one.medians_only = all.integer(10) != 0;
  }
  return list;
}

std::vector<TimedSeries> StoreTables::timed(const std::string& machine) {
  database_.run("BEGIN");
  const std::vector<StoredSeries> series = stored_series(machine);
  database_.run("COMMIT");
  return timed_of(series);
}

std::vector<TimedSeries> StoreTables::levels(std::span<const SeriesKey> list, const std::string& since) {
  database_.run("BEGIN");
  // Not joined: these are few, and the points of many series are read.
  std::set<std::int64_t> omitted;
  Statement none = database_.prepare("SELECT id FROM result WHERE contradicted != 0 OR copy != 0");
  while (none.next()) omitted.insert(none.integer(0));
  Statement id = database_.prepare("SELECT id FROM series WHERE machine = ? AND benchmark = ? AND version = ?");
  Statement all = database_.prepare(
      "SELECT started, median, result FROM point WHERE series = ? AND started >= ? ORDER BY started, result");
  std::vector<TimedSeries> levels(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    id.bind(std::string_view(list[i].machine)).bind(std::string_view(list[i].benchmark));
    id.bind(std::int64_t{list[i].version});
    std::int64_t series = 0;
    while (id.next()) series = id.integer(0);
    all.bind(series).bind(std::string_view(since));
    while (all.next()) {
      if (omitted.contains(all.integer(2))) continue;
      levels[i].started.push_back(all.text(0));
      levels[i].medians.push_back(all.real(1));
    }
  }
  database_.run("COMMIT");
  return levels;
}

std::vector<std::pair<SeriesKey, std::vector<SeriesPoint>>> StoreTables::points_at(
    const std::string& machine, std::span<const std::string> starts) {
  std::vector<std::pair<SeriesKey, std::vector<SeriesPoint>>> list;
  database_.run("BEGIN");
  const StoredResults results = results_in_series(machine);
  Statement all =
      database_.prepare("SELECT id, benchmark, version FROM series WHERE machine = ? ORDER BY benchmark, version");
  all.bind(machine);
  while (all.next()) {
    std::vector<SeriesPoint> found;
    for (const std::string& started : starts)
      std::ranges::move(points(all.integer(0), results, started), std::back_inserter(found));
    if (!found.empty()) list.push_back({{machine, all.text(1), static_cast<int>(all.integer(2))}, std::move(found)});
  }
  database_.run("COMMIT");
  return list;
}

std::vector<TimedSeries> StoreTables::timed_of(std::span<const StoredSeries> series) {
  // The order in which they began, whatever that in which their results arrived.
  std::vector<const StoredSeries*> begun;
  for (const StoredSeries& one : series)
    if (!one.judged.points.empty()) begun.push_back(&one);
  std::ranges::sort(begun, {}, [](const StoredSeries* one) {
    return std::pair<std::string_view, std::int64_t>(one->judged.points.front().started, one->id);
  });
  std::vector<TimedSeries> timed(begun.size());
  for (std::size_t i = 0; i < begun.size(); ++i)
    for (const SeriesPoint& point : begun[i]->judged.points) {
      timed[i].started.push_back(point.started);
      timed[i].medians.push_back(point.median);
    }
  return timed;
}

void StoreTables::update_findings() {
  std::vector<std::string> machines;
  Statement changed = database_.prepare("SELECT DISTINCT machine FROM series WHERE findings IS NULL OR told IS NULL");
  while (changed.next()) machines.push_back(changed.text(0));
  for (const std::string& machine : machines) update_findings(machine);
}

std::vector<StoreTables::StoredSeries> StoreTables::stored_series(const std::string& machine) {
  const StoredResults results = results_in_series(machine);
  Statement all = database_.prepare(
      "SELECT id, benchmark, version, findings, watched, memory FROM series WHERE machine = ? "
      "ORDER BY benchmark, version");
  all.bind(machine);
  std::vector<StoredSeries> list;
  while (all.next()) {
    StoredSeries& one = list.emplace_back();
    one.id = all.integer(0);
    one.judged.key = {machine, all.text(1), static_cast<int>(all.integer(2))};
    one.judged.findings = all.text(3);
    one.watched = all.text(4);
    one.memory = all.text(5);
    one.judged.points = points(one.id, results, "");
  }
  return list;
}

void StoreTables::judge(std::span<StoredSeries* const> list, const MachineRules& rules) {
  in_parallel(list.size(), [&](std::size_t i) {
    JudgedSeries& one = list[i]->judged;
    if (!one.points.empty()) one.findings = rules.find(one.points, list[i]->memory);
  });
  database_.run("BEGIN IMMEDIATE");
  Statement store =
      database_.prepare("UPDATE series SET findings = ?, told = NULL, watched = ?, memory = ? WHERE id = ?");
  for (const StoredSeries* const one : list)
    if (!one->judged.points.empty())
      store.bind(one->judged.findings).bind(rules.watched).bind(one->memory).bind(one->id).run();
  database_.run("COMMIT");
}

void StoreTables::update_findings(const std::string& machine) {
  std::vector<StoredSeries> all = stored_series(machine);
  Statement stored = database_.prepare("SELECT memory FROM machine WHERE name = ?");
  stored.bind(machine);
  std::string memory = stored.next() ? stored.text(0) : "";
  stored = {};
  const MachineRules rules = rules_.machine(timed_of(all), memory);
  std::vector<StoredSeries*> stale;
  for (StoredSeries& one : all)
    if (one.judged.findings.empty() || one.watched != rules.watched) stale.push_back(&one);
  for (std::size_t from = 0; from < stale.size() && !database_.failed(); from += kJudgedBatch)
    judge(std::span(stale).subspan(from, std::min(kJudgedBatch, stale.size() - from)), rules);
  // A series all of whose sessions contradict others.
  Statement none = database_.prepare("UPDATE series SET findings = NULL, told = NULL WHERE id = ?");
  for (const StoredSeries& one : all)
    if (one.judged.points.empty()) none.bind(one.id).run();
  std::erase_if(all, [](const StoredSeries& one) { return one.judged.points.empty(); });
  std::vector<JudgedSeries> judged;
  for (StoredSeries& one : all) judged.push_back(std::move(one.judged));
  const std::vector<std::string> told = rules.together(std::move(judged));
  database_.run("BEGIN IMMEDIATE");
  Statement store = database_.prepare("UPDATE series SET told = ? WHERE id = ?");
  for (std::size_t i = 0; i < all.size(); ++i) store.bind(told[i]).bind(all[i].id).run();
  database_.prepare("INSERT OR REPLACE INTO machine VALUES(?, ?)").bind(machine).bind(memory).run();
  database_.run("COMMIT");
}

StoreProgress StoreTables::update(const std::vector<ResultFile>& files,
                                  const std::function<void(const StoreProgress&)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, ResultFile> known = this->known();
  std::vector<ResultFile> fresh;
  std::vector<std::string> gone;
  for (const ResultFile& file : files) {
    const auto before = known.find(file.path);
    const bool is_known = before != known.end();
    const bool same = is_known && before->second == file;
    if (is_known && !same) gone.push_back(file.path);
    if (is_known) known.erase(before);
    if (!same) fresh.push_back(file);
  }
  for (const auto& [path, file] : known) gone.push_back(path);
  StoreProgress done{0, fresh.size(), 0, 0, false};
  const bool any = !gone.empty() || !fresh.empty();
  std::map<std::string, std::string> left = contents(gone);
  while (done.done < fresh.size() && !database_.failed()) {
    const auto batch = std::span(fresh).subspan(done.done, std::min(kBatch, fresh.size() - done.done));
    const std::vector<CondensedFile> read = condense_files(results_, batch, rules_);
    database_.run("BEGIN IMMEDIATE");
    std::set<std::int64_t> touched;
    std::vector<bool> same(batch.size());
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      done.bytes += static_cast<std::uintmax_t>(batch[i].size);
      same[i] = take_over(batch[i], read[i], left);
      if (!same[i] && left.erase(batch[i].path) > 0) changed.push_back(batch[i].path);
    }
    remove(changed);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (same[i]) continue;
      add(batch[i], read[i]);
      if (!read[i].condensed) continue;
      for (const CondensedRow& row : read[i].condensed->rows)
        touched.insert(added({known_machines_.present(read[i].condensed->machine), row.benchmark, row.version}));
    }
    Statement stale = database_.prepare("UPDATE series SET findings = NULL WHERE id = ?");
    for (const std::int64_t id : touched) stale.bind(id).run();
    database_.run("COMMIT");
    done.done += batch.size();
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress(done);
  }
  if (!left.empty()) {
    gone.clear();
    for (const auto& [path, content] : left) gone.push_back(path);
    database_.run("BEGIN IMMEDIATE");
    remove(gone);
    database_.run("COMMIT");
  }
  if (any)
    database_.run(fmt::format(R"(
      UPDATE series SET findings = NULL WHERE machine IN (SELECT machine FROM result WHERE contradicted != ({0}));
      UPDATE result SET contradicted = {0},
                        copy = session != '' AND EXISTS (
        SELECT 1 FROM result AS other WHERE other.machine = result.machine AND other.session = result.session
                                            AND other.content = result.content AND other.path < result.path))",
                              kContradicted));
  update_findings();
  return done;
}

std::vector<SeriesKey> StoreTables::series() {
  std::vector<SeriesKey> list;
  Statement all = database_.prepare(
      "SELECT machine, benchmark, version FROM series WHERE told IS NOT NULL "
      "ORDER BY machine, benchmark, version");
  while (all.next()) list.push_back({all.text(0), all.text(1), static_cast<int>(all.integer(2))});
  return list;
}

std::string StoreTables::findings(const SeriesKey& series) {
  Statement stored = database_.prepare("SELECT told FROM series WHERE id = ?");
  stored.bind(id_of(series));
  return stored.next() ? stored.text(0) : "";
}

std::vector<SeriesPoint> StoreTables::points(const SeriesKey& series) {
  database_.run("BEGIN");
  std::vector<SeriesPoint> all = points(id_of(series), results_in_series(series.machine), "");
  database_.run("COMMIT");
  return all;
}

std::vector<std::string> StoreTables::problems() {
  std::vector<std::string> problems;
  Statement all = database_.prepare("SELECT problem FROM result WHERE problem != '' ORDER BY path");
  while (all.next()) problems.push_back(all.text(0));
  Statement contradictions = database_.prepare(
      "SELECT session, group_concat(path, ''' and ''') FROM (SELECT * FROM result WHERE contradicted ORDER BY path) "
      "GROUP BY machine, session ORDER BY session");
  while (contradictions.next())
    problems.push_back(fmt::format("session {} has several contents, '{}': none is in a series", contradictions.text(0),
                                   contradictions.text(1)));
  return problems;
}

std::vector<std::pair<std::string, std::size_t>> StoreTables::skipped() {
  std::vector<std::pair<std::string, std::size_t>> counts;
  Statement all = database_.prepare(
      "SELECT skipped, count(*) FROM result WHERE skipped != '' AND copy = 0 GROUP BY skipped ORDER BY skipped");
  while (all.next()) counts.emplace_back(all.text(0), static_cast<std::size_t>(all.integer(1)));
  return counts;
}

std::size_t StoreTables::readable() {
  return static_cast<std::size_t>(database_.integer("SELECT count(*) FROM result WHERE problem = '' AND copy = 0"));
}

std::size_t StoreTables::unreadable() {
  return static_cast<std::size_t>(database_.integer("SELECT count(*) FROM result WHERE problem != ''"));
}

}  // namespace lab::results
