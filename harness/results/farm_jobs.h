/// The files of a farm's nights on Slurm, in a results folder: jobs/<night>/. harness/docs/formats.md shows them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::results {

/// One node's job, as `farm submit` and `farm cancel` know it.
struct SubmittedJob {
  std::string node;
  std::string job;                       ///< Slurm's number
  std::string at;                        ///< when; UTC, RFC 3339
  std::string bundle;                    ///< SHA-256
  std::optional<std::string> cancelled;  ///< when
};

/// One node's job, as its script writes it (harness/app/farm_job.sh).
struct FarmJob {
  int job = 0;
  int restarts = 0;  ///< by Slurm
  std::string night, node;
  std::string phase;                   ///< the last that began: fetch, unpack, verify, run, deliver or done
  std::optional<int> status;           ///< with which `run` ended; 128 and the signal if one ended it
  std::optional<std::string> machine;  ///< in the session's result
  std::optional<std::string> session;  ///< the result's file name
  bool delivered = false;
  std::string said;                          ///< the last error; "" if there is none
  std::map<std::string, std::string> times;  ///< when each phase began
  std::optional<std::string> ended;          ///< when the script ended by itself
};

/// jobs/<night>.
std::filesystem::path night_folder(const std::filesystem::path& results, const std::string& night);

/// Submitted jobs by node; none without the file. An error (kUsage) names the file and what is wrong in it.
Expected<std::map<std::string, SubmittedJob>> load_submitted(const std::filesystem::path& results,
                                                             const std::string& night);
/// Replaces the file. Only the holder of jobs/lock may.
Expected<void> save_submitted(const std::filesystem::path& results, const std::string& night,
                              const std::map<std::string, SubmittedJob>& jobs);

/// The jobs of a night by node. `unreadable` gets a sentence for each file that cannot be read.
std::map<std::string, FarmJob> load_farm_jobs(const std::filesystem::path& results, const std::string& night,
                                              std::vector<std::string>& unreadable);

/// The nights that have a folder, sorted by name.
std::vector<std::string> nights_in(const std::filesystem::path& results);

}  // namespace lab::results
