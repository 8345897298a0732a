#include "harness/cli/run_terminal.h"

#include <gtest/gtest.h>

namespace lab::cli {

TEST(RunTerminal, says_once_that_it_waits_for_other_work) {
  testing::internal::CaptureStderr();
  {
    RunTerminal terminal(std::nullopt);
    measure::SessionEvents& events = terminal;
    for (int look = 0; look < 3; ++look) events.on_wait({look, 1.2, 1.0 + look, 10});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "run: waiting at most 10 s for other work to end (1.20 CPUs)\n");
}

}  // namespace lab::cli
