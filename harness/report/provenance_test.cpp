#include "harness/report/provenance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lab::report {

TEST(WaitingText, names_the_workloads_that_wait) {
  results::Session session;
  EXPECT_EQ(waiting_text(session), "");
  session.waiting = {{"shelf/plain/drop", std::nullopt}};
  EXPECT_EQ(waiting_text(session), "1 benchmark waits for a later session: shelf/drop");
  for (const char* variant : {"plain", "quick"})
    for (int i = 0; i < 7; ++i) session.waiting.push_back({fmt::format("shelf/{}/w{}", variant, i), 0.1});
  session.mode = "quick";
  EXPECT_EQ(waiting_text(session),
            "15 benchmarks wait for a session without --quick: shelf/drop, shelf/w0, shelf/w1, shelf/w2, shelf/w3 and "
            "3 other workloads");
}

}  // namespace lab::report
