/// What a session has so far, on the disk: a file of JSON lines, the result's head first, then one line a process,
/// failure, answer or disturbed block, each synced before the next process starts. At the end it becomes the result and
/// goes.
///
/// While its session lives, a journal is locked (flock), so that two runs at once do not take each other's for a
/// leftover.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/spawn.h"
#include "harness/results/result.h"

namespace lab::results {

class Journal {
 public:
  /// Opens a journal in `folder` (made where missing) under a name that no other result or journal there has:
  /// <stem>.journal, else <stem>-2.journal... Sets `head.session.id` to the name it got and writes the head.
  static Expected<Journal> create(const std::filesystem::path& folder, std::string_view stem, Result& head);

  /// As above for a result whose place the user named: the journal is journal_for(result_path), and a result there is
  /// replaced at the end. Refused while another run writes to the same place.
  static Expected<Journal> create_for(const std::filesystem::path& result_path, std::string_view stem, Result& head);

  /// Appends one line and syncs. After an error (a full disk) the journal holds what it held before.
  Expected<void> append(std::string_view line);

  /// Writes `result` to its place, beside first, then removes the journal. On an error the journal stays.
  Expected<std::filesystem::path> finish(const Result& result);

  const std::filesystem::path& path() const { return path_; }

 private:
  Journal(std::filesystem::path path, std::filesystem::path result_path, File file);

  std::filesystem::path path_;
  std::filesystem::path result_path_;
  File file_;
};

/// <result>.interrupted.journal: what it becomes if its session is killed does not take the name that was asked for.
std::filesystem::path journal_for(const std::filesystem::path& result_path);

/// Result of reading a journal: a last line without its end, which a kill or a power cut tears, is left out.
Expected<Result> parse_journal(std::string_view text, std::string_view name);

/// A journal that a killed session left behind, and what became of it.
struct Leftover {
  std::filesystem::path journal;
  std::filesystem::path result;  ///< empty where it could not be read
  std::size_t processes = 0;     ///< kept
  std::string problem;           ///< why it could not be read; it stays as it is
};

/// Takes from a result what its processes got wrong (judge::verify); handed in, because reading a file judges nothing.
using Check = std::function<void(Result& result)>;

/// Turns one journal into a result marked "interrupted", checked like any other, under a free name in the same folder.
/// Nothing where there is no such file or a living session holds it.
std::optional<Leftover> recover_leftover(const std::filesystem::path& journal, const Check& check);

/// Every journal in `folder`, in the order of names.
std::vector<Leftover> recover_leftovers(const std::filesystem::path& folder, const Check& check);

/// <root>/results/<machine id>, or that of LAB_RESULTS.
std::filesystem::path machine_folder(const std::filesystem::path& root, const Machine& machine);

/// The results in a machine's folder, the newest last: their names begin with the time.
std::vector<std::filesystem::path> results_in(const std::filesystem::path& folder);

/// "20260802T231500Z-1a2b3c4d5e6f"; "nogit" where there is no commit. `started` is RFC 3339 in UTC.
std::string result_stem(std::string_view started, const Source& source);

}  // namespace lab::results
