/// The terminal output of `run`: progress on standard error, one table and the verdicts on standard output.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "harness/app/run.h"
#include "harness/base/terminal.h"
#include "harness/cli/build_progress.h"

namespace lab::cli {

class RunTerminal {
 public:
  /// `report`: the folder of an interim report, written after every block.
  explicit RunTerminal(std::optional<std::filesystem::path> report) : report_(std::move(report)) {}

  /// The observer refers to this object.
  app::RunObserver observer();
  /// Prints a finished session's table, remarks and verdicts, and its path as the last line.
  void end(const app::RunOutcome& outcome);

 private:
  void show_base(const std::string& base, const measure::Pairing& pairing);
  void show_leftover(const results::Leftover& leftover);
  void show_start(const measure::SessionSpec& spec, const results::Result& head);
  void show_unusual(const std::string& sentence);
  void show_waiting(const results::Session& session);
  void show_conformance(const measure::ConformanceProgress& progress);
  void show_process(const measure::SessionProgress& progress);
  void show_failure(const results::Failure& failure);
  void show_exhibit(const measure::ExhibitProgress& progress);
  void keep_report(const results::Result& result, std::optional<int> planned_blocks);

  /// Prints a line that begins with "run: ".
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    line_.print("run: " + fmt::format(format, std::forward<Values>(values)...));
  }

  std::optional<std::filesystem::path> report_;
  std::size_t waiting_ = 0;        ///< benchmarks that are known to wait
  std::set<std::string> unusual_;  ///< sentences that were printed
  StatusLine line_{STDERR_FILENO};
  BuildProgress build_{line_};
};

}  // namespace lab::cli
