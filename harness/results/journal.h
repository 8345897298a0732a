/// The journal of a running session: a file of JSON lines. The first line is the result's header, then one line per
/// process, failure, answer or disturbance of a block, each synced before the next process starts. At the end the
/// result is written and the journal is removed.
///
/// A running session locks its journal (flock), so that a concurrent run does not recover it as a leftover.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/spawn.h"
#include "harness/results/result.h"

namespace lab::results {

class Journal {
 public:
  /// Creates a journal in `folder` (which is created if missing) under a name that no other result or journal there
  /// has: <stem>.journal, else <stem>-2.journal... Sets `head.session.id` to that name and writes `head`.
  static Expected<Journal> create(const std::filesystem::path& folder, std::string_view stem, Result& head);

  /// As above, for a result path given by the user: the journal is journal_for(result_path). An existing result is
  /// replaced at the end. An error while another run writes to the same path.
  static Expected<Journal> create_for(const std::filesystem::path& result_path, std::string_view stem, Result& head);

  /// Appends one line and syncs. An error (a full disk) leaves the journal unchanged.
  Expected<void> append(std::string_view line);

  /// Writes `result` to a temporary file, renames it, then removes the journal. On an error the journal stays.
  Expected<std::filesystem::path> finish(const Result& result);

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& result_path() const { return result_path_; }  ///< the file that finish() writes

 private:
  Journal(std::filesystem::path path, std::filesystem::path result_path, File file);

  std::filesystem::path path_;
  std::filesystem::path result_path_;
  File file_;
};

/// <result>.interrupted.journal, so that the result of a killed session does not take the requested name.
std::filesystem::path journal_for(const std::filesystem::path& result_path);

/// Parses a journal. A last line without its end, left by a kill or a power cut, is ignored.
Expected<Result> parse_journal(std::string_view text, std::string_view name);

/// The journal of a killed session, and the outcome of its recovery.
struct Leftover {
  std::filesystem::path journal;
  std::filesystem::path result;  ///< empty if the journal could not be read
  std::size_t processes = 0;     ///< recovered
  std::string problem;           ///< why it could not be read; the journal then stays unchanged
};

/// Removes the numbers of wrong answers (judge::verify). A parameter, because reading a file does not judge.
using ResultCheck = std::function<void(Result& result)>;

/// Converts one journal to a result in state "interrupted", checked as usual, under a free name in the same folder.
/// None if there is no such file or a running session holds it.
std::optional<Leftover> recover_leftover(const std::filesystem::path& journal, const ResultCheck& check);

/// Recovers every journal in `folder`, in order of name.
std::vector<Leftover> recover_leftovers(const std::filesystem::path& folder, const ResultCheck& check);

/// <root>/results/<machine id>, or <machine id> in LAB_RESULTS.
std::filesystem::path machine_folder(const std::filesystem::path& root, const Machine& machine);

/// The results in a machine's folder, the newest last (their names begin with the time).
std::vector<std::filesystem::path> results_in(const std::filesystem::path& folder);

/// "20260802T231500Z-1a2b3c4d5e6f"; "nogit" if there is no commit. `started` is RFC 3339 in UTC.
std::string result_stem(std::string_view started, const Source& source);

}  // namespace lab::results
