/// The state of a bisect: a file of JSON lines under results/<machine>/bisect/, written anew after every measurement
/// (beside, synced, then renamed), so that a kill loses one measurement at most. A disk that lost power may still have
/// torn the last line: it is dropped, and what was measured before it stays. Damage anywhere else is refused.
///
/// The first line is the Cell, all that must not change while commits are compared; the others are Entries in the order
/// in which things happened, each with what was believed after it. A report reads the history from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/lock.h"
#include "harness/results/commit.h"

namespace lab::results {

inline constexpr int kRecordVersion = 1;

/// What is measured and how: frozen when a bisect begins.
struct Cell {
  int bisect = kRecordVersion;
  std::string repository;  ///< whose path; part of a command's question, not of a benchmark's
  std::string benchmark;   ///< "" where a command is measured
  std::string command;     ///< "" where a benchmark is
  std::uint64_t seed = 1;
  double process_seconds = 0;  ///< of a benchmark's process
  double timeout_seconds = 0;  ///< of one measurement
  std::optional<int> cpu;      ///< that single-threaded processes are pinned to
  unsigned threads = 1;        ///< of parallel workloads
  BuildOptions how;
  std::vector<Commit> commits;  ///< the good end first, the bad one last
};

struct Suspect {
  std::string commit;
  double probability = 0;
};
template <typename F>
void fields(F& f, Suspect& s) {
  f("commit", s.commit);
  f("probability", s.probability);
}

/// A measurement, a commit that was skipped, or one that is known to equal others.
struct Entry {
  std::string commit;
  std::string at;  ///< RFC 3339
  std::optional<double> value;
  std::string skip;      ///< why it is not measured; "" where it is
  bool again = false;    ///< a skip that the next call tries again
  std::string identity;  ///< see Prepared
  double prepare_seconds = 0;
  double measure_seconds = 0;
  double null = 0;            ///< afterwards: probability that the ends do not differ
  std::vector<Suspect> most;  ///< afterwards: the likeliest culprits, at most kKept
};

inline constexpr std::size_t kKept = 10;

class Record {
 public:
  /// Locks and reads the record at `path`, or begins one with `cell` where there is none or `restart` says so. An error
  /// where another bisect works on it, or it is of another cell.
  static Expected<Record> open(const std::filesystem::path& path, const Cell& cell, bool restart);

  const Cell& cell() const { return cell_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t found() const { return found_; }  ///< entries that were there when it was opened
  const std::filesystem::path& path() const { return path_; }
  const std::string& warning() const { return warning_; }  ///< about what was lost; "" where nothing was

  Expected<void> append(Entry entry);

 private:
  Record() = default;
  static Expected<Record> begin(Record record, const Cell& cell);
  std::filesystem::path path_;
  File lock_;
  Cell cell_;
  std::vector<Entry> entries_;
  std::size_t found_ = 0;
  std::string text_;
  std::string warning_;
};

/// The file of a cell in `folder`: <bad commit>-<hash of the cell's question>.jsonl.
std::filesystem::path record_path(const std::filesystem::path& folder, const Cell& cell);

/// Reads a record without locking it.
struct Story {
  Cell cell;
  std::vector<Entry> entries;
  std::size_t whole_bytes = 0;  ///< of the text: up to here it is whole lines
  std::string torn;             ///< a sentence about the last line where it is not
};
Expected<Story> parse_record(std::string_view text, std::string_view name);

}  // namespace lab::results
