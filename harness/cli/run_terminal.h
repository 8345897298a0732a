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
#include "harness/measure/session_events.h"

namespace lab::cli {

class RunTerminal : public measure::SessionEvents {
 public:
  /// `report`: the folder of a report, of which the page is written after every block, and all at the end.
  explicit RunTerminal(std::optional<std::filesystem::path> report) : report_(std::move(report)) {}

  /// Prints a finished session's table, remarks and verdicts, writes its report, and prints its path as the last line.
  void end(const app::RunOutcome& outcome);

 private:
  void on_build(const std::string& revision, const std::string& sha, const std::filesystem::path& log) override;
  void on_build_output(std::string_view line) override { build_.show(line); }
  void on_build_end() override { line_.clear(); }
  void on_base(const std::string& base, const measure::Pairing& pairing) override;
  void on_leftover(const results::Leftover& leftover) override;
  void on_start(const measure::SessionSpec& spec, const results::Result& head) override;
  void on_conformance(const measure::ConformanceProgress& progress) override;
  void on_process(const measure::SessionProgress& progress) override;
  void on_wait(const measure::WaitProgress& progress) override;
  void on_failure(const results::Failure& failure) override;
  void on_block(const results::Result& result) override;
  void on_measured(const std::vector<std::string>& disturbances) override;
  void on_fixed(const std::vector<measure::Benchmark>& kept, const std::string& problem) override;
  void on_exhibit(const measure::ExhibitProgress& progress) override;

  void show_unusual(const std::string& sentence);
  void show_waiting(const results::Session& session);
  void write_report(const std::filesystem::path& result);

  /// Prints a line that begins with "run: ".
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    line_.print("run: " + fmt::format(format, std::forward<Values>(values)...));
  }

  std::optional<std::filesystem::path> report_;
  int planned_blocks_ = 0;         ///< total expected now; 0: unknown
  std::size_t waiting_ = 0;        ///< benchmarks that are known to wait
  std::set<std::string> unusual_;  ///< sentences that were printed
  StatusLine line_{STDERR_FILENO};
  BuildProgress build_{line_};
};

}  // namespace lab::cli
