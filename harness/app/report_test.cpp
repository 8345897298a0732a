// The page that run keeps, and the report after it.
#include "harness/app/report.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/compare.h"
#include "harness/report/comparison_sentences.h"
#include "harness/report/html.h"
#include "harness/report/sample_test.h"
#include "harness/results/result.h"

namespace lab::app {

namespace {

std::string page_of(const results::Result& result) {
  const ScratchFolder folder;
  folder.write("result.json", results::serialize(result));
  ReportRequest request;
  request.results = {(folder.path() / "result.json").string()};
  request.out = folder.path() / "report";
  request.single_file = true;
  request.root = folder.path();  // without the checkout's atlas and articles, whose charts are most of a page
  const Expected<ExitStatus> written = report(request);
  EXPECT_TRUE(written) << written.error().what;
  return *read_file(*request.out / "index.html");
}

std::string kept_page_of(const results::Result& result, int planned_blocks) {
  const ScratchFolder folder;
  const Expected<void> written = keep_report(result, folder.path(), planned_blocks);
  EXPECT_TRUE(written) << written.error().what;
  return *read_file(folder.path() / "index.html");
}

}  // namespace

TEST(KeptReport, has_verdicts_after_a_session_with_a_base) {
  const results::Result session = report::sample::two_arms();
  const std::string verdict = report::escape_html(report::sentence(*judge::compare_arms(session, {})));
  EXPECT_EQ(kept_page_of(session, 20).find(verdict), std::string::npos)
      << "verdicts of a part would be wrong too often";
  const std::string page = page_of(session);
  EXPECT_NE(page.find("<p class=\"lead\">" + verdict), std::string::npos);
  EXPECT_NE(page.find("id=\"table-comparison\""), std::string::npos);
}

TEST(KeptReport, has_no_comparison_in_a_session_without_a_base) {
  EXPECT_EQ(page_of(report::sample::result()).find("id=\"table-comparison\""), std::string::npos);
}

}  // namespace lab::app
