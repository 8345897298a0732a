#include "harness/bench/exhibits.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::bench {

namespace {

const std::vector<ExhibitInfo> kDeclared{{"stroke", "Time of a stroke", ExhibitKind::kLatency},
                                         {"ink", "Ink", ExhibitKind::kSeries},
                                         {"picture", "Picture", ExhibitKind::kImage},
                                         {"strokes", "Strokes", ExhibitKind::kEvents}};

void write_all(ExhibitFiles& files) {
  files.latency("stroke", std::vector<std::uint32_t>{1, 0x01020304});
  files.series("ink", {"strokes", "ink, ml", {1, 2}, {{"left", {9, 8.5}}}});
  files.image("picture", {2, 1, 3, {255, 0, 0, 0, 0, 255}});
  files.events("strokes", std::vector<Event>{{"dip", 0, 0, 1500}, {"mark", 1, 2000, 0, {{"x", 7}}}}, {{"ink_ml", 0.5}});
}

std::string problem(const std::function<void(ExhibitFiles&)>& write) {
  const ScratchFolder folder;
  ExhibitFiles files(folder.path(), kDeclared);
  write(files);
  const Expected<void> finished = files.finish();
  return finished ? "" : finished.error().what;
}

}  // namespace

TEST(Exhibits, are_one_file_each) {
  const ScratchFolder folder;
  ExhibitFiles files(folder.path(), kDeclared);
  write_all(files);
  ASSERT_TRUE(files.finish());
  EXPECT_EQ(*read_file(folder.path() / "stroke.u32"), std::string("\x01\0\0\0\x04\x03\x02\x01", 8));
  EXPECT_EQ(*read_file(folder.path() / "ink.json"),
            "{\"x_title\":\"strokes\",\"y_title\":\"ink, "
            "ml\",\"x\":[1,2],\"lines\":[{\"name\":\"left\",\"y\":[9,8.5E0]}]}\n");
  EXPECT_EQ(*read_file(folder.path() / "strokes.trace.json"),
            "{\"traceEvents\": [\n"
            "{\"name\":\"dip\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":0E0,\"dur\":1.5E0},\n"
            "{\"name\":\"mark\",\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":2E0,\"dur\":0E0,\"args\":{\"x\":7}}\n"
            "], \"otherData\": {\"ink_ml\":5E-1}}\n");
}

TEST(Exhibits, of_events_may_have_rows_that_are_no_threads) {
  const ScratchFolder folder;
  const std::vector<ExhibitInfo> declared{{"pages", "Pages", ExhibitKind::kEvents}};
  ExhibitFiles files(folder.path(), declared);
  files.events("pages", std::vector<Event>{{"live", 3, 0, 1000}}, {}, {"page", "frames", 1000});
  ASSERT_TRUE(files.finish());
  EXPECT_EQ(*read_file(folder.path() / "pages.trace.json"),
            "{\"traceEvents\": [\n"
            "{\"name\":\"live\",\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0E0,\"dur\":1E0}\n"
            "], \"axes\": {\"row\":\"page\",\"time\":\"frames\",\"microseconds\":1E3}}\n");
}

TEST(Exhibits, that_do_not_fit_their_declaration_are_refused) {
  EXPECT_EQ(problem([](ExhibitFiles& files) { files.latency("ink", std::vector<std::uint32_t>{1}); }),
            "exhibit 'ink' was written, but is not declared as such");
  EXPECT_EQ(problem([](ExhibitFiles& files) {
              files.image("other", {1, 1, 1, {0}});
            }),
            "exhibit 'other' was written, but is not declared as such");
  EXPECT_EQ(problem([](ExhibitFiles& files) { write_all(files), write_all(files); }),
            "exhibit 'stroke' was written twice");
  EXPECT_EQ(problem([](ExhibitFiles& files) {
              files.image("picture", {1, 1, 1, {0}});
            }),
            "exhibit 'stroke' was declared and not written");
}

TEST(Exhibits, that_are_malformed_or_too_large_are_refused) {
  EXPECT_EQ(problem([](ExhibitFiles& files) { files.latency("stroke", {}); }),
            "exhibit 'stroke': expected 1 to 1000000 values, found 0");
  EXPECT_EQ(
      problem([](ExhibitFiles& files) { files.latency("stroke", std::vector<std::uint32_t>(kMostLatencies + 1)); }),
      "exhibit 'stroke': expected 1 to 1000000 values, found 1000001");
  EXPECT_EQ(problem([](ExhibitFiles& files) {
              files.series("ink", {"x", "y", {1, 2}, {{"short", {1}}}});
            }),
            "exhibit 'ink': line 'short': expected 2 values, found 1");
  EXPECT_EQ(problem([](ExhibitFiles& files) {
              files.series("ink", {"x", "y", {1}, {{"odd", {std::numeric_limits<double>::infinity()}}}});
            }),
            "exhibit 'ink': line 'odd': a value is not finite");
  EXPECT_EQ(problem([](ExhibitFiles& files) {
              files.image("picture", {2, 2, 3, {1, 2, 3}});
            }),
            "exhibit 'picture': expected 2 x 2 pixels of 1 or 3 bytes, found 3 bytes");
}

}  // namespace lab::bench
