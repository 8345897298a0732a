// farm check --notify as cron calls it: whole outputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/utc.h"
#include "harness/cli/captured_test.h"
#include "harness/judge/night_fixture.h"

namespace lab::cli {

namespace {

/// A farm of two machines, of which one is silent, as all nights are up to now.
class FarmNotify : public testing::Test {
 protected:
  FarmNotify() {
    for (int i = 0; i < 25; ++i)
      for (const char* const machine : {"farm-1", "farm-2"}) {
        if (i >= 10 && machine == std::string("farm-2")) continue;
        results::Result result = judge::fixture_night({i, 1, 1, {100, 50}});
        result.machine.id = result.machine.name = result.context.host_name = machine;
        result.session.started = utc(std::time(nullptr) - 86'400 * (25 - i) + 3600);
        folder_.write(fmt::format("{}/{}", machine, judge::fixture_file(i)), results::serialize(result));
        if (i == 9) silent_since_ = result.session.started;
      }
  }
  Captured check(const std::vector<std::string>& more) {
    std::vector<std::string> words{"farm", "check", "--results", folder_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return captured(farm_command(), words);
  }
  std::string inbox() const { return (folder_.path() / "inbox").string(); }

  ScratchFolder folder_;
  std::string silent_since_;
};

TEST_F(FarmNotify, tells_others_once_and_keeps_its_output_and_status) {
  const Captured plain = check({});
  EXPECT_EQ(plain.out, "silent: farm-2 (15 days)\n");
  for (int i = 0; i < 2; ++i) {
    const Captured told = check({"--notify", "cat >> " + inbox() + "; echo noise; echo noise >&2"});
    EXPECT_EQ(told.out, plain.out);
    EXPECT_EQ(told.err, "");
    EXPECT_EQ(told.status, 5);
  }
  const Expected<std::string> text = read_file(inbox());
  ASSERT_TRUE(text);
  const std::string begins = fmt::format(
      R"({{"kind":"silence","key":"silence:farm-2 since {0}","id":"farm-2","when":"{0}","title":"farm-2 is silent for 15 )"
      R"(days: no session since {1}","state":"silent","change":null,"benchmarks":[],"machines":["farm-2"],"classes":)",
      silent_since_, silent_since_.substr(0, 10));
  EXPECT_EQ(text->substr(0, begins.size()), begins);
  EXPECT_EQ(text->find('\n'), text->size() - 1);
}

TEST_F(FarmNotify, that_fails_is_one_remark_and_a_status_only_if_all_is_fine) {
  const std::string remark = fmt::format(
      "farm: --notify: 1 of 1 notice not told, which the next call tries again: 'silence:farm-2 since {}': exit status "
      "3: "
      "no route\n",
      silent_since_);
  const Captured silent = check({"--notify", "echo no route >&2; exit 3"});
  EXPECT_EQ(silent.err, remark);
  EXPECT_EQ(silent.status, 5);
  folder_.write("told.jsonl", "x\n");
  folder_.write("machines.json", R"({"farm-2": {"retired": "2026-01-01"}})");
  const Captured fine = check({"--notify", "true"});
  EXPECT_EQ(fine.out, "farm: fine: 2 machines, no alarm that waits, nobody silent\n");
  EXPECT_EQ(fine.err.find("farm: --notify: nothing is told: '"), 0u) << fine.err;
  EXPECT_NE(fine.err.find("told.jsonl', line 1: not JSON"), std::string::npos) << fine.err;
  EXPECT_EQ(fine.status, 1);
}

TEST_F(FarmNotify, refuses_addresses_that_are_none) {
  for (const char* const page :
       {"lab.example", "ftp://a", "https://a b", "https://a?b", "https://a#b", "https://a\nb"}) {
    const Captured refused = check({"--notify", "true", "--page", page});
    EXPECT_EQ(refused.status, 2) << page;
    EXPECT_EQ(refused.err.substr(0, 95),
              "harness: error: --page: expected an address that begins with http:// or https://, without blank");
  }
  EXPECT_EQ(check({"--page", "https://a"}).err,
            "harness: error: --page is for what --notify tells, found no --notify\nhint: leave out --page\n");
  const Captured other = captured(farm_command(), {"farm", "status", "--notify", "true"});
  EXPECT_EQ(other.err, "harness: error: farm status has no --notify\nhint: leave out --notify\n");
}

}  // namespace

}  // namespace lab::cli
