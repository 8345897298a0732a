// compare as a user meets it: the harness itself, on files, folders and revisions.
#include <gtest/gtest.h>

#include <boost/algorithm/string.hpp>
#include <boost/json.hpp>
#include <cstdlib>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/needs_test.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// A checkout of its own, with two commits, and its results.
class Compare : public testing::Test {
 protected:
  ChildOutcome start(Words command) const {
    ChildSpec spec;
    spec.timeout_seconds = kPatience;
    spec.command = std::move(command);
    spec.environment = {
        "LAB_ROOT=" + root_.path().string(), "LAB_MACHINE=here", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
        "GIT_CONFIG_GLOBAL=/dev/null"};
    spec.tail_limit = 1 << 20;
    return run_child(spec);
  }
  ChildOutcome compare(Words arguments) const {
    arguments.insert(arguments.begin(), {(fs::path(LAB_BUILD_DIR) / "harness").string(), "compare"});
    return start(arguments);
  }
  std::string git(Words arguments) const {
    arguments.insert(arguments.begin(),
                     {"git", "-C", root_.path().string(), "-c", "user.name=a", "-c", "user.email=a@b.c"});
    return boost::trim_copy(start(arguments).output);
  }
  std::string commit(const std::string& message) const {
    git({"commit", "-q", "--allow-empty", "-m", message});
    return git({"rev-parse", "HEAD"});
  }

  /// A result of `arms` in the machine's folder; head is `factor` times slower.
  fs::path save(const std::string& time, const std::string& commit, double factor, const std::string& base = "") const {
    results::Result result = results::fixture_result();
    result.session.id = time + "-" + commit.substr(0, 12);
    result.source = {commit, false, "clean"};
    for (const std::string_view arm : {results::kHead, results::kBase}) {
      if (arm == results::kBase && base.empty()) continue;
      result.arms.emplace_back();
      result.arms.back().name = arm;
      result.arms.back().source = {arm == results::kHead ? commit : base, false, "clean"};
      for (int block = 0; block < 20; ++block) {
        const double noise = 1 + 0.0001 * (block * 7 % 11);
        result.processes.push_back(
            results::fixture_process("shelf/plain/store", block, 100 * noise * (arm == results::kHead ? factor : 1)));
        result.processes.back().arm = arm;
      }
    }
    const fs::path path = root_.path() / "results/here" / (result.session.id + ".json");
    fs::create_directories(path.parent_path());
    if (!write_file(path, results::serialize(result))) std::abort();
    return path;
  }

  ScratchFolder root_;
};

std::string verdict(const ChildOutcome& outcome) {
  return std::string(boost::json::parse(outcome.output).at("rows").as_array().at(0).at("verdict").as_string());
}

}  // namespace

TEST_F(Compare, exits_with_3_if_a_row_regressed) {
  const std::string slower = save("20260101T000000Z", std::string(40, 'a'), 1.05, std::string(40, 'b')).string();
  const std::string equal = save("20260102T000000Z", std::string(40, 'a'), 1, std::string(40, 'b')).string();
  const ChildOutcome found = compare({slower, "--json"});
  EXPECT_EQ(found.code, 3);
  EXPECT_EQ(verdict(found), "regressed");
  const ChildOutcome none = compare({equal});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.output.find("Of 1 benchmark 0 regressed, 0 improved, 0 unknown, 1 same"), 0u) << none.output;
  EXPECT_EQ(none.output.find('\x1b'), std::string::npos);
}

TEST_F(Compare, accepts_a_threshold_as_a_share_or_in_percent) {
  const std::string session = save("20260101T000000Z", std::string(40, 'a'), 1.05, std::string(40, 'b')).string();
  for (const char* const threshold : {"6%", "0.06", "6 %"}) {
    const ChildOutcome outcome = compare({session, "--json", "--threshold", threshold});
    EXPECT_EQ(outcome.code, 0) << threshold;
    EXPECT_EQ(verdict(outcome), "same") << threshold;
  }
  for (const char* const threshold : {"", "-1%", "100%", "x", "1%%", "nan"}) {
    const ChildOutcome outcome = compare({session, "--threshold=" + std::string(threshold)});
    EXPECT_EQ(outcome.code, 2) << threshold;
    EXPECT_EQ(outcome.output, "");
  }
}

TEST_F(Compare, writes_a_test_report_before_it_exits) {
  const std::string session = save("20260101T000000Z", std::string(40, 'a'), 1.05, std::string(40, 'b')).string();
  const fs::path report = root_.path() / "junit.xml";
  EXPECT_EQ(compare({session, "--junit", report.string(), "--markdown"}).code, 3);
  EXPECT_NE(read_file(report)->find("failures=\"1\""), std::string::npos);
  EXPECT_EQ(compare({session, "--junit", root_.path().string()}).code, 2);
}

TEST_F(Compare, accepts_revisions_that_have_results) {
  SKIP_WITHOUT_PROGRAM("git");
  git({"init", "-q"});
  const std::string first = commit("first"), second = commit("second"), third = commit("third");
  save("20260101T000000Z", first, 1);
  save("20260102T000000Z", second, 1.2);
  const ChildOutcome apart = compare({"HEAD~2", "HEAD~1", "--json"});
  EXPECT_EQ(apart.code, 3) << apart.error_tail;
  EXPECT_FALSE(boost::json::parse(apart.output).at("interleaved").as_bool());
  // A session that holds both is better than two.
  save("20260103T000000Z", second, 1, first);
  EXPECT_TRUE(boost::json::parse(compare({"HEAD~2", "HEAD~1", "--json"}).output).at("interleaved").as_bool());
  const ChildOutcome none = compare({"HEAD~2", "HEAD"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.error_tail.find("expected a result of HEAD (" + third.substr(0, 12) + ") without local changes"),
            std::string::npos)
      << none.error_tail;
  EXPECT_NE(compare({"nonsense", "HEAD"}).error_tail.find("'nonsense' is neither a file nor a revision"),
            std::string::npos);
}

TEST_F(Compare, rejects_mixed_inputs_that_are_not_allowed) {
  const std::string base = save("20260101T000000Z", std::string(40, 'a'), 1).string();
  results::Result other = *results::load_result(base);
  other.machine.id = "there";
  const std::string head = (root_.path() / "other.json").string();
  ASSERT_TRUE(write_file(head, results::serialize(other)));
  const ChildOutcome refused = compare({base, head});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.error_tail,
            "harness: error: expected sessions of one machine, found '0123456789ab' and 'there'\n"
            "hint: --allow machines shows them, not judged\n");
  const ChildOutcome shown = compare({base, head, "--allow", "machines,versions", "--json"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(boost::json::parse(shown.output).at("rows").at(0).at("reason"), "machine");
  const ChildOutcome unknown = compare({base, head, "--allow", "machine"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.error_tail,
            "harness: error: --allow: expected machines, seeds, versions or unfit, found 'machine'\n"
            "hint: python3 make.py compare --help\n");
  EXPECT_EQ(compare({}).code, 2);
  EXPECT_EQ(compare({base, base, base}).code, 2);
  EXPECT_EQ(compare({base, base, "--json", "--markdown"}).code, 2);
}

TEST_F(Compare, rejects_two_seeds_and_shows_them_with_allow_seeds) {
  const std::string base = save("20260101T000000Z", std::string(40, 'a'), 1).string();
  results::Result other = *results::load_result(save("20260102T000000Z", std::string(40, 'c'), 1.5));
  other.session.seed = 8;
  for (results::Process& process : other.processes) process.seed = 8;
  const std::string head = (root_.path() / "other.json").string();
  ASSERT_TRUE(write_file(head, results::serialize(other)));
  const ChildOutcome refused = compare({base, head});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.error_tail,
            "harness: error: expected one seed of the workloads, found 7 and 8\n"
            "hint: --allow seeds shows them, not judged\n");
  const ChildOutcome shown = compare({base, head, "--allow", "seeds", "--json"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(verdict(shown), "unknown");
}

TEST_F(Compare, judges_a_session_beside_other_work_and_says_so) {
  const std::string path = save("20260101T000000Z", std::string(40, 'a'), 1.5, std::string(40, 'b')).string();
  results::Result session = *results::load_result(path);
  for (int block = 0; block < 20; ++block) session.session.disturbances.push_back({block, 10, 16.4, 0});
  ASSERT_TRUE(write_file(path, results::serialize(session)));
  const ChildOutcome judged = compare({path});
  EXPECT_EQ(judged.code, 3);
  EXPECT_NE(judged.output.find("other processes used 1.64 CPUs in 20 of 20 blocks, 100 % of the time; "),
            std::string::npos)
      << judged.output;
}

TEST_F(Compare, gives_two_sessions_no_verdict_during_other_load_without_allow_unfit) {
  const std::string base = save("20260101T000000Z", std::string(40, 'a'), 1).string(),
                    path = save("20260102T000000Z", std::string(40, 'b'), 1.5).string();
  results::Result session = *results::load_result(path);
  for (int block = 0; block < 20; ++block) session.session.disturbances.push_back({block, 10, 16.4, 0});
  ASSERT_TRUE(write_file(path, results::serialize(session)));
  const ChildOutcome unfit = compare({base, path});
  EXPECT_EQ(unfit.code, 4);
  EXPECT_EQ(unfit.output.find("No verdict, head unfit: other processes used 1.64 CPUs in 20 of 20 blocks, 100 % of the "
                              "time; 10 % of a CPU is the limit; "),
            0u)
      << unfit.output;
  EXPECT_EQ(compare({base, path, "--allow", "unfit"}).code, 3);
}

}  // namespace lab::cli
