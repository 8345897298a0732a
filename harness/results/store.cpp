#include "harness/results/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/lock.h"
#include "harness/base/printable.h"
#include "harness/results/store_tables.h"

namespace lab::results {

namespace fs = std::filesystem;

namespace {

void discard(const fs::path& results) {
  std::error_code ignored;
  fs::remove(results / kIndexName, ignored);
  fs::remove(results / (std::string(kIndexName) + "-journal"), ignored);
}

/// Locks the index of `results` for writing. An error if no file can be created there.
Expected<File> lock_index(const fs::path& results, const std::function<void()>& on_wait) {
  const fs::path path = results / "index.lock";
  Expected<File> lock = lock_file(path, LockKind::kTryExclusive);
  if (!lock || lock->get() >= 0) return lock;
  on_wait();
  return lock_file(path, LockKind::kExclusive);
}

Error failure_of(StoreTables& tables) {
  return Error{fmt::format("the index of '{}': {}", tables.results().string(), tables.database().error()),
               "free disk space, or remove index.sqlite there: it will be rebuilt"};
}

}  // namespace

Store::Store(std::unique_ptr<StoreTables> tables, StoreProgress reading)
    : tables_(std::move(tables)), reading_(reading) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Expected<Store> Store::open_in_memory(const fs::path& results, const StoreRules& rules, const KnownMachines& known,
                                      const std::vector<ResultFile>& files,
                                      const std::function<void(const StoreProgress&)>& progress) {
  auto tables = std::make_unique<StoreTables>(results, "", rules, known);
  tables->copy_from(results / kIndexName);
  if (!tables->prepare()) return failure_of(*tables);
  const StoreProgress reading = tables->update(files, progress);
  if (tables->database().failed()) return failure_of(*tables);
  Store store(std::move(tables), reading);
  store.in_memory_ = true;
  return store;
}

Expected<Store> Store::open_stored(const fs::path& results, const StoreRules& rules) {
  const fs::path file = results / kIndexName;
  auto tables = std::make_unique<StoreTables>(results, file, rules, KnownMachines(), Database::Mode::kReadOnly);
  if (!tables->is_prepared())
    return tables->database().failed()
               ? failure_of(*tables)
               : Error{fmt::format("expected an index of this version at '{}', found another", file.string()),
                       "python3 make.py history --farm"};
  Store store(std::move(tables), {});
  store.stored_ = true;
  return store;
}

Expected<Store> Store::open(const fs::path& results, const StoreRules& rules,
                            const std::function<void(const StoreProgress&)>& progress) {
  std::error_code missing;
  if (!fs::is_directory(results, missing))
    return Error{fmt::format("expected a folder of results at '{}', found {}", results.string(),
                             fs::exists(results, missing) ? "a file" : "nothing"),
                 "python3 make.py run", ExitStatus::kUsage};
  const Expected<KnownMachines> known = load_known_machines(results);
  if (!known) return known.error();
  const fs::path file = results / kIndexName;
  if (!fs::exists(file, missing)) {
    // Asking about a folder without results leaves nothing there.
    const Expected<std::vector<ResultFile>> files = list_result_files(results);
    if (!files) return files.error();
    if (files->empty()) return open_in_memory(results, rules, *known, *files, progress);
  }
  const Expected<File> lock = lock_index(results, [&] { progress({0, 0, 0, 0, true}); });
  const Expected<std::vector<ResultFile>> files = list_result_files(results);
  if (!files) return files.error();
  std::string problem;
  if (!lock) problem = ::access(results.c_str(), W_OK) == 0 ? lock.error().what : "the folder is read-only";
  for (int attempt = 0; attempt < 2 && problem.empty(); ++attempt) {
    auto tables = std::make_unique<StoreTables>(results, file, rules, *known);
    if (tables->prepare()) {
      const StoreProgress reading = tables->update(*files, progress);
      if (!tables->database().failed()) return Store(std::move(tables), reading);
      problem = tables->database().error();
    }
    if (attempt == 0 && (problem.empty() || tables->database().damaged())) {
      tables.reset();
      discard(results);
      problem.clear();
    } else if (problem.empty()) {
      problem = "the file belongs to another program";
    }
  }
  Expected<Store> store = open_in_memory(results, rules, *known, *files, progress);
  if (store)
    store->remark_ = fmt::format("the index is kept in memory for this call: '{}': {}", file.string(), problem);
  return store;
}

template <typename Read>
auto Store::sound(const Read& read) -> Expected<decltype(read(std::declval<StoreTables&>()))> {
  auto value = read(*tables_);
  if (!stored_ && tables_->database().failed() && tables_->database().damaged()) {
    const fs::path results = tables_->results();
    const StoreRules rules = tables_->rules();
    tables_.reset();
    discard(results);
    Expected<Store> rebuilt = open(results, rules, [](const StoreProgress&) {});
    if (!rebuilt) return rebuilt.error();
    *this = std::move(*rebuilt);
    value = read(*tables_);
  }
  if (tables_->database().failed()) return failure_of(*tables_);
  return value;
}

Expected<std::vector<SeriesKey>> Store::series() {
  return sound([](StoreTables& tables) { return tables.series(); });
}

Expected<std::string> Store::findings(const SeriesKey& series) {
  return sound([&](StoreTables& tables) { return tables.findings(series); });
}

Expected<std::vector<std::pair<SeriesKey, std::string>>> Store::all_findings() {
  return sound([](StoreTables& tables) { return tables.all_findings(); });
}

Expected<std::vector<std::pair<SeriesKey, SeriesPoint>>> Store::last_points() {
  return sound([](StoreTables& tables) { return tables.last_points(); });
}

Expected<std::vector<SessionRecord>> Store::sessions() {
  return sound([](StoreTables& tables) { return tables.sessions(); });
}

const KnownMachines& Store::known_machines() const {
  return tables_->known_machines();
}

Expected<std::vector<TimedSeries>> Store::timed(const std::string& machine) {
  return sound([&](StoreTables& tables) { return tables.timed(machine); });
}

Expected<std::vector<SeriesPoint>> Store::points(const SeriesKey& series) {
  return sound([&](StoreTables& tables) { return tables.points(series); });
}

Expected<std::vector<TimedSeries>> Store::levels(std::span<const SeriesKey> list, const std::string& since) {
  return sound([&](StoreTables& tables) { return tables.levels(list, since); });
}

Expected<std::vector<std::pair<SeriesKey, std::vector<SeriesPoint>>>> Store::points_at(
    const std::string& machine, std::span<const std::string> starts) {
  return sound([&](StoreTables& tables) { return tables.points_at(machine, starts); });
}

Expected<std::vector<std::string>> Store::remarks() {
  return sound([this](StoreTables& tables) {
    std::vector<std::string> sentences;
    if (!remark_.empty()) sentences.push_back(remark_);
    for (const std::string& problem : tables.problems()) sentences.push_back(fmt::format("ignored: {}", problem));
    for (std::string& sentence : sentences) {
      sentence = printable(std::move(sentence));
      std::ranges::replace(sentence, '\n', '?');  // a file's name may have one, and would begin a line of its own
    }
    return sentences;
  });
}

Expected<std::vector<std::pair<std::string, std::size_t>>> Store::skipped() {
  return sound([](StoreTables& tables) { return tables.skipped(); });
}

Expected<std::size_t> Store::results() {
  return sound([](StoreTables& tables) { return tables.readable(); });
}

Expected<std::size_t> Store::unreadable() {
  return sound([](StoreTables& tables) { return tables.unreadable(); });
}

}  // namespace lab::results
