/// The terminal output of `run`: progress on standard error, one table and the verdicts on standard output.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/app/run.h"
#include "harness/base/terminal.h"
#include "harness/cli/talk.h"

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
  void begin_build(const std::string& revision, const std::string& sha, const std::filesystem::path& log);
  void show_base(const std::string& base, const measure::Pairing& pairing);
  void show_leftover(const results::Leftover& leftover);
  void show_start(const measure::SessionSpec& spec, const results::Result& head);
  void show_conformance(const measure::ConformanceProgress& progress);
  void show_process(const measure::SessionProgress& progress);
  void show_failure(const results::Failure& failure);
  void keep_report(const results::Result& result, std::optional<int> planned_blocks);
  void show_disturbances(const std::vector<std::string>& disturbances);

  std::optional<std::filesystem::path> report_;
  StatusLine line_{STDERR_FILENO};
  BuildTalk talk_{line_};
};

}  // namespace lab::cli
