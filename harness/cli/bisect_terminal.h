/// The progress of `bisect` on standard error.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "harness/app/bisect.h"
#include "harness/base/terminal.h"
#include "harness/cli/build_progress.h"
#include "harness/report/bisect_text.h"

namespace lab::cli {

class BisectTerminal : public app::BisectEvents {
  void on_open(const results::BisectRecord& record) override;
  void on_prepare(const std::string& sha) override { build_.begin("bisect: preparing " + (*names_)(sha)); }
  void on_build_output(std::string_view line) override { build_.show(line); }
  void on_failure(const std::string& sha, const std::string& why) override {
    line_.print(fmt::format("bisect: failed at {}: {}", (*names_)(sha), why));
  }
  void on_step(const app::BisectStep& step) override;
  void on_end(const results::BisectRecord& record, bool answered) override;

  StatusLine line_{STDERR_FILENO};
  BuildProgress build_{line_};
  std::optional<report::CommitNames> names_;
};

}  // namespace lab::cli
