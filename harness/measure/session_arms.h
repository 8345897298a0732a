/// The benchmarks of a session in all of their arms: which run next to each other, and which have ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/arms.h"
#include "harness/measure/session.h"

namespace lab::measure {

/// A benchmark in an arm.
struct ScheduledBenchmark {
  const Benchmark* benchmark;
  std::string arm;
  std::size_t group;  ///< number of head's benchmark that it runs next to
  LayoutTurns layouts;
  bool ended = false;  ///< for this session
  int processes = 0;
  int disturbed = 0;  ///< of these, in blocks that other work disturbed
};

class SessionArms {
 public:
  /// `spec` must outlive it.
  explicit SessionArms(const SessionSpec& spec);

  /// Of scheduled benchmarks: head's in the order of the selection, then those of the other arms.
  std::size_t size() const { return scheduled_.size(); }
  const ScheduledBenchmark& operator[](std::size_t i) const { return scheduled_[i]; }

  /// Of head's benchmarks.
  std::size_t groups() const { return groups_.size(); }
  /// The scheduled benchmarks of a group, head's first.
  const std::vector<std::size_t>& group(std::size_t group) const { return groups_[group]; }
  const ScheduledBenchmark& head(std::size_t group) const { return scheduled_[groups_[group].front()]; }
  /// Whether the group has not ended in `arm`.
  bool is_active(std::size_t group, std::string_view arm) const;
  /// Of the groups, those that are active as control.
  std::vector<std::size_t> controls() const;
  /// Benchmarks that have a base: the rows in the table of verdicts.
  std::size_t compared() const;
  bool all_ended() const { return std::ranges::all_of(scheduled_, &ScheduledBenchmark::ended); }

  /// The order of a block, by `seed`; with what has ended.
  std::vector<std::size_t> order(std::uint64_t seed, int block) const;
  /// The layout of the next process. A metric without noise is compared between single values, so all processes that
  /// collect exact metrics run the first one.
  CodeLayout next_layout(std::size_t i, bool exact);
  /// Returns the number of the process that has ended well.
  int count_process(std::size_t i) { return scheduled_[i].processes++; }
  /// One of its processes ran in a disturbed block.
  void count_disturbed(std::size_t i) { ++scheduled_[i].disturbed; }
  /// Ends it; with head, its other arms too: there is nothing to compare them with. Returns those that end.
  std::vector<std::size_t> end(std::size_t i);

 private:
  std::vector<ScheduledBenchmark> scheduled_;
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace lab::measure
