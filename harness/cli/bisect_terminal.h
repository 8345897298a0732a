/// The progress of `bisect` on standard error.
#pragma once

#include <unistd.h>

#include <optional>

#include "harness/app/bisect.h"
#include "harness/base/terminal.h"
#include "harness/cli/build_progress.h"
#include "harness/report/bisect_text.h"

namespace lab::cli {

class BisectTerminal {
 public:
  /// The observer refers to this object.
  app::BisectObserver observer();

 private:
  void begin(const results::BisectRecord& record);
  void show(const app::BisectStep& step);
  void end(const results::BisectRecord& record, bool answered);

  StatusLine line_{STDERR_FILENO};
  BuildProgress build_{line_};
  std::optional<report::CommitNames> names_;
};

}  // namespace lab::cli
