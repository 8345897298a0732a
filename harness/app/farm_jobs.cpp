#include "harness/app/farm_jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/app/farm_job_script.h"
#include "harness/app/slurm.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/lock.h"
#include "harness/base/nearest.h"
#include "harness/base/temporary_folder.h"
#include "harness/base/usage_error.h"
#include "harness/base/utc.h"
#include "harness/judge/fitness.h"
#include "harness/results/farm_jobs.h"
#include "harness/results/result.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using results::FarmJob;
using results::SubmittedJob;
using Submitted = std::map<std::string, SubmittedJob>;

constexpr const char* kBundles = "bundles";
/// The exit status of a job whose session is still on the node (farm_job.sh).
constexpr int kUndeliveredExit = 75;

std::string job_name(const std::string& night, const std::string& node) {
  return fmt::format("lab-{}-{}", night, node);
}

std::vector<std::string> job_names(const std::string& night, const std::vector<std::string>& nodes) {
  std::vector<std::string> names;
  for (const std::string& node : nodes) names.push_back(job_name(night, node));
  return names;
}

/// The same path on every host that has the folder.
Expected<fs::path> absolute_results(const fs::path& results) {
  std::error_code problem;
  fs::path path = fs::canonical(results, problem);
  if (problem || !fs::is_directory(path, problem))
    return usage_error(fmt::format("--results: expected a folder that all nodes have, found {} '{}'",
                                   problem ? "none:" : "no folder:", results.string()),
                       fmt::format("mkdir -p {}", results.string()));
  return path;
}

Expected<void> check_night(const std::string& night) {
  const bool is_name =
      !night.empty() && night.size() <= 64 && night.front() != '.' && night != kBundles && night != "lock" &&
      std::ranges::all_of(night, [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
  if (is_name) return {};
  return usage_error(fmt::format("--night: expected up to 64 letters, digits, '.', '_' and '-', found '{}'", night),
                     fmt::format("--night {}", this_night()));
}

Expected<void> check_bundle(const fs::path& bundle) {
  constexpr const char* kHint = "python3 make.py bundle FILE, then farm submit FILE --results DIR";
  std::error_code problem;
  if (bundle.empty()) return usage_error("expected a bundle, found nothing", kHint);
  if (!fs::exists(bundle, problem))
    return usage_error(
        fmt::format("expected a bundle, found no file '{}'; a revision is bundled in its checkout", bundle.string()),
        kHint);
  if (!fs::is_regular_file(bundle, problem) || ::access(bundle.c_str(), X_OK) != 0)
    return usage_error(fmt::format("expected a bundle, an executable file, found '{}'", bundle.string()), kHint);
  return {};
}

/// SHA-256 of a file.
Expected<std::string> hash_of(const fs::path& file, const Runner& run) {
  ChildSpec spec;
  spec.command = {"sha256sum", "--", file.string()};
  spec.timeout_seconds = 3600;
  const ChildOutcome outcome = run(spec);
  if (outcome.end != ChildEnd::kExited || outcome.code != 0 || outcome.output.size() < 64)
    return Error{fmt::format("sha256sum '{}': {}", file.string(), describe_end(spec, outcome)), ""};
  // A name with a backslash is printed with one before the hash.
  return outcome.output.substr(outcome.output.front() == '\\' ? 1 : 0, 64);
}

/// The nodes that a request means, sorted, each with its row of sinfo.
Expected<std::vector<SlurmNode>> chosen_nodes(const SubmitRequest& request, const Slurm& slurm) {
  const Expected<std::vector<SlurmNode>> all = slurm.nodes();
  if (!all) return all.error();
  std::vector<std::string> partitions, names;
  std::map<std::string, SlurmNode> found;
  for (const SlurmNode& node : *all) {
    partitions.push_back(node.partition);
    const bool is_meant = request.partition ? node.partition == *request.partition
                                            : node.in_default_partition || request.nodes.has_value();
    if (is_meant) found.emplace(node.name, node);
  }
  if (request.partition && found.empty()) {
    std::ranges::sort(partitions);
    partitions.erase(std::ranges::unique(partitions).begin(), partitions.end());
    return usage_error(fmt::format("--partition: expected a partition of this cluster, found '{}'", *request.partition),
                       fmt::format("one of {}", first_names(partitions, 10)));
  }
  if (found.empty())
    return usage_error("expected a default partition with nodes, found none", "--partition P or --nodes LIST");
  for (const auto& [name, node] : found) names.push_back(name);
  std::vector<SlurmNode> chosen;
  if (request.nodes) {
    Expected<std::vector<std::string>> wanted = slurm.expand(*request.nodes);
    if (!wanted) return usage_error(fmt::format("--nodes: {}", wanted.error().what), "--nodes 'node[1-3],node7'");
    std::ranges::sort(*wanted);
    wanted->erase(std::ranges::unique(*wanted).begin(), wanted->end());
    for (const std::string& name : *wanted) {
      const auto node = found.find(name);
      if (node == found.end()) {
        const std::string nearest = nearest_name(name, names);
        return usage_error(fmt::format("--nodes: expected nodes of {}, found '{}'",
                                       request.partition ? "partition " + *request.partition : "this cluster", name),
                           nearest.empty() ? fmt::format("some of {}", first_names(names, 10))
                                           : fmt::format("did you mean {}?", nearest));
      }
      chosen.push_back(node->second);
    }
  } else {
    for (auto& [name, node] : found) chosen.push_back(node);
  }
  return chosen;
}

/// Jobs of this user for this folder, by node; of several of a node the latest.
Expected<std::map<std::string, SlurmJob>> own_jobs(const Slurm& slurm, const fs::path& results,
                                                   const std::string& night, const std::vector<std::string>& nodes) {
  Expected<std::vector<SlurmJob>> all = slurm.jobs(job_names(night, nodes));
  if (!all) return all.error();
  std::map<std::string, SlurmJob> own;
  for (SlurmJob& job : *all)
    if (job.user == ::getuid() && job.comment == results.string()) own.insert_or_assign(job.node, std::move(job));
  return own;
}

/// Why a node needs no job; "" if it needs one.
std::string already(const SlurmJob* in_slurm, const SubmittedJob* known, const FarmJob* file) {
  if (in_slurm != nullptr && !in_slurm->has_ended()) return in_slurm->is_waiting() ? "queued" : "running";
  const bool is_cancelled =
      (known != nullptr && known->cancelled) ||
      (in_slurm != nullptr && in_slurm->state == "CANCELLED" && (file == nullptr || !file->ended));
  if (is_cancelled) return "";
  if (file != nullptr && file->ended) return "done";
  if (in_slurm != nullptr) return "ended";
  return known != nullptr || file != nullptr ? "submitted before" : "";
}

/// Minutes that Slurm gives a job: measuring may take longer than its budget, and a bundle is copied and unpacked.
int limit_minutes(const SubmitRequest& request) {
  constexpr double kDefaultSeconds = 480;
  return static_cast<int>(std::ceil(30 + 2 * request.budget_seconds.value_or(kDefaultSeconds) / 60));
}

std::vector<std::string> sbatch_arguments(const SubmitRequest& request, const std::string& node,
                                          const std::string& script, const std::string& hash) {
  std::vector<std::string> arguments{fmt::format("--job-name={}", job_name(request.night, node)),
                                     fmt::format("--nodelist={}", node),
                                     "--nodes=1",
                                     "--exclusive",
                                     "--mem=0",
                                     "--requeue",
                                     "--signal=B:TERM@60",
                                     "--open-mode=append",
                                     "--output=/dev/null",  // a job must start also where the folder is gone
                                     "--chdir=/",
                                     fmt::format("--comment={}", request.results.string()),
                                     fmt::format("--time={}", limit_minutes(request))};
  if (request.partition) arguments.push_back(fmt::format("--partition={}", *request.partition));
  if (request.licenses) arguments.push_back(fmt::format("--licenses={}", *request.licenses));
  arguments.insert(
      arguments.end(),
      {script, request.night, hash, request.budget_seconds ? fmt::format("{}", *request.budget_seconds) : std::string(),
       request.results.string()});
  return arguments;
}

/// Copies the bundle to `target`, whole or not at all.
Expected<void> copy_bundle(const fs::path& bundle, const fs::path& target) {
  std::error_code problem;
  if (fs::exists(target, problem)) return {};
  const fs::path part = target.parent_path() / ".part";
  fs::remove(part, problem);
  fs::copy_file(bundle, part, problem);
  int code = problem.value();
  if (code == 0) {
    const File file(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    code = file.get() < 0 || ::fsync(file.get()) != 0 ? errno : 0;
  }
  if (code == 0 && ::rename(part.c_str(), target.c_str()) != 0) code = errno;
  if (code == 0) return {};
  fs::remove(part, problem);
  return in_context("copying the bundle", file_error("writing", target, code));
}

/// Removes bundles that no job needs any more.
void remove_old_bundles(const fs::path& results, const std::string& present) {
  std::set<std::string> needed{present};
  std::vector<std::string> unreadable;
  for (const std::string& night : results::nights_in(results)) {
    const Expected<Submitted> submitted = results::load_submitted(results, night);
    if (!submitted) return;
    const std::map<std::string, FarmJob> files = results::load_farm_jobs(results, night, unreadable);
    for (const auto& [node, job] : *submitted) {
      const auto file = files.find(node);
      if (!job.cancelled && (file == files.end() || !file->second.ended)) needed.insert(job.bundle);
    }
  }
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(results / "jobs" / kBundles, ignored))
    if (!needed.contains(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

template <typename Map>
auto find_in(const Map& map, const std::string& key) -> const typename Map::mapped_type* {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

std::string this_night() {
  return utc(std::time(nullptr)).substr(0, 10);
}

Expected<void> submit_night(const SubmitRequest& asked, const std::function<void(const NodeSubmission&)>& submitted) {
  SubmitRequest request = asked;
  if (const Expected<void> right = check_night(request.night); !right) return right.error();
  if (const Expected<void> right = check_bundle(request.bundle); !right) return right.error();
  const Expected<fs::path> results = absolute_results(request.results);
  if (!results) return results.error();
  request.results = *results;
  const Slurm slurm(request.run);
  const Expected<std::vector<SlurmNode>> nodes = chosen_nodes(request, slurm);
  if (!nodes) return nodes.error();
  const Expected<std::string> hash = hash_of(request.bundle, request.run);
  if (!hash) return hash.error();
  std::vector<std::string> names;
  for (const SlurmNode& node : *nodes) names.push_back(node.name);

  std::optional<File> lock;
  const fs::path folder = results::night_folder(request.results, request.night);
  if (!request.dry_run) {
    // One submission at a time, so that two at once do not both find nothing.
    Expected<File> locked = lock_file(request.results / "jobs" / "lock", LockKind::kExclusive);
    if (!locked) return locked.error();
    lock = std::move(*locked);
  }
  Expected<Submitted> known = results::load_submitted(request.results, request.night);
  if (!known) return known.error();
  std::vector<std::string> unreadable;
  const std::map<std::string, FarmJob> files = results::load_farm_jobs(request.results, request.night, unreadable);
  const Expected<std::map<std::string, SlurmJob>> in_slurm = own_jobs(slurm, request.results, request.night, names);
  if (!in_slurm) return in_slurm.error();

  const Expected<TemporaryFolder> scratch = TemporaryFolder::create();
  if (!scratch) return scratch.error();
  const fs::path script = scratch->path() / "farm_job";
  if (!request.dry_run) {
    if (const Expected<void> written = write_file(script, farm_job_script()); !written) return written.error();
    std::error_code problem;
    for (const fs::path& each : {folder, request.results / "jobs" / kBundles}) {
      fs::create_directories(each, problem);
      if (problem) return file_error("creating", each, problem.value());
    }
    const fs::path shared = request.results / "jobs" / kBundles / *hash;
    if (const Expected<void> copied = copy_bundle(request.bundle, shared); !copied) return copied.error();
  }
  std::vector<std::string> done;
  for (const SlurmNode& node : *nodes) {
    NodeSubmission one{node.name, "", "", "", {}};
    const SlurmJob* const job = find_in(*in_slurm, node.name);
    one.found = already(job, find_in(*known, node.name), find_in(files, node.name));
    if (node.is_down())
      one.down = node.state + (node.since.empty() ? "" : " since " + node.since) +
                 (node.reason.empty() ? "" : ": " + node.reason);
    const auto keep = [&](const std::string& id) {
      known->insert_or_assign(node.name, SubmittedJob{node.name, id, utc_now(), *hash, {}});
      return results::save_submitted(request.results, request.night, *known);
    };
    Expected<void> kept;
    if (one.found.empty()) {
      const std::vector<std::string> arguments =
          sbatch_arguments(request, node.name, request.dry_run ? "farm_job.sh" : script.string(), *hash);
      if (request.dry_run) {
        one.command = arguments;
        one.command.insert(one.command.begin(), "sbatch");
      } else {
        const Expected<std::string> id = slurm.submit(arguments);
        if (!id)
          return in_context(
              fmt::format("{} ({} of {} nodes are submitted{}{}; the same command completes the night)", node.name,
                          done.size(), nodes->size(), done.empty() ? "" : ": ", first_names(done, 10)),
              id.error());
        one.job = *id;
        kept = keep(*id);
      }
    } else if (job != nullptr) {
      one.job = job->id;
      // A killed `farm submit` could not write it down.
      if (!request.dry_run && find_in(*known, node.name) == nullptr) kept = keep(job->id);
    } else if (const SubmittedJob* const before = find_in(*known, node.name); before != nullptr) {
      one.job = before->job;
    }
    if (!kept) return kept.error();
    done.push_back(node.name);
    submitted(one);
  }
  if (!request.dry_run) remove_old_bundles(request.results, *hash);
  return {};
}

std::string_view name_of(NodeState state) {
  switch (state) {
    case NodeState::kFit:
      return "fit";
    case NodeState::kUnfit:
      return "unfit";
    case NodeState::kRegression:
      return "regression";
    case NodeState::kFailed:
      return "failed";
    case NodeState::kCrash:
      return "crash";
    case NodeState::kLost:
      return "lost";
    case NodeState::kUndelivered:
      return "undelivered";
    case NodeState::kCancelled:
      return "cancelled";
    case NodeState::kRunning:
      return "running";
    case NodeState::kWaiting:
      return "waiting";
  }
  return "";
}

ExitStatus NightStatus::status() const {
  const auto any = [&](std::initializer_list<NodeState> states) {
    return std::ranges::any_of(
        nodes, [&](const NodeStatus& node) { return std::ranges::find(states, node.state) != states.end(); });
  };
  if (any({NodeState::kFailed, NodeState::kCrash, NodeState::kUndelivered})) return ExitStatus::kFailed;
  if (any({NodeState::kRegression})) return ExitStatus::kRegression;
  if (any({NodeState::kLost})) return ExitStatus::kSilent;
  return any({NodeState::kUnfit}) ? ExitStatus::kUnfit : ExitStatus::kOk;
}

namespace {

/// What is known of one node.
struct Known {
  const fs::path& results;
  const SubmittedJob* submitted;
  const FarmJob* file;  ///< none: it is of another job, or missing
  const SlurmJob* job;  ///< none: Slurm does not know it, or does not answer
  const SlurmNode* node;
  bool slurm_answers;
};

using Verdict = std::pair<NodeState, std::string>;

/// The exit status that `run` would have had, of a session of which only the file is known.
std::optional<int> judged_status(const Known& known) {
  for (const fs::path& folder : {known.results, known.results / "inbox"}) {
    const Expected<results::Result> result =
        results::load_result(folder / known.file->machine.value_or("") / known.file->session.value_or(""));
    if (!result) continue;
    if (!result->failures.empty()) return static_cast<int>(ExitStatus::kFailed);
    return static_cast<int>(judge::exit_status(*result, judge::judge_fitness(*result)));
  }
  return std::nullopt;
}

/// Of a session that was delivered, or of a `run` that left none.
Verdict verdict_of(const Known& known) {
  const FarmJob& file = *known.file;
  const std::optional<int> status = file.status ? file.status : judged_status(known);
  const std::string session = file.session.value_or("");
  const auto with_session = [&](const std::string& what) { return session.empty() ? what : session + ": " + what; };
  const auto said = [&](const std::string& otherwise) { return file.said.empty() ? otherwise : file.said; };
  if (!status) return {NodeState::kFailed, with_session("delivered, but it cannot be read")};
  switch (*status) {
    case 0:
      return {NodeState::kFit, session};
    case 3:
      return {NodeState::kRegression, session};
    case 4:
      return {NodeState::kUnfit, session};
    case 1:
      return {NodeState::kFailed, session.empty() ? said("run failed") : with_session("a benchmark failed")};
    case 130:
      return {known.submitted != nullptr && known.submitted->cancelled ? NodeState::kCancelled : NodeState::kFailed,
              "stopped before the first process"};
    default:
      break;
  }
  if (*status > 128) return {NodeState::kCrash, with_session(fmt::format("run ended with signal {}", *status - 128))};
  return {NodeState::kFailed, said(fmt::format("run ended with status {}", *status))};
}

std::string down_text(const SlurmNode& node) {
  return fmt::format("{}{}{}", node.state, node.since.empty() ? "" : " since " + node.since,
                     node.reason.empty() ? "" : ": " + node.reason);
}

Verdict state_of(const Known& known) {
  const FarmJob* const file = known.file;
  const SlurmJob* const job = known.job;
  const bool alive = job != nullptr && !job->has_ended();
  if (file != nullptr && file->delivered && (file->session || file->ended)) return verdict_of(known);
  const auto phase_since = [&] {
    const auto since = file->times.find(file->phase);
    return file->phase + (since == file->times.end() ? "" : " since " + since->second);
  };
  if (!alive && file != nullptr && file->ended) {
    if (file->session) return {NodeState::kUndelivered, file->said.empty() ? *file->session : file->said};
    if (file->status) return verdict_of(known);
    return {known.submitted != nullptr && known.submitted->cancelled ? NodeState::kCancelled : NodeState::kFailed,
            fmt::format("{}: {}", file->phase, file->said.empty() ? "the job ended" : file->said)};
  }
  if (alive) {
    const std::string number = fmt::format("job {} waits", job->id);
    if (known.node != nullptr && known.node->is_down())
      return {NodeState::kLost, fmt::format("{}; {}", down_text(*known.node), number)};
    // So is the reason of a job at which Slurm has not looked yet.
    const std::string reason = job->reason == "None" ? "just submitted" : job->reason;
    if (job->is_waiting())
      return {NodeState::kWaiting, file == nullptr ? reason : fmt::format("{}, again, after {}", reason, file->phase)};
    return {NodeState::kRunning, file == nullptr ? "starting" : phase_since()};
  }
  const std::string phase = file == nullptr ? "before its first word" : "in phase " + file->phase;
  if (job != nullptr) {
    if (job->state == "CANCELLED") return {NodeState::kCancelled, phase};
    if (job->exit_status == kUndeliveredExit || (file != nullptr && file->session))
      return {NodeState::kUndelivered, "its result waits on the node for the next job there"};
    if (job->state == "NODE_FAIL" && known.node != nullptr && known.node->is_down())
      return {NodeState::kLost, down_text(*known.node)};
    return {NodeState::kCrash, fmt::format("{}: Slurm says {}, {}", phase, job->state, job->reason)};
  }
  if (known.submitted != nullptr && known.submitted->cancelled) return {NodeState::kCancelled, phase};
  if (file != nullptr && file->session)
    return {NodeState::kUndelivered, "its result waits on the node for the next job there"};
  if (known.slurm_answers)
    return {NodeState::kCrash,
            fmt::format("{}: Slurm does not know job {} any more", phase,
                        known.submitted != nullptr ? known.submitted->job : std::to_string(file->job))};
  if (file != nullptr) return {NodeState::kRunning, phase_since()};
  return {NodeState::kWaiting, "submitted at " + known.submitted->at};
}

/// The night that is asked for, or the one to which was submitted last.
Expected<std::string> chosen_night(const FarmNight& request) {
  const std::vector<std::string> nights = results::nights_in(request.results);
  if (nights.empty())
    return usage_error(fmt::format("expected a night that was submitted, found none in '{}'", request.results.string()),
                       "python3 make.py farm submit BUNDLE --results DIR");
  if (request.night) {
    if (std::ranges::find(nights, *request.night) != nights.end()) return *request.night;
    return usage_error(fmt::format("--night: expected a night that was submitted, found '{}'", *request.night),
                       fmt::format("the last is {}", nights.back()));
  }
  std::pair<std::string, std::string> last;
  for (const std::string& night : nights) {
    const Expected<Submitted> submitted = results::load_submitted(request.results, night);
    if (!submitted) return submitted.error();
    for (const auto& [node, job] : *submitted) last = std::max(last, {job.at, night});
  }
  return last.second.empty() ? nights.back() : last.second;
}

/// Names that several nodes gave their sessions.
std::vector<std::string> shared_names(const std::vector<NodeStatus>& nodes) {
  std::map<std::string, std::vector<std::string>> by_machine;
  for (const NodeStatus& node : nodes)
    if (node.machine) by_machine[*node.machine].push_back(node.node);
  std::vector<std::string> remarks;
  for (const auto& [machine, names] : by_machine)
    if (names.size() > 1)
      remarks.push_back(
          fmt::format("{} measured under one name, {}: their sessions are one history; each needs its own "
                      "LAB_MACHINE",
                      fmt::join(names, " and "), machine));
  return remarks;
}

}  // namespace

Expected<NightStatus> night_status(const FarmNight& asked) {
  const Expected<fs::path> results = absolute_results(asked.results);
  if (!results) return results.error();
  FarmNight request = asked;
  request.results = *results;
  const Expected<std::string> night = chosen_night(request);
  if (!night) return night.error();
  NightStatus status;
  status.night = *night;
  const Expected<Submitted> submitted = results::load_submitted(request.results, *night);
  if (!submitted) return submitted.error();
  const std::map<std::string, FarmJob> files = results::load_farm_jobs(request.results, *night, status.remarks);
  std::set<std::string> names;
  for (const auto& [node, job] : *submitted) names.insert(node);
  for (const auto& [node, job] : files) names.insert(node);

  const Slurm slurm(request.run);
  std::map<std::string, SlurmJob> jobs;    // by number
  std::map<std::string, SlurmNode> nodes;  // by name
  const Expected<std::vector<SlurmJob>> all_jobs = slurm.jobs(job_names(*night, {names.begin(), names.end()}));
  const Expected<std::vector<SlurmNode>> all_nodes = all_jobs ? slurm.nodes() : all_jobs.error();
  if (!all_nodes) status.remarks.push_back(all_nodes.error().what + "; what follows is from the jobs' files alone");
  if (all_jobs)
    for (const SlurmJob& job : *all_jobs) jobs.insert_or_assign(job.id, job);
  if (all_nodes)
    for (const SlurmNode& node : *all_nodes) nodes.emplace(node.name, node);

  for (const std::string& name : names) {
    const SubmittedJob* const known = find_in(*submitted, name);
    const FarmJob* file = find_in(files, name);
    // Of an earlier job that was cancelled.
    if (known != nullptr && file != nullptr && std::to_string(file->job) != known->job) file = nullptr;
    const std::string id = known != nullptr ? known->job : std::to_string(file->job);
    auto [state, detail] =
        state_of({request.results, known, file, find_in(jobs, id), find_in(nodes, name), all_nodes.has_value()});
    NodeStatus one{name, state, std::move(detail), id, "", {}, {}, {}, false};
    if (file != nullptr) {
      one.phase = file->phase;
      one.harness_status = file->status;
      one.machine = file->machine;
      one.session = file->session;
      one.delivered = file->delivered;
    }
    status.nodes.push_back(std::move(one));
  }
  for (std::string& remark : shared_names(status.nodes)) status.remarks.push_back(std::move(remark));
  return status;
}

Expected<std::vector<CancelledJob>> cancel_night(const FarmNight& asked) {
  const Expected<fs::path> results = absolute_results(asked.results);
  if (!results) return results.error();
  FarmNight request = asked;
  request.results = *results;
  const Expected<std::string> night = chosen_night(request);
  if (!night) return night.error();
  const Slurm slurm(request.run);
  const Expected<File> lock = lock_file(request.results / "jobs" / "lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  Expected<Submitted> submitted = results::load_submitted(request.results, *night);
  if (!submitted) return submitted.error();
  std::vector<std::string> names;
  for (const auto& [node, job] : *submitted) names.push_back(node);
  if (request.nodes) {
    const Expected<std::vector<std::string>> wanted = slurm.expand(*request.nodes);
    if (!wanted) return usage_error(fmt::format("--nodes: {}", wanted.error().what), "--nodes 'node[1-3],node7'");
    for (const std::string& name : *wanted)
      if (std::ranges::find(names, name) == names.end())
        return usage_error(fmt::format("--nodes: expected nodes of the night {}, found '{}'", *night, name),
                           fmt::format("some of {}", first_names(names, 10)));
    names = *wanted;
  }
  const Expected<std::map<std::string, SlurmJob>> jobs = own_jobs(slurm, request.results, *night, names);
  if (!jobs) return jobs.error();
  std::vector<CancelledJob> cancelled;
  std::vector<std::string> waiting, running;
  for (const auto& [node, job] : *jobs) {
    if (job.has_ended()) continue;
    cancelled.push_back({node, job.id, !job.is_waiting()});
    (job.is_waiting() ? waiting : running).push_back(job.id);
  }
  if (const Expected<void> done = slurm.remove(waiting); !done) return done.error();
  if (const Expected<void> done = slurm.terminate(running); !done) return done.error();
  for (const CancelledJob& job : cancelled) {
    const auto known = submitted->find(job.node);
    if (known != submitted->end() && known->second.job == job.job) known->second.cancelled = utc_now();
  }
  if (!cancelled.empty())
    if (const Expected<void> kept = results::save_submitted(request.results, *night, *submitted); !kept)
      return kept.error();
  return cancelled;
}

}  // namespace lab::app
