#include "harness/judge/index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/judge/condense.h"
#include "harness/results/database.h"
#include "harness/base/json_fields.h"
#include "harness/results/without_samples.h"

namespace fs = std::filesystem;

namespace lab::stats {

template <typename F>
void fields(F& f, Interval& i) {
  f("low", i.low);
  f("high", i.high);
}

}  // namespace lab::stats

namespace lab::judge {

template <typename F>
void fields(F& f, CommitRange& c) {
  f("from", c.from);
  f("to", c.to);
}

template <typename F>
void fields(F& f, Change& c) {
  f("index", c.index);
  f("detected_at", c.detected_at);
  f("earliest", c.earliest);
  f("latest", c.latest);
  f("started", c.started);
  f("before", c.before);
  f("after", c.after);
  f("ratio", c.ratio);
  f("interval", c.interval);
  f("confidence", c.confidence);
  f("commits", c.commits);
  f("cause", c.cause);
  f("changed", c.changed);
}

template <typename F>
void fields(F& f, MetricChange& m) {
  f("index", m.index);
  f("started", m.started);
  f("metric", m.metric);
  f("before", m.before);
  f("after", m.after);
  f("commits", m.commits);
}

template <typename F>
void fields(F& f, Judged& j) {
  f("nights_missing", j.nights_missing);
  f("from", j.from);
  f("reason", j.reason);
}

template <typename F>
void fields(F& f, Findings& x) {
  f("sessions", x.sessions);
  f("first", x.first);
  f("last", x.last);
  f("median", x.median);
  f("changes", x.changes);
  f("metric_changes", x.metric_changes);
  f("judged", x.judged);
}

namespace {

namespace json = boost::json;

constexpr std::int64_t kApplication = 0x6c616268;  // "labh"
constexpr int kLayout = 4;                         ///< raised when the tables below change, or what they leave out
constexpr int kVersion = 1000 * kLayout + kFindingsVersion;

/// Results read between two transactions: what a kill may cost.
constexpr std::size_t kBatch = 128;

// A word is any text that many rows share. A series without findings is one that has to be looked at again, and so is
// one that was watched among more or fewer series of its machine.
constexpr const char* kTables = R"(
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE result(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                    problem TEXT, skipped TEXT, session TEXT, commit_id TEXT, surroundings INTEGER);
CREATE TABLE series(id INTEGER PRIMARY KEY, machine TEXT NOT NULL, benchmark TEXT NOT NULL, version INTEGER NOT NULL,
                    findings TEXT, watched TEXT, UNIQUE(machine, benchmark, version));
CREATE TABLE point(series INTEGER NOT NULL, started TEXT NOT NULL, result INTEGER NOT NULL, median REAL NOT NULL,
                   low REAL, high REAL, processes INTEGER NOT NULL, executable INTEGER NOT NULL, exact INTEGER NOT NULL,
                   PRIMARY KEY(series, started, result)) WITHOUT ROWID;
)";

struct File {
  std::string path;  // machine/name, within the folder of results
  std::int64_t size = 0;
  std::int64_t modified = 0;  // ns
  friend bool operator==(const File&, const File&) = default;
};

/// What `folder` holds; nothing where it is a file.
Expected<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    entries.push_back(at->path());
  // Taken for empty, its results would be forgotten.
  if (problem && problem != std::errc::not_a_directory)
    return Error{fmt::format("reading '{}': {}", folder.string(), problem.message()),
                 "make it readable, or take it away", ExitStatus::kUsage};
  return entries;
}

/// <results>/<machine>/*.json, by name.
Expected<std::vector<File>> list_files(const fs::path& results) {
  std::vector<File> files;
  const auto folders = entries_of(results);
  if (!folders) return folders.error();
  for (const fs::path& folder : *folders) {
    const std::string machine = folder.filename();
    if (machine.starts_with('.') || std::find(kNotMachines.begin(), kNotMachines.end(), machine) != kNotMachines.end())
      continue;
    const auto entries = entries_of(folder);
    if (!entries) return entries.error();
    for (const fs::path& entry : *entries) {
      struct stat found {};
      if (entry.extension() != ".json" || ::stat(entry.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      files.push_back({fmt::format("{}/{}", machine, entry.filename().string()), found.st_size,
                       found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec});
    }
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

void discard(const fs::path& results) {
  std::error_code ignored;
  fs::remove(results / kIndexName, ignored);
  fs::remove(results / (std::string(kIndexName) + "-journal"), ignored);
}

/// One result, read: condensed, or why not.
struct Reading {
  std::optional<Condensed> condensed;
  std::string problem;
  bool opened = false;
};

Reading read(const fs::path& results, const File& file) {
  Reading reading;
  const Expected<std::string> text = read_file(results / file.path);
  if (!text) {
    reading.problem = text.error().what;
    return reading;
  }
  reading.opened = true;
  const Expected<results::Result> result = results::parse_without_samples(*text, file.path);
  if (result)
    reading.condensed = condense(*result);
  else
    reading.problem = result.error().what;
  return reading;
}

/// read() of every file, on all cores.
std::vector<Reading> read_all(const fs::path& results, std::span<const File> files) {
  std::vector<Reading> readings(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) readings[i] = read(results, files[i]);
  };
  const std::size_t count =
      std::min<std::size_t>({files.size(), std::max(1U, std::thread::hardware_concurrency()), 16});
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return readings;
}

/// The lock of all who write the index of one folder; none where no file can be made there.
class Lock {
 public:
  Lock(const fs::path& path, const std::function<void()>& waiting) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    waiting();
    while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool held() const { return file_ >= 0; }

 private:
  int file_;
};

template <typename T>
std::shared_ptr<const T> shared_from_json(const std::string& text) {
  boost::system::error_code problem;
  const json::value value = json::parse(text, problem);
  Expected<T> read = problem ? T{} : from_json<T>(value);
  return std::make_shared<const T>(read ? std::move(*read) : T{});
}

std::string json_text(const auto& value) {
  return json::serialize(to_json(value));
}

}  // namespace

struct Index::Store {
  Store(fs::path folder, const fs::path& file)
      : results(std::move(folder)), database(file, results::Database::Mode::kReadWrite) {}

  /// Makes the tables where the file is new; false where it is another program's or version's.
  bool prepare();
  Progress update(const std::vector<File>& files, const std::function<void(const Progress&)>& progress);
  std::int64_t id_of(const Series& series);
  std::vector<Point> points(std::int64_t series);
  Error error() const;

  fs::path results;
  results::Database database;
  std::string remark;

 private:
  std::map<std::string, File> known();
  void remove(const std::vector<std::string>& paths);
  void add(const File& file, const Reading& reading);
  void add(std::int64_t result, const std::string& started, const std::string& machine, const CondensedRow& row);
  stats::Watch watch(const std::string& machine);
  void analyse();
  void analyse(const std::string& machine);
  std::int64_t word(const std::string& text);
  std::int64_t series(const std::string& machine, const CondensedRow& row);
  template <typename T>
  std::shared_ptr<const T> shared(std::int64_t id, std::unordered_map<std::int64_t, std::shared_ptr<const T>>& cache);

  std::optional<results::Statement> insert_point_;
  // What is stored, by its text or its id.
  std::unordered_map<std::string, std::int64_t> words_;
  std::map<std::tuple<std::string, std::string, int>, std::int64_t> series_;
  std::unordered_map<std::int64_t, std::shared_ptr<const Surroundings>> surroundings_;
  std::unordered_map<std::int64_t, std::shared_ptr<const Exact>> exact_;
};

bool Index::Store::prepare() {
  // A kill loses nothing, a power cut at most the last transaction.
  database.run("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;");
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (application == kApplication && version == kVersion) return true;
  if (application != 0 || version != 0 || database.integer("SELECT count(*) FROM sqlite_schema") != 0) return false;
  database.run("BEGIN IMMEDIATE");
  database.run(kTables);
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", kApplication, kVersion));
  return true;
}

std::map<std::string, File> Index::Store::known() {
  std::map<std::string, File> known;
  results::Statement all = database.prepare("SELECT path, size, modified FROM result");
  while (all.next()) {
    std::string path = all.text(0);
    known.emplace_hint(known.end(), path, File{path, all.integer(1), all.integer(2)});
  }
  return known;
}

void Index::Store::remove(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  database.run("CREATE TEMP TABLE IF NOT EXISTS gone(id INTEGER PRIMARY KEY); DELETE FROM gone");
  results::Statement mark = database.prepare("INSERT INTO gone SELECT id FROM result WHERE path = ?");
  for (const std::string& path : paths) mark.bind(path).run();
  database.run(R"(
    UPDATE series SET findings = NULL WHERE id IN (SELECT series FROM point WHERE result IN (SELECT id FROM gone));
    DELETE FROM point WHERE result IN (SELECT id FROM gone);
    DELETE FROM result WHERE id IN (SELECT id FROM gone);
    UPDATE series SET findings = NULL WHERE machine IN (SELECT machine FROM series WHERE findings IS NULL);
    DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM point WHERE point.series = series.id))");
  series_.clear();
}

std::int64_t Index::Store::word(const std::string& text) {
  if (const auto found = words_.find(text); found != words_.end()) return found->second;
  results::Statement stored = database.prepare("SELECT id FROM word WHERE text = ?");
  stored.bind(text);
  const bool is_there = stored.next();
  if (!is_there) database.prepare("INSERT INTO word(text) VALUES(?)").bind(text).run();
  const std::int64_t id = is_there ? stored.integer(0) : database.last_id();
  words_.emplace(text, id);
  return id;
}

std::int64_t Index::Store::series(const std::string& machine, const CondensedRow& row) {
  const auto key = std::make_tuple(machine, row.benchmark, row.version);
  if (const auto found = series_.find(key); found != series_.end()) return found->second;
  results::Statement insert = database.prepare("INSERT OR IGNORE INTO series(machine, benchmark, version) VALUES(?, ?, ?)");
  insert.bind(machine).bind(row.benchmark).bind(std::int64_t{row.version}).run();
  const std::int64_t id = id_of({machine, row.benchmark, row.version});
  series_.emplace(key, id);
  return id;
}

void Index::Store::add(const File& file, const Reading& reading) {
  results::Statement insert = database.prepare(
      "INSERT INTO result(path, size, modified, problem, skipped, session, commit_id, surroundings) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  // What could not even be opened is tried again, whatever its time.
  insert.bind(file.path).bind(file.size).bind(reading.opened ? file.modified : -1).bind(reading.problem);
  static const Condensed kNothing;
  const Condensed& condensed = reading.condensed ? *reading.condensed : kNothing;
  insert.bind(condensed.skipped).bind(condensed.session).bind(condensed.commit.value_or(""));
  insert.bind(word(json_text(condensed.surroundings))).run();
  const std::int64_t result = database.last_id();
  for (const CondensedRow& row : condensed.rows) add(result, condensed.started, condensed.machine, row);
}

void Index::Store::add(std::int64_t result, const std::string& started, const std::string& machine,
                       const CondensedRow& row) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  // Prepared once: there are tens of thousands of these.
  if (!insert_point_) insert_point_ = database.prepare("INSERT INTO point VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  results::Statement& insert = *insert_point_;
  insert.bind(series(machine, row)).bind(std::string_view(started)).bind(result).bind(row.time.median);
  insert.bind(row.time.interval ? row.time.interval->low : kNone);
  insert.bind(row.time.interval ? row.time.interval->high : kNone);
  insert.bind(static_cast<std::int64_t>(row.time.count)).bind(word(row.executable)).bind(word(json_text(row.exact)));
  insert.run();
}

template <typename T>
std::shared_ptr<const T> Index::Store::shared(std::int64_t id,
                                              std::unordered_map<std::int64_t, std::shared_ptr<const T>>& cache) {
  std::shared_ptr<const T>& found = cache[id];
  if (found == nullptr) {
    results::Statement stored = database.prepare("SELECT text FROM word WHERE id = ?");
    stored.bind(id);
    found = shared_from_json<T>(stored.next() ? stored.text(0) : "{}");
  }
  return found;
}

std::int64_t Index::Store::id_of(const Series& series) {
  results::Statement stored = database.prepare("SELECT id FROM series WHERE machine = ? AND benchmark = ? AND version = ?");
  stored.bind(series.machine).bind(series.benchmark).bind(std::int64_t{series.version});
  return stored.next() ? stored.integer(0) : 0;
}

std::vector<Point> Index::Store::points(std::int64_t series) {
  results::Statement all = database.prepare(
      "SELECT point.started, session, commit_id, median, low, high, processes, executable.text, exact, surroundings "
      "FROM point JOIN result ON result.id = point.result JOIN word AS executable ON executable.id = point.executable "
      "WHERE series = ? ORDER BY point.started, session, path");
  all.bind(series);
  std::vector<Point> points;
  while (all.next()) {
    std::string session = all.text(1);
    // The same result under two names is one session.
    if (!points.empty() && points.back().session == session) continue;
    Point& point = points.emplace_back();
    point.started = all.text(0);
    point.session = std::move(session);
    if (std::string commit = all.text(2); !commit.empty()) point.commit = std::move(commit);
    point.median = all.real(3);
    if (!all.null(4)) point.interval = stats::Interval{all.real(4), all.real(5)};
    point.processes = static_cast<std::size_t>(all.integer(6));
    point.executable = all.text(7);
    point.exact = shared(all.integer(8), exact_);
    point.surroundings = shared(all.integer(9), surroundings_);
  }
  return points;
}

stats::Watch Index::Store::watch(const std::string& machine) {
  results::Statement all = database.prepare(
      "SELECT series.id, median FROM series JOIN point ON point.series = series.id WHERE machine = ? "
      "ORDER BY series.id, started, result");
  all.bind(machine);
  std::vector<std::vector<double>> logs;
  for (std::int64_t last = -1; all.next(); last = all.integer(0)) {
    if (all.integer(0) != last) logs.emplace_back();
    logs.back().push_back(std::log(all.real(1)));
  }
  return {logs.size(), common_autocorrelation(logs)};
}

void Index::Store::analyse() {
  std::vector<std::string> machines;
  results::Statement changed = database.prepare("SELECT DISTINCT machine FROM series WHERE findings IS NULL");
  while (changed.next()) machines.push_back(changed.text(0));
  if (machines.empty()) return;
  database.run("BEGIN IMMEDIATE");
  for (const std::string& machine : machines) analyse(machine);
  database.run("COMMIT");
}

void Index::Store::analyse(const std::string& machine) {
  const stats::Watch watch = this->watch(machine);
  const std::string watched = fmt::format("{} {}", watch.series, watch.autocorrelation.value_or(-1));
  results::Statement all = database.prepare("SELECT id FROM series WHERE machine = ? AND (findings IS NULL OR watched != ?)");
  all.bind(machine).bind(watched);
  std::vector<std::int64_t> stale;
  while (all.next()) stale.push_back(all.integer(0));
  results::Statement store = database.prepare("UPDATE series SET findings = ?, watched = ? WHERE id = ?");
  for (const std::int64_t id : stale) {
    const std::vector<Point> of = points(id);
    if (of.empty()) continue;
    Findings findings{of.size(),        of.front().started,      of.back().started,
                      of.back().median, find_changes(of, watch), find_metric_changes(of), {}};
    findings.judged = judged_of(of, findings.changes);
    store.bind(json_text(findings)).bind(watched).bind(id).run();
  }
}

Progress Index::Store::update(const std::vector<File>& files, const std::function<void(const Progress&)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, File> known = this->known();
  std::vector<File> fresh;
  std::vector<std::string> gone;
  for (const File& file : files) {
    const auto before = known.find(file.path);
    const bool is_known = before != known.end();
    const bool same = is_known && before->second == file;
    if (is_known && !same) gone.push_back(file.path);
    if (is_known) known.erase(before);
    if (!same) fresh.push_back(file);
  }
  for (const auto& [path, file] : known) gone.push_back(path);
  Progress done{0, fresh.size(), 0, 0, false};
  if (!gone.empty()) {
    database.run("BEGIN IMMEDIATE");
    remove(gone);
    database.run("COMMIT");
  }
  while (done.done < fresh.size() && !database.failed()) {
    const auto batch = std::span(fresh).subspan(done.done, std::min(kBatch, fresh.size() - done.done));
    const std::vector<Reading> readings = read_all(results, batch);
    database.run("BEGIN IMMEDIATE");
    std::set<std::int64_t> touched;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      add(batch[i], readings[i]);
      done.bytes += static_cast<std::uintmax_t>(batch[i].size);
      if (!readings[i].condensed) continue;
      for (const CondensedRow& row : readings[i].condensed->rows)
        touched.insert(series(readings[i].condensed->machine, row));
    }
    results::Statement stale = database.prepare("UPDATE series SET findings = NULL WHERE id = ?");
    for (const std::int64_t id : touched) stale.bind(id).run();
    database.run("COMMIT");
    done.done += batch.size();
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress(done);
  }
  analyse();
  return done;
}

Error Index::Store::error() const {
  return Error{fmt::format("the index of '{}': {}", results.string(), database.error()),
               "free some space, or remove index.sqlite there: it is made anew"};
}

Index::Index(std::unique_ptr<Store> store) : store_(std::move(store)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Expected<Index> Index::open(const fs::path& results, const std::function<void(const Progress&)>& progress) {
  std::error_code missing;
  if (!fs::is_directory(results, missing))
    return Error{fmt::format("expected a folder of results at '{}', found {}", results.string(),
                             fs::exists(results, missing) ? "a file" : "nothing"),
                 "python3 make.py run", ExitStatus::kUsage};
  const fs::path file = results / kIndexName;
  const Lock lock(results / "index.lock", [&] { progress({0, 0, 0, 0, true}); });
  const Expected<std::vector<File>> files = list_files(results);
  if (!files) return files.error();
  std::string problem = lock.held() ? "" : "nothing can be written there";
  for (int attempt = 0; attempt < 2 && problem.empty(); ++attempt) {
    Index index(std::make_unique<Store>(results, file));
    if (index.store_->prepare()) {
      index.reading_ = index.store_->update(*files, progress);
      if (!index.store_->database.failed()) return index;
      problem = index.store_->database.error();
    }
    if (attempt == 0 && (problem.empty() || index.store_->database.damaged())) {
      index.store_.reset();
      discard(results);
      problem.clear();
    } else if (problem.empty()) {
      problem = "its file is another program's";
    }
  }
  Index index(std::make_unique<Store>(results, ""));
  if (std::error_code none; fs::exists(file, none)) {
    results::Database stored(file, results::Database::Mode::kReadOnly);
    if (stored.integer("PRAGMA application_id") == kApplication && stored.integer("PRAGMA user_version") == kVersion)
      index.store_->database.copy(stored);
  }
  if (!index.store_->prepare()) return index.store_->error();
  index.reading_ = index.store_->update(*files, progress);
  index.store_->remark = fmt::format("the index is kept in memory for this once: '{}': {}", file.string(), problem);
  if (index.store_->database.failed()) return index.store_->error();
  return index;
}

template <typename T>
Expected<T> Index::sound(const std::function<T()>& read) {
  T value = read();
  if (store_->database.failed() && store_->database.damaged()) {
    const fs::path results = store_->results;
    store_.reset();
    discard(results);
    Expected<Index> anew = open(results, [](const Progress&) {});
    if (!anew) return anew.error();
    *this = std::move(*anew);
    value = read();
  }
  if (store_->database.failed()) return store_->error();
  return value;
}

Expected<std::vector<Series>> Index::series() {
  return sound<std::vector<Series>>([this] {
    std::vector<Series> list;
    results::Statement all =
        store_->database.prepare("SELECT machine, benchmark, version FROM series ORDER BY machine, benchmark, version");
    while (all.next()) list.push_back({all.text(0), all.text(1), static_cast<int>(all.integer(2))});
    return list;
  });
}

Expected<Findings> Index::findings(const Series& series) {
  return sound<Findings>([&] {
    results::Statement stored = store_->database.prepare("SELECT findings FROM series WHERE id = ?");
    stored.bind(store_->id_of(series));
    return Findings(*shared_from_json<Findings>(stored.next() ? stored.text(0) : ""));
  });
}

Expected<std::vector<Point>> Index::points(const Series& series) {
  return sound<std::vector<Point>>([&] { return store_->points(store_->id_of(series)); });
}

Expected<std::vector<std::string>> Index::remarks() {
  return sound<std::vector<std::string>>([this] {
    std::vector<std::string> sentences;
    if (!store_->remark.empty()) sentences.push_back(store_->remark);
    results::Statement all = store_->database.prepare("SELECT problem FROM result WHERE problem != '' ORDER BY path");
    while (all.next()) sentences.push_back(fmt::format("left out: {}", all.text(0)));
    return sentences;
  });
}

Expected<std::vector<std::pair<std::string, std::size_t>>> Index::skipped() {
  using Counts = std::vector<std::pair<std::string, std::size_t>>;
  return sound<Counts>([this] {
    Counts counts;
    results::Statement all = store_->database.prepare(
        "SELECT skipped, count(*) FROM result WHERE skipped != '' GROUP BY skipped ORDER BY skipped");
    while (all.next()) counts.emplace_back(all.text(0), static_cast<std::size_t>(all.integer(1)));
    return counts;
  });
}

Expected<std::size_t> Index::results() {
  return sound<std::size_t>([this] {
    return static_cast<std::size_t>(store_->database.integer("SELECT count(*) FROM result WHERE problem = ''"));
  });
}

Expected<std::size_t> Index::unreadable() {
  return sound<std::size_t>([this] {
    return static_cast<std::size_t>(store_->database.integer("SELECT count(*) FROM result WHERE problem != ''"));
  });
}

}  // namespace lab::judge
