/// The events of a session: a terminal, a live report or a test shows what it wants of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/journal.h"
#include "harness/results/result.h"

namespace lab::measure {

struct Benchmark;
struct Pairing;
struct SessionSpec;

struct SessionProgress {
  std::string_view benchmark;  ///< about to run
  std::string_view arm;
  int block = 0;              ///< from 0
  int blocks = 0;             ///< total expected now; 0: unknown
  std::size_t position = 0;   ///< from 0
  std::size_t processes = 0;  ///< of this block
  double seconds_left = 0;    ///< of the session
  std::size_t failures = 0;   ///< so far
};

/// Progress before the measuring begins.
struct ConformanceProgress {
  std::string_view variant;  ///< about to be checked, in its arm
  std::string_view arm;
  std::size_t checked = 0;      ///< executables checked so far
  std::size_t executables = 0;  ///< total, by content
};

/// The session waits between two blocks until other work on the machine has ended.
struct WaitProgress {
  int look = 0;             ///< at the machine, from 0
  double busy = 0;          ///< CPUs that other work used or the host withheld since the last look
  double seconds = 0;       ///< waited so far
  double most_seconds = 0;  ///< of this wait
};

struct ExhibitProgress {
  std::string_view benchmark;     ///< about to run
  std::size_t done = 0, all = 0;  ///< processes
};

/// In chronological order. An event that is not overridden does nothing. app::run reports all of them, run_session and
/// collect_exhibits only those of their own progress.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;

  /// Before a revision is built. The log is empty if its build exists.
  virtual void on_build(const std::string& /*revision*/, const std::string& /*sha*/,
                        const std::filesystem::path& /*log*/) {}
  virtual void on_build_output(std::string_view /*line*/) {}
  virtual void on_build_end() {}  ///< on success and on error
  virtual void on_base(const std::string& /*base*/, const Pairing&) {}
  virtual void on_leftover(const results::Leftover&) {}  ///< left by a killed session
  virtual void on_start(const SessionSpec&, const results::Result& /*head*/) {}
  virtual void on_conformance(const ConformanceProgress&) {}
  virtual void on_process(const SessionProgress&) {}
  virtual void on_wait(const WaitProgress&) {}
  virtual void on_failure(const results::Failure&) {}
  /// The result so far: before the first block, and after every complete block.
  virtual void on_block(const results::Result&) {}
  /// After the last timed process, with the session's disturbances.
  virtual void on_measured(const std::vector<std::string>& /*disturbances*/) {}
  /// Executables of these benchmarks are now the machine's fixed build; `problem`: why they are not, or "".
  virtual void on_fixed(const std::vector<Benchmark>&, const std::string& /*problem*/) {}
  virtual void on_exhibit(const ExhibitProgress&) {}
};

}  // namespace lab::measure
