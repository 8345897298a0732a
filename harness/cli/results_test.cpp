#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/scratch_folder.h"
#include "harness/cli/captured_test.h"
#include "harness/judge/night_fixture.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class ResultsCommand : public testing::Test {
 protected:
  void add(int nights) {
    for (int night = 0; night < nights; ++night)
      folder_.write("farm/" + judge::fixture_file(night),
                    results::serialize(judge::fixture_night({night, 2, 200, {100, 50}})));
  }
  Captured results(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "results");
    arguments.insert(arguments.end(), {"--results", folder_.path()});
    return captured(results_command(), arguments);
  }

  ScratchFolder folder_;
};

}  // namespace

TEST_F(ResultsCommand, packs_and_unpacks_and_says_how_much_it_is) {
  add(5);
  const Captured packed = results({"pack"});
  EXPECT_EQ(packed.status, 0) << packed.err;
  EXPECT_THAT(packed.out, testing::MatchesRegex("2 results packed: 0.[0-9] MB before, 0.[0-9] MB now\n"));
  EXPECT_TRUE(fs::exists(folder_.path() / "farm/000001.json.zst"));
  EXPECT_TRUE(fs::exists(folder_.path() / "farm/000002.json"));
  EXPECT_THAT(results({"unpack"}).out, HasSubstr("2 results unpacked"));
  EXPECT_TRUE(fs::exists(folder_.path() / "farm/000001.json"));
  folder_.write("farm/000000.json", "{");
  const Captured damaged = results({"pack", "--newest", "0"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.out, HasSubstr("4 results packed"));
  EXPECT_THAT(damaged.err, HasSubstr("farm/000000.json"));
}

TEST_F(ResultsCommand, says_what_keep_would_remove_and_removes_it_with_yes) {
  add(80);
  const Captured planned = results({"keep", "--samples", "1d"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("farm/000030: samples\n"));
  EXPECT_THAT(planned.out, HasSubstr("nothing was changed: --yes removes it\n"));
  EXPECT_TRUE(fs::exists(folder_.path() / "farm/000030.json"));
  const Captured done = results({"keep", "--samples", "1d", "--yes"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith("removed from "));
  EXPECT_FALSE(fs::exists(folder_.path() / "farm/000030.json"));
  EXPECT_TRUE(results::load_result(folder_.path() / "farm/000030.json.zst")->session.medians_only);
  EXPECT_THAT(results({"keep", "--samples", "1d", "--yes"}).out, testing::StartsWith("removed from 0 results"));
}

TEST_F(ResultsCommand, refuses_what_it_does_not_know) {
  for (const auto& [arguments, what] : {
           std::pair<std::vector<std::string>, std::string>{{},
                                                            "expected migrate, pack, unpack or keep, found nothing"},
           {{"park"}, "expected migrate, pack, unpack or keep, found 'park'"},
           {{"pack", "x"}, "results pack: expected options, found 'x'"},
           {{"keep"}, "expected --samples or --exhibits with an age, found neither"},
           {{"keep", "--samples", "soon"}, "--samples: expected an age such as 90d, 12w or 1y, found 'soon'"},
           {{"keep", "--samples", "1d", "--yes", "--dry-run"}, "--yes and --dry-run cannot be combined"},
       }) {
    const Captured refused = results(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr(what));
    EXPECT_THAT(refused.out, IsEmpty());
  }
}

}  // namespace lab::cli
