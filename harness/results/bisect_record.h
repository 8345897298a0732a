/// The state of a bisect: a file of JSON lines under results/<machine>/bisect/. Every measurement rewrites it (to a
/// temporary file, synced, then renamed), so a kill loses at most one measurement. A power cut may still truncate the
/// last line: that line is dropped, the earlier ones stay. Damage anywhere else is an error.
///
/// The first line is the BisectQuestion: everything that must not change while commits are compared. Each other line is
/// a BisectEntry, in order of time, with the estimate after it. A report reads the course of the bisect from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/json_struct.h"
#include "harness/base/lock.h"
#include "harness/results/commit.h"

namespace lab::results {

inline constexpr int kBisectRecordVersion = 1;

/// What is measured and how: fixed when a bisect begins.
struct BisectQuestion {
  int bisect = kBisectRecordVersion;
  std::string repository;   ///< its path; part of the file name's hash for a command, not for a benchmark
  std::string benchmark;    ///< "" if a command is measured
  std::string command;      ///< "" if a benchmark is measured
  std::string malloc_hash;  ///< of the content of a preloaded library; "" if there is none
  std::uint64_t seed = 1;
  double process_seconds = 0;  ///< of one benchmark process
  double timeout_seconds = 0;  ///< of one measurement
  std::optional<int> cpu;      ///< for single-threaded processes, which are pinned to it
  unsigned threads = 1;        ///< of parallel workloads
  BuildOptions how;
  std::vector<Commit> commits;  ///< from the good end to the bad end
};

/// A build that keeps its link command is linked again until it has so many layouts: one for each measurement, so that
/// the offsets of layouts average out as noise does.
inline constexpr int kLayoutsOfCommit = 16;

struct Suspect {
  std::string commit;
  double probability = 0;
};
LAB_JSON_STRUCT(Suspect, commit, probability)

/// A measurement, a skipped commit, or a commit known to be identical to others.
struct BisectEntry {
  std::string commit;
  std::string at;  ///< RFC 3339
  std::optional<double> value;
  int layout = 0;  ///< the link of the commit's build that was measured, from 1; 0: it has one
  /// Two entries of equal number are a pair: the commits on both sides of a step, measured one after the other in an
  /// order that chance decided, so that the step is checked. 0: of the search.
  int pair = 0;
  std::string against;   ///< the other commit of the pair; "" if there is none
  std::string skip;      ///< why it is not measured; "" if it is
  bool again = false;    ///< the next call retries this skip
  std::string identity;  ///< see measure::PreparedCommit
  double prepare_seconds = 0;
  double measure_seconds = 0;
  double null = 0;            ///< after this entry: probability that the ends do not differ
  std::vector<Suspect> most;  ///< after this entry: the most likely culprits, at most kKeptSuspects
};

inline constexpr std::size_t kKeptSuspects = 10;

class BisectRecord {
 public:
  /// Locks and reads the record at `path`. If there is none, or with `restart`, creates one for `question`. An error if
  /// another bisect holds the lock or the record is of another question.
  static Expected<BisectRecord> open(const std::filesystem::path& path, const BisectQuestion& question, bool restart);

  const BisectQuestion& question() const { return question_; }
  const std::vector<BisectEntry>& entries() const { return entries_; }
  std::size_t found() const { return found_; }  ///< number of entries when it was opened
  const std::filesystem::path& path() const { return path_; }
  const std::string& warning() const { return warning_; }  ///< what was lost; "" if nothing

  Expected<void> append(BisectEntry entry);

 private:
  BisectRecord() = default;
  static Expected<BisectRecord> begin(BisectRecord record, const BisectQuestion& question);
  std::filesystem::path path_;
  File lock_;
  BisectQuestion question_;
  std::vector<BisectEntry> entries_;
  std::size_t found_ = 0;
  std::string text_;
  std::string warning_;
};

/// The file of a question in `folder`: <bad commit>-<hash of the question's identity>.jsonl.
std::filesystem::path bisect_record_path(const std::filesystem::path& folder, const BisectQuestion& question);

/// A record, read without a lock.
struct ParsedBisectRecord {
  BisectQuestion question;
  std::vector<BisectEntry> entries;
  std::size_t whole_bytes = 0;  ///< length of the text's complete lines
  std::string torn;             ///< a sentence about the incomplete last line; "" if it is complete
};
Expected<ParsedBisectRecord> parse_bisect_record(std::string_view text, std::string_view name);

}  // namespace lab::results
