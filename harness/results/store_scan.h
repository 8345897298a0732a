/// Lists the results of a folder and condenses each of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/store.h"

namespace lab::results {

struct ResultFile {
  std::string path;  ///< machine/name, relative to the results folder
  std::int64_t size = 0;
  std::int64_t modified = 0;  ///< ns
  /// ns, not compared: when this file system got it, which no program can set; of a packed file when its result came,
  /// which is its time of modification.
  std::int64_t arrived = 0;
  friend bool operator==(const ResultFile& a, const ResultFile& b) {
    return a.path == b.path && a.size == b.size && a.modified == b.modified;
  }
};

/// <results>/<machine>/*.json and *.json.zst, sorted by name. An error (kUsage) if a folder cannot be read.
Expected<std::vector<ResultFile>> list_result_files(const std::filesystem::path& results);

/// How CondensedResult::skipped begins for a session whose clock was wrong.
inline constexpr std::string_view kWrongClock = "the clock of ";

/// A condensed result, or the reason why it could not be read.
struct CondensedFile {
  std::optional<CondensedResult> condensed;
  /// A hash: of what is condensed, so that a packed result is the same, and one without samples; of the bytes, if the
  /// file could not be read.
  std::string content;
  std::string problem;
  bool opened = false;
};

/// CondensedFile::content of a result that could be read.
std::string content_of(const CondensedResult& condensed);

/// Condenses every file, on all cores. A session whose clock was wrong is in no series: dated more than a day after its
/// file arrived, before 2010, or on no day at all.
std::vector<CondensedFile> condense_files(const std::filesystem::path& results, std::span<const ResultFile> files,
                                          const StoreRules& rules);

}  // namespace lab::results
