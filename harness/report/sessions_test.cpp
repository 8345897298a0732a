#include "harness/report/sessions.h"

#include <gtest/gtest.h>

#include "harness/report/markdown.h"
#include "harness/report/provenance.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

judge::PictureSession session(const std::string& id, judge::Kinship kinship = judge::Kinship::kCommit) {
  judge::PictureSession one;
  one.id = id;
  one.started = "2026-08-02T23:15:00Z";
  one.source = {"1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", false, "clean"};
  one.kinship = kinship;
  one.benchmarks = 4;
  return one;
}

judge::PictureSession unfit(const std::string& id) {
  judge::PictureSession one = session(id);
  one.fit = false;
  one.reason = judge::kMachineReason;
  one.benchmarks = 0;
  one.exact = 3;
  return one;
}

std::vector<std::vector<std::string>> texts_of(const Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<TableCell>& row : table.rows) {
    rows.emplace_back();
    for (const TableCell& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

}  // namespace

TEST(SessionsOfReport, counts_its_sessions_in_the_head_of_the_report) {
  judge::Picture picture;
  picture.sessions = {session("3"), unfit("2"), session("1"), session("0", judge::Kinship::kExecutable)};
  Document document;
  add_picture(picture, document);
  ASSERT_EQ(document.facts.size(), 1u);
  EXPECT_EQ(document.facts[0].first, "Sessions");
  EXPECT_EQ(document.facts[0].second, "3 of this commit, 2 fit; 1 of other sources with the same executables, 1 fit");
  EXPECT_TRUE(document.alerts.empty());
  picture.sessions[2].blind = {"allocator"};
  Document other;
  add_picture(picture, other);
  EXPECT_EQ(other.facts[0].second,
            "3 of this commit, 2 fit; 1 of other sources with the same executables, 1 fit; 1 of the fit ones not for "
            "all families");
}

TEST(SessionsOfReport, says_that_the_latest_session_gives_no_times) {
  judge::Picture picture;
  picture.sessions = {unfit("2"), session("1")};
  picture.main = 1;
  Document document;
  add_picture(picture, document);
  ASSERT_EQ(document.alerts.size(), 1u);
  EXPECT_EQ(
      document.alerts[0].text,
      "The latest session, 2, is unfit: its control found a change where there is none. The times are those of the "
      "fit sessions of its commit.");
}

TEST(SessionsOfReport, names_what_each_session_gave) {
  judge::Picture picture;
  picture.sessions = {session("2"), unfit("1")};
  picture.sessions[0].exhibits = 2;
  picture.sessions[0].alone = {"shelf/drop"};
  picture.sessions[1].unlike = {"another executable"};
  EXPECT_EQ(
      texts_of(sessions_table(picture)),
      (std::vector<std::vector<std::string>>{
          {"2", "2026-08-02T23:15:00Z", "1a2b3c4d5e6f", "fit", "4 benchmarks and 2 exhibits; alone: shelf/drop", ""},
          {"1", "2026-08-02T23:15:00Z", "1a2b3c4d5e6f", "unfit: its control found a change where there is none",
           "figures without noise of 3 benchmarks",
           "an unfit session gives no times; some benchmarks: another executable"}}));
}

TEST(SessionsOfReport, of_one_session_gives_the_document_of_that_session) {
  const results::Result result = sample::result();
  const judge::Picture picture = judge::put_together({result});
  ReportInput alone{&result}, together{&picture.result};
  together.picture = &picture;
  const Document a = report_document(alone, sample::background()), b = report_document(together, sample::background());
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_EQ(a.lead, b.lead);
  EXPECT_EQ(to_markdown(a), to_markdown(b));
}

}  // namespace lab::report
