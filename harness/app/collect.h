/// The use case collect: takes results from the inbox of a results folder (results/inbox.h) into the folders of their
/// machines. What is no right result goes to quarantine, with the reason beside it.
///
/// Files move by one rename each, exhibits before their result. So a kill loses and doubles nothing: the next call goes
/// on. What is still being written stays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::app {

struct CollectRequest {
  std::filesystem::path results;         ///< of the collector
  std::optional<std::string> from = {};  ///< s3://BUCKET/PREFIX, whose inbox is fetched first
  int stop_file = -1;                    ///< see run_child
};

/// A file and why it is where it is now, a sentence.
struct Explained {
  std::string file;  ///< relative to the results folder
  std::string why;
};

/// What was done for one machine. Files are named relative to the results folder.
struct CollectedMachine {
  std::string machine;
  std::vector<std::string> collected;    ///< where they are now
  std::vector<std::string> there;        ///< the same bytes were collected before: where they are
  std::vector<Explained> contradicting;  ///< of `collected`: another file of the same session has other contents
  std::vector<Explained> quarantined;    ///< where they are now
  std::vector<Explained> left;           ///< still in the inbox, because something failed

  bool has_anything() const { return !collected.empty() || !there.empty() || !quarantined.empty() || !left.empty(); }
};

/// Machines that had something, sorted. Another collector is waited for. An error (kUsage) without a results folder, or
/// kFailed if the bucket could not be read; then what waits in the inbox waits on.
Expected<std::vector<CollectedMachine>> collect(const CollectRequest& request);

/// Fetches the objects of a bucket's inbox that were not fetched before into the inbox of `results`. Returns what was
/// left out, and why. <results>/inbox/fetched.json says what was fetched.
Expected<std::vector<Explained>> fetch_inbox(const std::filesystem::path& results, const std::string& from,
                                             int stop_file);

}  // namespace lab::app
