/// What Slurm says and does, through its own commands (sinfo, squeue, sbatch, scancel, scontrol), of 22.05 and later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error_fwd.h"

namespace lab::app {

struct SlurmNode {
  std::string name, partition, state;
  bool in_default_partition = false;
  std::string since;   ///< when it went down, as Slurm prints it; "" if unknown
  std::string reason;  ///< why; "" if none is given

  /// It runs no job until somebody or something brings it back.
  bool is_down() const;
};

struct SlurmJob {
  std::string id, name, state, reason, node;
  std::uint64_t user = 0;
  int exit_status = 0;  ///< of its script, once it has ended
  std::string comment;

  bool is_waiting() const { return state == "PENDING"; }
  bool has_ended() const;
};

class Slurm {
 public:
  /// `run`: the seam for tests.
  explicit Slurm(Runner run);

  /// One row for each partition of a node, sorted by name.
  Expected<std::vector<SlurmNode>> nodes() const;
  /// The names in an expression such as node[1-3].
  Expected<std::vector<std::string>> expand(const std::string& list) const;
  /// The jobs with these names of all users, as long as Slurm knows them, the oldest first.
  Expected<std::vector<SlurmJob>> jobs(const std::vector<std::string>& names) const;
  /// Calls sbatch; returns the job's number.
  Expected<std::string> submit(const std::vector<std::string>& arguments) const;
  /// Removes jobs that wait. Slurm kills one that has just started.
  Expected<void> remove(const std::vector<std::string>& ids) const;
  /// Sends SIGTERM to the scripts of jobs that run.
  Expected<void> terminate(const std::vector<std::string>& ids) const;

 private:
  /// Standard output. An error, in one sentence, if the program is missing, fails, or gets no answer from Slurm.
  Expected<std::string> call(std::vector<std::string> command) const;
  Expected<void> scancel(std::vector<std::string> arguments, const std::vector<std::string>& ids) const;

  Runner run_;
};

}  // namespace lab::app
