#include "harness/measure/conditions.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "harness/base/fit.h"
#include "harness/measure/system_files.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

/// Below these, the activity is normal for any machine.
constexpr double kForeignShare = 0.05;    ///< of one CPU
constexpr double kSiblingShare = 0.05;    ///< of the CPU
constexpr double kStolenShare = 0.005;    ///< of all CPUs
constexpr std::int64_t kSwapped = 256;    ///< pages
constexpr double kPageMegabytes = 0.004;  ///< the kernel's counters are of 4 KiB on x86-64

double tick_seconds() {
  return 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// The columns of a line of /proc/stat, in seconds (proc(5)).
struct CpuTimes {
  double busy = 0, stolen = 0, all = 0;
};

CpuTimes cpu_times(const std::vector<std::string>& words) {
  enum : std::size_t { kName, kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kColumns };
  CpuTimes times;
  for (std::size_t column = kUser; column < std::min<std::size_t>(words.size(), kColumns); ++column) {
    const double seconds = read_number<double>(words[column]).value_or(0) * tick_seconds();
    times.all += seconds;
    if (column == kSteal)
      times.stolen = seconds;
    else if (column != kIdle && column != kIoWait)
      times.busy += seconds;
  }
  return times;
}

void read_cpus(const fs::path& root, Conditions& conditions) {
  for (const std::string& line : read_lines(root / "proc/stat")) {
    if (!line.starts_with("cpu")) continue;
    const std::vector<std::string> words = words_of(line);
    const CpuTimes times = cpu_times(words);
    if (words[0] == "cpu") {
      conditions.use.busy = times.busy;
      conditions.use.stolen = times.stolen;
      conditions.all_seconds = times.all;
    } else if (const auto cpu = read_number<int>(words[0].substr(3))) {
      conditions.busy_seconds_of_cpu[*cpu] = times.busy;
    }
  }
}

void read_clocks(const fs::path& root, Conditions& conditions) {
  for (const fs::path& folder : entries(root / "sys/devices/system/cpu", "cpu")) {
    const std::optional<int> cpu = read_number<int>(folder.filename().string().substr(3));
    if (!cpu) continue;
    for (const char* counter : {"core_throttle_count", "package_throttle_count"})
      conditions.throttles +=
          read_number<std::int64_t>(read_trimmed(folder / "thermal_throttle" / counter)).value_or(0);
    if (const auto changes = read_number<std::int64_t>(read_trimmed(folder / "cpufreq/stats/total_trans")))
      conditions.clock_changes[*cpu] = *changes;
  }
}

void read_swapping(const fs::path& root, Conditions& conditions) {
  for (const std::string& line : read_lines(root / "proc/vmstat"))
    if (line.starts_with("pswpin ") || line.starts_with("pswpout "))
      conditions.swapped_pages += read_number<std::int64_t>(line.substr(line.find(' ') + 1)).value_or(0);
}

/// /proc/<id>/stat: the name in brackets may contain any character, so columns are counted from the last bracket.
void read_processes(const fs::path& root, Conditions& conditions) {
  enum : std::size_t { kState, kUserTime = 11, kSystemTime = 12 };
  for (const fs::path& folder : entries(root / "proc", "")) {
    const std::optional<int> id = read_number<int>(folder.filename().string());
    if (!id || *id == ::getpid()) continue;
    const std::string text = read_trimmed(folder / "stat");
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::vector<std::string> words = words_of(text.substr(close + 1));
    if (words.size() <= kSystemTime) continue;
    conditions.other_processes[*id] = {
        text.substr(open + 1, close - open - 1),
        (read_number<double>(words[kUserTime]).value_or(0) + read_number<double>(words[kSystemTime]).value_or(0)) *
            tick_seconds()};
  }
}

double own_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return seconds;
}

/// " (most by 'cc1plus', 43 s)", or "" if no living process used much.
std::string heaviest(const Conditions& before, const Conditions& after, double foreign) {
  std::pair<double, std::string> most;
  for (const auto& [id, process] : after.other_processes) {
    const auto known = before.other_processes.find(id);
    const double since = known == before.other_processes.end() ? 0 : known->second.second;
    most = std::max(most, {process.second - since, process.first});
  }
  return most.first < foreign / 10 ? "" : fmt::format(" (most by '{}', {:.0f} s)", most.second, most.first);
}

template <typename Number>
Number increase(const std::map<int, Number>& before, const std::map<int, Number>& after, int cpu) {
  const auto first = before.find(cpu), last = after.find(cpu);
  return first == before.end() || last == after.end() ? Number{} : last->second - first->second;
}

}  // namespace

Conditions read_conditions(const fs::path& root) {
  Conditions conditions;
  read_cpus(root, conditions);
  read_clocks(root, conditions);
  read_swapping(root, conditions);
  read_processes(root, conditions);
  conditions.use.own = own_seconds();
  return conditions;
}

CpuUse read_cpu_use(const fs::path& root) {
  Conditions conditions;
  read_cpus(root, conditions);
  conditions.use.own = own_seconds();
  return conditions.use;
}

results::Disturbance disturbance_between(const CpuUse& before, const CpuUse& after, int block, double seconds) {
  // Our own use is known to the microsecond and the busy time to the tick: a difference below 0 counts as 0.
  const double foreign = after.busy - before.busy - (after.own - before.own);
  return {block, seconds, std::max(0.0, foreign), std::max(0.0, after.stolen - before.stolen)};
}

std::vector<std::string> find_disturbances(const Conditions& before, const Conditions& after, double seconds,
                                           std::optional<int> pinned, const std::vector<int>& siblings) {
  const results::Disturbance sum = disturbance_between(before.use, after.use, 0, seconds);
  const double foreign = sum.foreign;
  const double all = after.all_seconds - before.all_seconds;
  const double stolen = all > 0 ? sum.stolen / all : 0;
  const std::int64_t swapped = after.swapped_pages - before.swapped_pages;
  const std::int64_t changes = pinned ? increase(before.clock_changes, after.clock_changes, *pinned) : 0;
  const std::int64_t throttles = after.throttles - before.throttles;
  const struct {
    bool holds;
    std::string sentence;
  } rows[]{
      {foreign > kForeignShare * seconds,
       fmt::format("other processes used {} during the session{}: stop them, or measure when they are done",
                   cpus_text(foreign / seconds), heaviest(before, after, foreign))},
      {stolen > kStolenShare,
       fmt::format("the host withheld {:.1f} % of the CPUs' time during the session: measure on a machine whose CPUs "
                   "are not shared",
                   100 * stolen)},
      {throttles > 0,
       fmt::format("the processor throttled itself {} times during the session: cool it, or turn turbo off",
                   throttles)},
      {changes > 0,
       fmt::format(
           "the clock of CPU {} changed {} times during the session: sudo cpupower frequency-set -g performance",
           pinned.value_or(0), changes)},
      {swapped > kSwapped, fmt::format("{:.0f} MB were swapped during the session: stop what needs the memory",
                                       static_cast<double>(swapped) * kPageMegabytes)}};
  std::vector<std::string> sentences;
  for (const auto& row : rows)
    if (row.holds) sentences.push_back(row.sentence);
  for (const int sibling : siblings) {
    const double busy = increase(before.busy_seconds_of_cpu, after.busy_seconds_of_cpu, sibling);
    if (busy > kSiblingShare * seconds)
      sentences.push_back(
          fmt::format("CPU {} was {:.0f} % busy during the session and shares a core with CPU {}, where processes are "
                      "pinned: keep it free, or echo off | sudo tee /sys/devices/system/cpu/smt/control",
                      sibling, 100 * busy / seconds, pinned.value_or(0)));
  }
  return sentences;
}

std::vector<int> siblings_of(const fs::path& root, int cpu) {
  std::vector<int> siblings;
  const std::string list =
      read_trimmed(root / fmt::format("sys/devices/system/cpu/cpu{}/topology/core_cpus_list", cpu));
  std::vector<std::string> ranges;
  boost::split(ranges, list, boost::is_any_of(","));
  for (const std::string& range : ranges) {
    const std::optional<int> first = read_number<int>(range.substr(0, range.find('-')));
    const std::optional<int> last = read_number<int>(range.substr(range.find('-') + 1));
    if (!first || !last) continue;
    for (int sibling = *first; sibling <= *last; ++sibling)
      if (sibling != cpu) siblings.push_back(sibling);
  }
  return siblings;
}

}  // namespace lab::measure
