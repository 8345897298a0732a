/// Tells others what a check or a night found: a command of the user, once for each thing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/app/farm_check.h"
#include "harness/base/error_fwd.h"
#include "harness/report/notices.h"
#include "harness/results/told.h"

namespace lab::app {

struct NotifyRequest {
  std::string command;          ///< for sh; gets a notice on its standard input, and ends with 0 if it has told it
  std::string page = {};        ///< the address of a server with pages about alarms and machines; "": none
  double timeout_seconds = 60;  ///< of the command; what runs longer is killed and has told nothing
};

/// What became of the notices that were due.
struct Telling {
  std::size_t told = 0, failed = 0;
  std::string remark;  ///< a sentence if any failed
};

/// After so many commands in a row that did not end in time, the others wait for the next call.
inline constexpr std::size_t kMostTimeouts = 3;

/// Begins told.jsonl, so that it is never empty: rewriting it shows whether there is space for a record.
results::ToldRecord first_record();

/// Runs the command for each of the notices, in their order, and records each as told once it is: a kill in between
/// may tell one twice, with the same key. What fails is told by the next call.
Telling tell(std::vector<report::Notice> due, results::Told& told, const NotifyRequest& request, int stop_file = -1);

/// Tells of a farm the alarms that wait, those that are fixed, silent machines and those that have returned. On the
/// first call, what is already fixed is no news. What was told is in told.jsonl in the folder of results; another
/// process that tells at the same time is waited for. An error if that file cannot be read or written: nothing is told.
Expected<Telling> tell_of_farm(const FarmCheck& check, const std::filesystem::path& results,
                               const NotifyRequest& request);

}  // namespace lab::app
