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

TEST(ProvenanceSection, says_what_of_the_build_was_fetched) {
  results::Result result;
  const auto rows = [&] {
    for (const Element& element : provenance_section(result).elements)
      if (const auto* table = std::get_if<Table>(&element); table && table->name == "session") return table->rows;
    return std::vector<std::vector<TableCell>>();
  };
  const std::size_t without = rows().size();
  ASSERT_GT(without, 0U);
  result.build.fetched = "2 of 3 objects fetched from /place, signed by farm";
  ASSERT_EQ(rows().size(), without + 1);
  EXPECT_EQ(rows().back()[1].text, result.build.fetched);
}

}  // namespace lab::report
