/// The use cases of a farm on Slurm: a night is one job on each node, of which each measures one session and delivers
/// it into the results folder. What Slurm is told and asked stands in slurm.h, what a job does on its node in
/// farm_job.sh.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"

namespace lab::app {

/// Today, in UTC: "2026-11-28".
std::string this_night();

struct SubmitRequest {
  std::filesystem::path results;     ///< must exist, on the nodes under the same path
  std::filesystem::path bundle;      ///< an executable file
  std::string night = this_night();  ///< the same name again: only what is missing is submitted
  std::optional<std::string> partition = {}, nodes = {}, licenses = {};  ///< as Slurm writes them
  std::optional<double> budget_seconds = {};                             ///< of each session; none: as `run` has it
  bool dry_run = false;  ///< changes nothing, in Slurm and in the folder
  Runner run = [](const ChildSpec& spec) { return run_child(spec); };
};

struct NodeSubmission {
  std::string node;
  std::string job;                   ///< Slurm's number; "" in a dry run
  std::string found;                 ///< why nothing was submitted: "queued", "running", "done"...; "" if it was
  std::string down;                  ///< why the job will wait for its node; "" if the node is up
  std::vector<std::string> command;  ///< of a dry run
};

/// Submits one job for each node that has none in this night yet. Calls `submitted` for each node, in order of name. An
/// error with what has been submitted before it; a repetition completes it.
Expected<void> submit_night(const SubmitRequest& request, const std::function<void(const NodeSubmission&)>& submitted);

enum class NodeState {
  kFit,          ///< measured and delivered, and may give verdicts
  kUnfit,        ///< its session is unfit
  kRegression,   ///< its session found one
  kFailed,       ///< a benchmark of it failed, or the job before or after it
  kCrash,        ///< the harness or the job was killed
  kLost,         ///< its node is down
  kUndelivered,  ///< its session is on the node
  kCancelled,
  kRunning,
  kWaiting,
};

/// "fit", "unfit"...
std::string_view name_of(NodeState state);

struct NodeStatus {
  std::string node;
  NodeState state = NodeState::kWaiting;
  std::string detail;  ///< half a sentence: why, since when, which file
  std::string job, phase;
  std::optional<int> harness_status;
  std::optional<std::string> machine, session;
  bool delivered = false;
};

struct NightStatus {
  std::string night;
  std::vector<NodeStatus> nodes;     ///< sorted by name
  std::vector<std::string> remarks;  ///< sentences

  /// kFailed with a node that failed, crashed, or has not delivered; else kRegression; else kSilent with a lost node;
  /// else kUnfit; else kOk, also while jobs wait or run, or were cancelled.
  ExitStatus status() const;
};

struct FarmNight {
  std::filesystem::path results;
  std::optional<std::string> night = {};  ///< none: the one to which was submitted last
  std::optional<std::string> nodes = {};  ///< for cancel_night; none: all
  Runner run = [](const ChildSpec& spec) { return run_child(spec); };
};

/// What became of the jobs of a night, from their files, and from Slurm where it answers.
Expected<NightStatus> night_status(const FarmNight& request);

struct CancelledJob {
  std::string node, job;
  bool ran = false;  ///< it ends with what it has, and delivers that
};

/// Cancels the jobs of this user that wait or run. Those of others, of other nights and of other folders stay.
Expected<std::vector<CancelledJob>> cancel_night(const FarmNight& request);

}  // namespace lab::app
