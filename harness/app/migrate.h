/// The use case results migrate: brings results of earlier schemas to the one of this build, or checks that it can.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::app {

struct MigrateRequest {
  std::vector<std::filesystem::path> paths;  ///< results, or folders that are searched for them
  bool check_only = false;                   ///< writes nothing
};

/// One result.
struct MigratedResult {
  std::filesystem::path path;
  int schema = 0;          ///< that it had
  std::string problem;     ///< why it cannot be used in this build; "" if it can
  bool rewritten = false;  ///< false with check_only, or if it had this build's schema
};

using MigrateListener = std::function<void(const MigratedResult&)>;

/// Of every result: it opens, compares with itself, is condensed for the history, and gives the same result again after
/// it is written in this build's schema. Returns how many have a problem. An error (kUsage) if a path does not exist or
/// no result is found. A file is replaced as a whole or not at all.
Expected<std::size_t> migrate(const MigrateRequest& request, const MigrateListener& listener);

}  // namespace lab::app
