/// The use case of a farm's keeper: all machines of a results folder seen together.
#pragma once

#include <ctime>
#include <filesystem>

#include "harness/app/history.h"
#include "harness/base/error_fwd.h"
#include "harness/base/layout.h"
#include "harness/judge/farm.h"

namespace lab::app {

struct FarmRequest {
  std::filesystem::path results = results_dir();  ///< one subfolder per machine
  /// A git checkout whose first parents give the order of the commits. A commit that it does not know is placed by the
  /// time of its first session.
  std::filesystem::path repository = root_dir();
  std::time_t now = std::time(nullptr);
};

/// What the judgement of a farm needs. Error with ExitStatus::kUsage without results.
Expected<judge::FarmInput> farm_input(results::Store& store, const FarmRequest& request);

/// Error with ExitStatus::kUsage without results.
Expected<judge::Farm> farm(const FarmRequest& request, const HistoryObserver& observer = {});

}  // namespace lab::app
