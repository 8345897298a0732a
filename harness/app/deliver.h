/// The use case deliver: brings results to the folder of a farm's collector, into its inbox (results/inbox.h).
///
/// Each result comes after its exhibits, under its own name only when it is whole and on the disk. Delivering twice is
/// harmless. What is not delivered stays here, and the next call tries again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/app/delivery_place.h"
#include "harness/base/error.h"
#include "harness/base/layout.h"

namespace lab::app {

struct DeliverRequest {
  std::string to;  ///< DIR, ssh:HOST:DIR or s3://BUCKET/PREFIX
  std::filesystem::path results = results_dir();
  std::string machine;  ///< this machine's id
  std::vector<std::filesystem::path> files =
      {};              ///< none: all results of the machine that were not delivered there yet
  int stop_file = -1;  ///< see run_child
};

struct DeliverObserver {
  std::function<void(const std::string&)> on_remark = {};  ///< a sentence: what was left out, and why
};

/// What became of each result, sorted by path. An error if nothing could be tried: kUsage for a wrong destination or a
/// file that is no result, kInterrupted.
/// What was delivered is noted in <results>/<machine>/state/delivered.json. While one call delivers from there, others
/// wait.
Expected<std::vector<Delivery>> deliver(const DeliverRequest& request, const DeliverObserver& observer = {});

/// The error (kFailed) of those that failed, in one sentence; an empty one if none did.
Expected<void> failure_of(const std::vector<Delivery>& deliveries, const std::string& to);

}  // namespace lab::app
