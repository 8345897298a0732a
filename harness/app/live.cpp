#include "harness/app/live.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "harness/app/live_reader.h"
#include "harness/base/open_file.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_text.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// Without news, a farm is judged again after so many seconds: silence is a matter of time, and the checkout may have
/// other commits.
constexpr std::time_t kJudgedAgain = 600;

/// Where SQLite's file has the number of its last transaction (https://www.sqlite.org/fileformat2.html).
constexpr std::size_t kChangeCounter = 24, kChangeCounterEnd = 28;

/// The first bytes of a file; fewer if it cannot be read.
std::string head_of(const fs::path& path, std::size_t bytes) {
  std::string head(bytes, '\0');
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file.get() < 0 ? 0 : ::pread(file.get(), head.data(), bytes, 0);
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return head;
}

/// Differs where the file is another one or was written.
std::string file_stamp(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return " none";
  return fmt::format(" {} {} {} {}.{}", found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

/// Of all that a reader can see but the time of day.
std::size_t mark_of(const LiveState& state) {
  std::string text = report::to_json(state.farm, state.input.alarms);
  for (const judge::FarmSeries& one : state.input.series) text += fmt::format("{:x}\n", one.told);
  for (const results::SessionRecord& one : state.input.sessions)
    text += fmt::format("{} {} {}\n", one.path, one.skipped, one.contradicted);
  for (const results::FarmAlarmRecord& one : state.said) text += fmt::format("{} {} {}\n", one.at, one.id, one.note);
  for (const std::string& one : state.remarks) text += one + "\n";
  if (!state.input.commits.empty()) text += state.input.commits.back();
  return std::hash<std::string>()(text);
}

/// By machine, of which sessions it has.
std::map<std::string_view, std::size_t> machine_marks(const LiveState& state) {
  std::map<std::string_view, std::size_t> marks;
  for (const results::SessionRecord& one : state.input.sessions) {
    std::size_t& mark = marks[one.machine];
    mark = 31 * mark + std::hash<std::string>()(fmt::format("{} {} {}", one.path, one.skipped, one.contradicted));
  }
  return marks;
}

std::vector<std::string> changed_machines(const LiveState& before, const LiveState& after) {
  std::vector<std::string> changed;
  const auto then = machine_marks(before), now = machine_marks(after);
  for (const auto& [machine, mark] : now)
    if (const auto found = then.find(machine); found == then.end() || found->second != mark)
      changed.emplace_back(machine);
  for (const auto& [machine, mark] : then)
    if (!now.contains(machine)) changed.emplace_back(machine);
  return changed;
}

std::vector<std::pair<std::string, std::string>> changed_series(const LiveState& before, const LiveState& after) {
  std::vector<std::pair<std::string, std::string>> changed;
  const auto key = [](const judge::FarmSeries& one) {
    return std::tuple<std::string_view, std::string_view, int>(one.key.machine, one.key.benchmark, one.key.version);
  };
  auto old = before.input.series.begin();
  for (const judge::FarmSeries& one : after.input.series) {
    while (old != before.input.series.end() && key(*old) < key(one)) ++old;
    if (old != before.input.series.end() && key(*old) == key(one) && old->told == one.told) continue;
    if (changed.size() == LiveChange::kMostTold) break;
    changed.emplace_back(one.key.machine, one.key.benchmark);
  }
  return changed;
}

}  // namespace

report::FarmView LiveState::view() const {
  return {farm, input.alarms, said, input.sessions, input.series, input.commits, remarks, input.now};
}

LiveFarm::LiveFarm(FarmRequest request)
    : request_(std::move(request)),
      ahead_(request_.now - std::time(nullptr)),
      reader_(std::make_unique<LiveReader>(request_.results)) {}
LiveFarm::~LiveFarm() = default;

std::shared_ptr<const LiveState> LiveFarm::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Expected<std::shared_ptr<const LiveState>> LiveFarm::known() const {
  std::shared_ptr<const LiveState> state = this->state();
  if (state == nullptr) return Error{"the results are being read for the first time", "reload the page in a moment"};
  return state;
}

std::string LiveFarm::stamp() const {
  const fs::path index = request_.results / results::kIndexName;
  const std::string head = head_of(index, kChangeCounterEnd);
  if (head.size() < kChangeCounterEnd) return "";
  return head.substr(kChangeCounter) + file_stamp(index) + file_stamp(request_.results / results::kFarmAlarmsName) +
         file_stamp(request_.results / results::kMachinesName);
}

Expected<std::shared_ptr<LiveState>> LiveFarm::read(const HistoryObserver& observer) {
  auto next = std::make_shared<LiveState>();
  FarmRequest request = request_;
  request.now = std::time(nullptr) + ahead_;
  Expected<results::Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  // Reading all findings takes longer than seeing that there is nothing new.
  const std::string stamp = store->in_memory() ? "" : this->stamp();
  if (!stamp.empty() && stamp == stamp_ && request.now >= judged_ && request.now - judged_ < kJudgedAgain)
    return std::shared_ptr<LiveState>();
  Expected<std::vector<std::string>> remarks = store->remarks();
  if (!remarks) return remarks.error();
  next->remarks = std::move(*remarks);
  Expected<judge::FarmInput> input = farm_input(*store, request);
  if (!input) return input.error();
  next->input = std::move(*input);
  // Without results there is a page that says so. A hint of an option means that another folder was meant.
  if (next->input.series.empty())
    if (const Expected<void> some = require_series(*store, request.results);
        !some && some.error().hint.starts_with("--"))
      next->remarks.push_back(fmt::format("{}; try {}", some.error().what, some.error().hint));
  reader_->use(store->in_memory() ? std::optional(std::move(*store)) : std::nullopt);
  Expected<std::vector<results::FarmAlarmRecord>> said = results::load_farm_records(request.results);
  if (!said) return said.error();
  next->said = std::move(*said);
  stamp_ = stamp;
  judged_ = request.now;
  return next;
}

Expected<LiveChange> LiveFarm::refresh(const HistoryObserver& observer) {
  const std::shared_ptr<const LiveState> before = state();
  Expected<std::shared_ptr<LiveState>> read = this->read(observer);
  if (!read) return read.error();
  const std::shared_ptr<LiveState> next = std::move(*read);
  // What reading took goes back to the system, also below: a server lives for months.
  if (next == nullptr) {
    ::malloc_trim(0);
    return LiveChange{before->version, false, {}, {}};
  }
  next->farm = judge::judge_farm(next->input);
  next->mark = mark_of(*next);
  LiveChange change{before == nullptr ? 1 : before->version, before == nullptr || before->mark != next->mark, {}, {}};
  if (change.changed) {
    if (before != nullptr) {
      ++change.version;
      change.machines = changed_machines(*before, *next);
      change.series = changed_series(*before, *next);
    }
    next->version = change.version;
    next->rows = report::grid_rows(next->view());
    next->grid = {{"version", next->version}};
    for (auto& [name, value] : report::farm_grid(next->view(), next->rows)) next->grid[name] = std::move(value);
    const std::lock_guard lock(mutex_);
    state_ = next;
  }
  ::malloc_trim(0);
  return change;
}

}  // namespace lab::app
