#include "harness/serve/farm_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/results/farm_alarms.h"
#include "harness/results/machines.h"
#include "harness/results/result_name.h"

namespace lab::serve {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;

/// Between two looks at what the kernel does not tell. Longer while this host measures: even a look takes time.
constexpr milliseconds kLook{2000}, kLookMeasuring{5000};
/// Until the next reading, unless something changes before: after one that failed, and after one that went well,
/// because a machine falls silent without a change.
constexpr int kLooksAfterFailure = 15, kLooksAfterReading = 300;

bool is_of_interest(const std::string& name) {
  return results::is_result_name(name) || name == results::kMachinesName || name == results::kFarmAlarmsName ||
         name.ends_with(".journal") || fs::path(name).extension().empty();  // a new machine's folder
}

json::array to_json(const std::vector<app::RunningSession>& running) {
  json::array all;
  for (const app::RunningSession& one : running) all.push_back(app::running_json(one));
  return all;
}

json::object to_json(const app::LiveChange& change) {
  json::array machines, series;
  for (const std::string& machine : change.machines) machines.emplace_back(machine);
  for (const auto& [machine, benchmark] : change.series) series.push_back(json::array{machine, benchmark});
  return {{"version", change.version}, {"machines", std::move(machines)}, {"series", std::move(series)}};
}

}  // namespace

FarmWatcher::FarmWatcher(app::LiveFarm& farm, fs::path results, FarmSite& site, Tell tell, Remark remark)
    : farm_(farm),
      results_(std::move(results)),
      site_(site),
      tell_(std::move(tell)),
      remark_(std::move(remark)),
      thread_([this] { run(); }) {
  site_.on_unreadable([this] { is_unreadable_ = true; });
}

FarmWatcher::~FarmWatcher() {
  site_.on_unreadable([] {});
  stopped_ = true;
  wake_up_.wake();
  thread_.join();
}

std::set<fs::path> FarmWatcher::folders() const {
  std::set<fs::path> all{results_};
  std::error_code problem;
  for (fs::directory_iterator at(results_, problem), end; !problem && at != end; at.increment(problem))
    if (std::error_code none; at->is_directory(none)) all.insert(at->path());
  return all;
}

std::string FarmWatcher::look(const std::set<fs::path>& folders) const {
  // The folder's own time changes with each writing of the index.
  std::set<fs::path> machines = folders;
  machines.erase(results_);
  return look_of({results_ / results::kMachinesName, results_ / results::kFarmAlarmsName}, machines);
}

void FarmWatcher::say(const std::string& sentence) {
  if (sentence != said_) remark_(sentence);
  said_ = sentence;
}

void FarmWatcher::look_at_sessions() {
  const std::vector<app::RunningSession> running = farm_.running();
  std::string text = json::serialize(to_json(running));
  news_.measures_here = std::ranges::any_of(running, &app::RunningSession::here);
  if (text == news_.running) return;
  news_.running = std::move(text);
  site_.set_news(news_);
  tell_(event_text("session", fmt::format("{{\"running\":{}}}", news_.running)));
}

void FarmWatcher::read() {
  const app::HistoryObserver observer{[this](const results::StoreProgress& progress) {
                                        news_.read = progress.done;
                                        news_.to_read = progress.all;
                                        site_.set_news(news_);
                                      },
                                      {},
                                      [this](const std::string& sentence) { say(sentence); }};
  const Expected<app::LiveChange> change = farm_.refresh(observer);
  news_.problem = change ? "" : change.error().what;
  news_.read = news_.to_read = 0;
  site_.set_news(news_);
  if (!change) return say(change.error().what);
  if (change->changed) tell_(event_text("index", json::serialize(to_json(*change))));
}

void FarmWatcher::run() {
  FolderWatch watch(is_of_interest, wake_up_);
  std::string seen;
  bool is_told = true;  // by the kernel
  for (int looks = 0; !stopped_; ++looks) {
    const std::set<fs::path> now = folders();
    watch.watch(now);
    look_at_sessions();
    std::string look = this->look(now);
    const bool again = looks >= (news_.problem.empty() ? kLooksAfterReading : kLooksAfterFailure);
    if ((is_told || again || look != seen || is_unreadable_) && !news_.measures_here) {
      is_unreadable_ = false;
      seen = std::move(look);
      is_told = false;
      looks = 0;
      read();
    }
    if (stopped_) return;
    for (const fs::path& path : watch.wait(news_.measures_here ? kLookMeasuring : kLook))
      is_told = is_told || path.extension() != ".journal";
  }
}

DevelopWatcher::DevelopWatcher(const fs::path& folder, FarmWatcher::Tell tell)
    : tell_(std::move(tell)), thread_([this, folder] {
        run({folder, folder / "charts"});
      }) {}

DevelopWatcher::~DevelopWatcher() {
  stopped_ = true;
  wake_up_.wake();
  thread_.join();
}

void DevelopWatcher::run(const std::set<fs::path>& folders) {
  const auto kind_of = [](const fs::path& file) -> std::string_view {
    if (file.extension() == ".js") return "script";
    if (file.extension() == ".css") return "style";
    if (file.extension() == ".json") return "chart";
    return "";
  };
  FolderWatch watch([&](const std::string& name) { return !kind_of(name).empty(); }, wake_up_);
  while (!stopped_) {
    watch.watch(folders);
    for (const fs::path& path : watch.wait(kLook))
      if (const std::string_view kind = kind_of(path); !kind.empty())
        tell_(event_text("develop", json::serialize(json::object{{"file", path.filename().string()}, {"kind", kind}})));
  }
}

}  // namespace lab::serve
