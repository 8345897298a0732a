#include "harness/app/running_sessions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/base/open_file.h"
#include "harness/base/utc.h"
#include "harness/results/result.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJournalEnd = ".journal";
/// A folder that changed so lately may change again without another time.
constexpr std::int64_t kLately = 2'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Whether a session holds the journal. A shared lock, and only for a moment: an exclusive one could make a session
/// that looks for leftovers believe that this one runs.
bool is_held(const File& journal) {
  if (::flock(journal.get(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(journal.get(), LOCK_UN);
  return false;
}

std::string this_host() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return host;
}

/// What the file has from `offset` on.
std::string rest_of(const File& file, std::uintmax_t offset) {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t got = ::pread(file.get(), piece, sizeof piece, static_cast<off_t>(offset + text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

boost::json::value running_json(const RunningSession& session) {
  return boost::json::object{{"machine", session.machine},
                             {"session", session.session},
                             {"started", session.started},
                             {"last_activity", session.last_activity},
                             {"host", session.host},
                             {"processes", session.processes},
                             {"failures", session.failures},
                             {"blocks", session.blocks},
                             {"budget_seconds", session.budget_seconds},
                             {"here", session.here}};
}

void RunningSessions::list(const fs::path& path, Folder& folder) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    folder = {};
    return;
  }
  const std::int64_t changed = nanoseconds(found.st_mtim);
  if (changed == folder.changed && !folder.may_change) return;
  folder.journals.clear();
  std::error_code problem;
  for (fs::directory_iterator at(path, problem), end; !problem && at != end; at.increment(problem)) {
    // Not one whose head is being written, which is hidden.
    const std::string name = at->path().filename();
    if (name.ends_with(kJournalEnd) && !name.starts_with('.')) folder.journals.push_back(at->path());
  }
  std::ranges::sort(folder.journals);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  folder.changed = changed;
  folder.may_change = nanoseconds(now) - changed < kLately;
}

void RunningSessions::read(const fs::path& path, Journal& journal) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || !is_held(file)) {
    journal = {};
    return;
  }
  const auto size = static_cast<std::uintmax_t>(found.st_size);
  if (journal.file != found.st_ino || size < journal.offset) journal = {{}, found.st_ino};
  if (size == journal.offset) return;
  const std::string text = rest_of(file, journal.offset);
  journal.told.last_activity = utc(found.st_mtim.tv_sec);
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) {
    const std::string_view line = std::string_view(text).substr(start, end - start);
    if (!journal.has_head) {
      const Expected<results::Result> head = results::parse_result(line, path.native());
      if (!head) break;  // it is tried again
      journal.has_head = true;
      RunningSession& told = journal.told;
      told.machine = head->machine.id;
      told.session = head->session.id;
      told.started = head->session.started;
      told.host = head->context.host_name;
      told.budget_seconds = head->session.budget_seconds;
      told.here = told.host == this_host();
      continue;
    }
    results::Result added;
    if (!results::add_journal_line(line, added)) continue;
    journal.told.processes += added.processes.size();
    journal.told.failures += added.failures.size();
    for (const results::Process& process : added.processes)
      journal.told.blocks = std::max(journal.told.blocks, process.block);
  }
  journal.offset += start;
}

std::vector<RunningSession> RunningSessions::in(const fs::path& results) {
  std::set<std::string> machines, paths;
  std::error_code problem;
  for (fs::directory_iterator at(results, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().filename();
    std::error_code missing;
    if (name.starts_with('.') || std::ranges::find(kNotMachines, name) != std::end(kNotMachines) ||
        !at->is_directory(missing))
      continue;
    machines.insert(name);
    Folder& folder = folders_[name];
    list(at->path(), folder);
    for (const fs::path& path : folder.journals) {
      read(path, journals_[path.native()]);
      paths.insert(path.native());
    }
  }
  std::erase_if(folders_, [&](const auto& one) { return !machines.contains(one.first); });
  std::erase_if(journals_, [&](const auto& one) { return !paths.contains(one.first); });
  std::vector<RunningSession> running;
  for (const auto& [path, journal] : journals_)
    if (journal.has_head) running.push_back(journal.told);
  std::ranges::sort(running, {}, [](const RunningSession& one) { return std::pair(one.machine, one.session); });
  return running;
}

}  // namespace lab::app
