#include "harness/judge/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/judge/exact.h"
#include "harness/judge/judged_blocks.h"

namespace lab::judge {

namespace {

using results::Exhibit;
using results::Process;
using results::Result;

std::string workload_name(std::string_view benchmark) {
  const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
  return fmt::format("{}/{}", parts.family, parts.workload);
}

bool has_commit(const Result& result) {
  return result.source.commit && result.source.state == "clean";
}

bool is_same_build(const results::Build& a, const results::Build& b) {
  return std::tie(a.toolchain, a.config, a.march, a.compiler, a.flags) ==
         std::tie(b.toolchain, b.config, b.march, b.compiler, b.flags);
}

/// What sessions of two commits must have in common.
std::string other_system(const Result& a, const Result& b) {
  if (a.facts.kernel != b.facts.kernel) return "another kernel";
  if (a.facts.libc != b.facts.libc || a.facts.libc_build != b.facts.libc_build) return "another C library";
  return "";
}

std::optional<int> version_of(const Result& result, const std::string& workload) {
  if (const results::Arm* const head = results::find_arm(result, results::kHead))
    if (const auto found = head->versions.find(workload); found != head->versions.end()) return found->second;
  for (const results::WorkloadInfo& one : result.workloads)
    if (fmt::format("{}/{}", one.family, one.name) == workload) return one.version;
  return std::nullopt;
}

bool shares_executable(const Result& latest, const Result& other) {
  const results::Arm *const own = results::find_arm(latest, results::kHead), *const theirs = results::find_arm(
                                                                                 other, results::kHead);
  return own != nullptr && theirs != nullptr && std::ranges::any_of(own->executables, [&](const auto& one) {
           const auto found = theirs->executables.find(one.first);
           return !one.second.empty() && found != theirs->executables.end() && found->second == one.second;
         });
}

/// The executables and workloads of a picture: those of the newest session of its commit that records them.
class Work {
 public:
  explicit Work(std::span<const Result> sessions) : latest_(sessions.front()) {
    for (const Result& session : sessions)
      if (&session == &latest_ || kinship_of(latest_, session) == Kinship::kCommit) commit_.push_back(&session);
  }

  /// Why a benchmark of another session is not the same work; "" if it is.
  std::string difference(const Result& other, const std::string& benchmark) const {
    if (&other == &latest_) return "";
    if (other.session.seed != latest_.session.seed) return "another seed";
    const std::string workload = workload_name(benchmark);
    if (const auto own = first<int>([&](const Result& one) { return version_of(one, workload); }),
        theirs = version_of(other, workload);
        own && theirs && *own != *theirs)
      return "another version of the workload";
    const bool same_commit = kinship_of(latest_, other) == Kinship::kCommit;
    if (!same_commit)
      if (const std::string system = other_system(latest_, other); !system.empty()) return system;
    const auto own = first<std::string>([&](const Result& one) { return executable(one, benchmark); });
    const std::optional<std::string> theirs = executable(other, benchmark);
    if (own && theirs) return *own == *theirs ? "" : "another executable";
    if (!same_commit) return "another executable";
    return is_same_build(latest_.build, other.build) ? "" : "another build";
  }

 private:
  static std::optional<std::string> executable(const Result& result, const std::string& benchmark) {
    std::string hash = results::executable_of(results::find_arm(result, results::kHead), benchmark);
    return hash.empty() ? std::nullopt : std::optional(std::move(hash));
  }

  template <typename T, typename Get>
  std::optional<T> first(const Get& get) const {
    for (const Result* const one : commit_)
      if (const std::optional<T> found = get(*one)) return found;
    return std::nullopt;
  }

  const Result& latest_;
  std::vector<const Result*> commit_;
};

/// Leaves a process only what has no noise.
void strip(Process& process, const Result& of) {
  const auto is_noisy = [&](const auto& counter) { return !is_exact(of, process.benchmark, counter.first); };
  process.real_time = process.cpu_time = 0;
  process.is_untimed = true;
  process.samples.clear();
  std::erase_if(process.counters, is_noisy);
  for (results::ProcessPoint& point : process.points) {
    point.samples.clear();
    std::erase_if(point.counters, is_noisy);
  }
}

using Group = std::pair<std::string, std::string>;  ///< workload and name of exhibits

Group group_of(const Exhibit& exhibit) {
  return {workload_name(exhibit.benchmark), exhibit.info.name};
}

class Builder {
 public:
  explicit Builder(std::vector<Result> sessions) : sessions_(std::move(sessions)), work_(sessions_) {
    for (const Result& session : sessions_) {
      fitness_.push_back(judge_fitness(session));
      PictureSession& one = picture_.sessions.emplace_back();
      one.id = session.session.id;
      one.started = session.session.started;
      one.source = session.source;
      one.kinship = &session == &sessions_.front() ? Kinship::kCommit : kinship_of(sessions_.front(), session);
      one.fit = fitness_.back().fit;
      one.reason = fitness_.back().reason;
      one.failures = session.failures.size();
    }
    for (std::size_t i = sessions_.size(); i-- > 0;)
      if (is_of_commit(i) && fitness_[i].fit && is_main_possible(i)) picture_.main = i;
  }

  Picture picture() {
    picture_.fitness = fitness_[picture_.main];
    if (sessions_.size() == 1) {
      picture_.result = std::move(sessions_.front());
      return std::move(picture_);
    }
    find_wrong();
    find_seen();
    find_levels();
    choose_exhibits();
    Result& all = picture_.result = sessions_[picture_.main];
    all.processes.clear();
    all.exhibits.clear();
    all.session.disturbances.clear();
    add(picture_.main);
    for (std::size_t i = 0; i < sessions_.size(); ++i)
      if (i != picture_.main) add(i);
    finish();
    return std::move(picture_);
  }

 private:
  bool is_of_commit(std::size_t at) const { return picture_.sessions[at].kinship == Kinship::kCommit; }
  /// The main session gives all of its benchmarks.
  bool is_main_possible(std::size_t at) const {
    return std::ranges::all_of(sessions_[at].processes, [&](const Process& process) {
      return work_.difference(sessions_[at], process.benchmark).empty();
    });
  }
  bool gives_times(std::size_t at) const {
    // Without a fit session, the latest is shown as it is, and no time is judged.
    return fitness_[picture_.main].fit ? fitness_[at].fit : at == picture_.main;
  }

  /// Where its control is blind, a session gives times only if every session is.
  bool gives_times(std::size_t at, std::string_view benchmark) const {
    const std::string_view family = results::benchmark_parts(benchmark).family;
    return gives_times(at) && (fitness_[at].of(family).fit || !seen_.contains(family));
  }

  /// Finds the families that some session judges, and those that none does.
  void find_seen() {
    std::set<std::string, std::less<>> measured;
    for (std::size_t i = 0; i < sessions_.size(); ++i)
      if (fitness_[i].fit && gives_times(i))
        for (const Process& process : sessions_[i].processes)
          if (const std::string_view family = results::benchmark_parts(process.benchmark).family;
              process.arm == results::kHead && work_.difference(sessions_[i], process.benchmark).empty()) {
            measured.emplace(family);
            if (fitness_[i].of(family).fit) seen_.emplace(family);
          }
    if (!picture_.fitness.fit) return;
    std::set<std::string, std::less<>>& blind = picture_.fitness.control.blind;
    blind.clear();
    std::ranges::set_difference(measured, seen_, std::inserter(blind, blind.end()));
  }

  /// Benchmarks with a wrong answer, and variants that break their contract, in executables of the picture.
  void find_wrong() {
    for (const Result& session : sessions_)
      for (const results::Failure& failure : session.failures)
        if ((failure.kind == results::kWrongAnswer || failure.kind == results::kNotConforming) &&
            failure.arm == results::kHead && work_.difference(session, failure.benchmark).empty())
          wrong_.try_emplace(failure.benchmark, failure);
  }
  bool is_wrong(const std::string& benchmark) const {
    const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
    return wrong_.contains(benchmark) || wrong_.contains(fmt::format("{}/{}", parts.family, parts.variant));
  }

  /// Finds the workloads whose times are a level in some session.
  void find_levels() {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      if (!gives_times(i)) continue;
      std::map<std::string, bool> level;
      std::set<std::string> benchmarks;
      for (const Process& process : sessions_[i].processes)
        if (process.arm == results::kHead && benchmarks.insert(process.benchmark).second &&
            gives_times(i, process.benchmark) && work_.difference(sessions_[i], process.benchmark).empty()) {
          bool& all = level.try_emplace(workload_name(process.benchmark), true).first->second;
          all = all && JudgedBlocks(sessions_[i], process.benchmark).is_level(process.benchmark);
        }
      for (const auto& [workload, is_level] : level) (is_level ? level_ : no_level_[i]).insert(workload);
    }
  }
  /// Whether the session's times of the workload are left out, because another has them undisturbed.
  bool is_left_out(std::size_t at, const std::string& workload) const {
    const auto own = no_level_.find(at);
    return own != no_level_.end() && own->second.contains(workload) && level_.contains(workload);
  }

  /// Of each group of exhibits, the session that has the most of them; of equals, the newest. One that has noise needs
  /// a fit session.
  void choose_exhibits() {
    std::map<Group, std::size_t> most;
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      std::map<Group, std::size_t> own;
      for (const Exhibit& exhibit : sessions_[i].exhibits) own[group_of(exhibit)] += gives(i, exhibit);
      for (const auto& [group, count] : own)
        if (count > most[group]) {
          most[group] = count;
          exhibits_from_[group] = i;
        }
    }
  }
  bool gives(std::size_t at, const Exhibit& exhibit) const {
    // What each thread did when is a time, too.
    const bool noisy =
        exhibit.info.kind == results::ExhibitKind::kLatency || exhibit.info.kind == results::ExhibitKind::kEvents;
    return (!noisy || gives_times(at, exhibit.benchmark)) && !is_wrong(exhibit.benchmark) &&
           work_.difference(sessions_[at], exhibit.benchmark).empty();
  }

  /// Adds what one session gives. Each has its number and blocks of its own.
  void add(std::size_t at) {
    const Result& session = sessions_[at];
    Result& all = picture_.result;
    PictureSession& noted = picture_.sessions[at];
    std::map<std::string, std::string> differences;
    std::set<std::string> timed, exact, left_out, blind, unlike;
    int last_block = -1;
    for (const Process& process : session.processes) {
      last_block = std::max(last_block, process.block);
      const bool is_head = process.arm == results::kHead;
      if (number_ > 0 && !is_head) continue;
      auto [difference, is_new] = differences.try_emplace(process.benchmark);
      if (is_new) difference->second = work_.difference(session, process.benchmark);
      if (!difference->second.empty()) {
        unlike.insert(difference->second);
        continue;
      }
      if (is_head && is_wrong(process.benchmark)) continue;
      Process& added = all.processes.emplace_back(process);
      added.session = number_;
      added.block += first_block_;
      if (!is_head) continue;
      const std::string workload = workload_name(process.benchmark);
      const bool is_out = is_left_out(at, workload);
      if (is_out) left_out.insert(workload);
      const bool is_timed = gives_times(at, process.benchmark);
      if (gives_times(at) && !is_timed) blind.emplace(results::benchmark_parts(process.benchmark).family);
      if (is_timed && !is_out) {
        timed.insert(process.benchmark);
        continue;
      }
      strip(added, session);
      if (added.counters.empty())
        all.processes.pop_back();
      else
        exact.insert(process.benchmark);
    }
    if (gives_times(at))
      for (results::Disturbance disturbance : session.session.disturbances) {
        last_block = std::max(last_block, disturbance.block);
        disturbance.block += first_block_;
        all.session.disturbances.push_back(disturbance);
      }
    for (const Exhibit& exhibit : session.exhibits)
      if (gives(at, exhibit) && exhibits_from_.at(group_of(exhibit)) == at) {
        Exhibit& added = all.exhibits.emplace_back(exhibit);
        if (at != picture_.main) added.session = session.session.id;
        ++noted.exhibits;
      }
    noted.benchmarks = timed.size();
    noted.exact = exact.size();
    noted.disturbed.assign(left_out.begin(), left_out.end());
    noted.blind.assign(blind.begin(), blind.end());
    noted.unlike.assign(unlike.begin(), unlike.end());
    for (const std::set<std::string>* benchmarks : {&timed, &exact})
      for (const std::string& benchmark : *benchmarks) givers_[workload_name(benchmark)].insert(at);
    if (at != picture_.main && noted.gives()) add_descriptions(session);
    ++number_;
    first_block_ += last_block + 1;
  }

  /// What the report needs to show the benchmarks that only this session has.
  void add_descriptions(const Result& session) {
    Result& all = picture_.result;
    const auto add_missing = [](const auto& from, auto& to, const auto& key) {
      const std::size_t before = to.size();
      for (const auto& one : from)
        if (std::ranges::none_of(to, [&](const auto& known) { return key(known) == key(one); })) to.push_back(one);
      if (to.size() != before) std::ranges::stable_sort(to, {}, [&](const auto& one) { return key(one); });
    };
    const auto named = [](const auto& one) { return std::pair(one.family, one.name); };
    add_missing(session.workloads, all.workloads, named);
    add_missing(session.variants, all.variants, named);
    add_missing(session.unsupported, all.unsupported, [](const auto& one) { return one.benchmark; });
  }

  void finish() {
    Result& all = picture_.result;
    std::set<std::string> measured;
    for (const Process& process : all.processes)
      if (process.arm == results::kHead) measured.insert(process.benchmark);
    std::erase_if(all.session.waiting, [&](const results::Waiting& one) { return measured.contains(one.benchmark); });
    const auto is_known = [&](const results::Failure& failure) {
      return std::ranges::any_of(all.failures, [&](const results::Failure& one) {
        return one.benchmark == failure.benchmark && one.arm == failure.arm && one.kind == failure.kind;
      });
    };
    for (const auto& [benchmark, failure] : wrong_)
      if (!is_known(failure)) all.failures.push_back(failure);
    for (const auto& [workload, givers] : givers_)
      if (givers.size() == 1) picture_.sessions[*givers.begin()].alone.push_back(workload);
  }

  std::vector<Result> sessions_;
  Work work_;
  std::vector<Fitness> fitness_;
  std::map<std::string, results::Failure> wrong_;
  std::set<std::string, std::less<>> seen_;  ///< families that some session judges
  std::set<std::string> level_;
  std::map<std::size_t, std::set<std::string>> no_level_;
  std::map<Group, std::size_t> exhibits_from_;
  std::map<std::string, std::set<std::size_t>> givers_;
  int number_ = 0, first_block_ = 0;
  Picture picture_;
};

}  // namespace

Kinship kinship_of(const Result& latest, const Result& other) {
  if (latest.machine.id != other.machine.id) return Kinship::kNone;
  if (has_commit(latest) && has_commit(other) && *latest.source.commit == *other.source.commit) return Kinship::kCommit;
  const bool alike = latest.session.seed == other.session.seed && other_system(latest, other).empty() &&
                     shares_executable(latest, other);
  return alike ? Kinship::kExecutable : Kinship::kNone;
}

std::vector<std::size_t> chosen_sessions(std::span<const Result> heads) {
  std::vector<std::size_t> chosen;
  std::vector<Kinship> kinship;
  for (const Result& head : heads)
    kinship.push_back(&head == &heads.front() ? Kinship::kCommit : kinship_of(heads.front(), head));
  auto room = static_cast<std::ptrdiff_t>(kMostSessions) - std::ranges::count(kinship, Kinship::kCommit);
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (kinship[i] == Kinship::kCommit || (kinship[i] == Kinship::kExecutable && room-- > 0)) chosen.push_back(i);
  return chosen;
}

Picture put_together(std::vector<Result> sessions) {
  return Builder(std::move(sessions)).picture();
}

}  // namespace lab::judge
