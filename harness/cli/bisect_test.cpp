// bisect as a user meets it: the harness itself on made repositories, whole outputs, kills.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <random>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/needs_test.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"

namespace lab::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using Words = std::vector<std::string>;

constexpr int kCommits = 40;
constexpr int kCulprit = 23;

/// Prints a number that depends on the commit's file `level`, with noise of 0.3 % that is the same in every test: the
/// n-th measurement of all has the n-th noise. Which commit is measured n-th depends on how long the others took, so
/// the noise must be too small to mislead in any order: at 1 % one run in 160 named no culprit. A level of 0 skips the
/// commit, words are printed as they are. The measurement that the file <count>.hold names does not end while that is
/// there.
const std::string kMeasure = R"sh(read level < level
n=$(($(wc -c 2>/dev/null < "$LAB_TEST_COUNT") + 1))
printf x >> "$LAB_TEST_COUNT"
while [ "$(cat "$LAB_TEST_COUNT.hold" 2>/dev/null)" = $n ]; do sleep 0.02; done
case $level in
0) exit 125 ;;
fails) echo "it fails" >&2; exit 1 ;;
none|nan|-1) echo "$level" ;;
*) echo "some talk"; awk -v n=$n -v level=$level 'NR == n {print level * $1}' noise ;;
esac
)sh";

std::string fixture_noise() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += fmt::format("{:.6f}\n", std::exp(0.003 * noise(random)));
  return lines;
}

class Bisect : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_PROGRAM("git");
    SKIP_WITHOUT_PROGRAM("python3");
    scratch_.write("repo/measure.sh", kMeasure);
    scratch_.write("repo/noise", fixture_noise());
    ASSERT_EQ(shell("git init -q -b main repo && git -C repo add . && git -C repo commit -qm start").code, 0);
  }

  void TearDown() override {
    if (HasFailure()) std::puts((last_.output + last_.error_tail).c_str());
  }

  ChildOutcome shell(const std::string& script) const {
    ChildSpec spec;
    spec.command = {"sh", "-ec", "cd \"$1\"\n" + script, "sh", scratch_.path().string()};
    spec.environment = environment();
    spec.tail_limit = 1 << 20;
    spec.timeout_seconds = kPatience;
    return run_child(spec);
  }

  /// Commits of these levels after the first; commit i is tagged ci.
  void commit(const Words& levels) const {
    std::string script = "cd repo\n";
    for (std::size_t i = 0; i < levels.size(); ++i)
      script += fmt::format(
          "echo {0} > level; echo {1} > number; git add .; git commit -qm 'commit {1}'; git tag c{1}\n", levels[i], i);
    const ChildOutcome done = shell(script);
    ASSERT_EQ(done.code, 0) << done.error_tail;
  }

  static Words steps(const std::string& good, const std::string& bad, int culprit) {
    Words levels;
    for (int i = 0; i <= kCommits; ++i) levels.push_back(i < culprit ? good : bad);
    return levels;
  }

  Words environment() const {
    return {"LAB_ROOT=" + (scratch_.path() / "root").string(),
            "LAB_MACHINE=here",
            "LAB_TEST_COUNT=" + (scratch_.path() / "count").string(),
            "GIT_CONFIG_GLOBAL=/dev/null",
            "GIT_AUTHOR_NAME=a",
            "GIT_AUTHOR_EMAIL=a@b",
            "GIT_COMMITTER_NAME=a",
            "GIT_COMMITTER_EMAIL=a@b"};
  }

  static std::string harness() { return (fs::path(LAB_BUILD_DIR) / "harness").string(); }

  ChildOutcome bisect(const Words& arguments) const {
    ChildSpec spec;
    spec.command = {harness(), "bisect", "--repo", (scratch_.path() / "repo").string()};
    spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
    spec.environment = environment();
    spec.tail_limit = 1 << 20;
    spec.timeout_seconds = kPatience;
    return last_ = run_child(spec);
  }

  ChildOutcome measure(const std::string& good, const std::string& bad, Words more = {"--json"}) const {
    more.insert(more.begin(), {"--good", good, "--bad", bad, "--measure", "sh measure.sh"});
    return bisect(more);
  }

  std::string sha(const std::string& name) const {
    return boost::trim_copy(shell("git -C repo rev-parse " + name + "^0").output);
  }

  std::size_t measured() const {
    const Expected<std::string> count = read_file(scratch_.path() / "count");
    return count ? count->size() : 0;
  }

  /// All of the repository that a bisect must leave as it was, by name and content, and how many trees of it there are.
  std::string left_in_repository() const {
    return shell(
               "(cd repo; find . -type d | sort; find . -type f | sort | xargs sha1sum); "
               "ls -d root/build/revisions/repo-*/*/ 2>/dev/null | wc -l")
        .output;
  }

  static json::object object(const ChildOutcome& outcome) {
    boost::system::error_code problem;
    const json::value value = json::parse(outcome.output, problem);
    EXPECT_FALSE(problem) << outcome.output << outcome.error_tail;
    return value.is_object() ? value.get_object() : json::object();
  }

  ScratchFolder scratch_;
  mutable ChildOutcome last_;  ///< of bisect, printed if a test fails
};

}  // namespace

TEST_F(Bisect, names_the_culprit_and_leaves_the_repository_unchanged) {
  commit(steps("100", "104", kCulprit));
  scratch_.write("repo/number", "changed");
  scratch_.write("repo/new", "new");
  const std::string before = left_in_repository();
  const ChildOutcome outcome = measure("c0", "main");
  EXPECT_EQ(left_in_repository(), before);
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  const json::object answer = object(outcome);
  EXPECT_EQ(answer.at("culprit").as_string(), sha(fmt::format("c{}", kCulprit)));
  EXPECT_EQ(answer.at("answer").as_string(), "culprit");
  EXPECT_GE(answer.at("probability").as_double(), 0.99);
  EXPECT_EQ(answer.at("candidates").as_array().size(), 1u);
  EXPECT_EQ(answer.at("measurements").as_int64(), static_cast<std::int64_t>(measured()));
  EXPECT_NE(outcome.error_tail.find(", 1 commit holds 90 %, likeliest "), std::string::npos) << outcome.error_tail;
}

TEST_F(Bisect, prints_the_candidates_when_the_culprit_cannot_be_measured) {
  Words levels = steps("100", "104", kCulprit);
  for (const std::size_t skipped : {5u, 22u, 23u, 30u}) levels[skipped] = "0";
  commit(levels);
  const json::object answer = object(measure("c0", "main"));
  EXPECT_TRUE(answer.at("culprit").is_null());
  EXPECT_EQ(answer.at("answer").as_string(), "candidates");
  Words candidates;
  for (const json::value& each : answer.at("candidates").as_array())
    candidates.emplace_back(each.at("commit").as_string());
  EXPECT_EQ(candidates, (Words{sha("c22"), sha("c23"), sha("c24")}));
}

TEST_F(Bisect, reports_no_culprit_when_the_ends_do_not_differ) {
  commit(Words(9, "100"));
  const ChildOutcome outcome = measure("c0", "main");
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  const json::object answer = object(outcome);
  EXPECT_TRUE(answer.at("culprit").is_null());
  EXPECT_EQ(answer.at("answer").as_string(), "none");
  EXPECT_GE(answer.at("null_probability").as_double(), 0.99);
}

TEST_F(Bisect, resumes_after_a_kill_and_measures_nothing_twice) {
  commit(steps("100", "104", kCulprit));
  const std::string repository = left_in_repository();
  const ChildOutcome killed = shell(fmt::format(
      R"sh(echo 8 > count.hold
'{}' bisect --repo repo --good c0 --bad main --measure 'sh measure.sh' & child=$!
until test "$(wc -c < count 2>/dev/null || echo 0)" -ge 8; do sleep 0.02; done
kill -9 $child; wait $child || true; rm count.hold; cat root/results/here/bisect/*.jsonl | wc -l)sh",
      harness()));
  ASSERT_EQ(killed.code, 0) << killed.error_tail;
  const std::size_t before = measured();
  EXPECT_NE(left_in_repository(), repository) << "a kill leaves its trees";
  const ChildOutcome resumed = measure("c0", "main");
  EXPECT_EQ(left_in_repository(), repository);
  EXPECT_EQ(resumed.code, 0) << resumed.error_tail;
  EXPECT_NE(resumed.error_tail.find("bisect: resuming after"), std::string::npos) << resumed.error_tail;
  const json::object answer = object(resumed);
  EXPECT_EQ(answer.at("culprit").as_string(), sha(fmt::format("c{}", kCulprit)));
  // At most the one that was under way was lost.
  EXPECT_LE(measured(), static_cast<std::size_t>(answer.at("measurements").as_int64()) + 1);
  EXPECT_GT(measured(), before);
  const std::size_t after = measured();
  EXPECT_EQ(object(measure("c0", "main")), answer);
  EXPECT_EQ(measured(), after);
  EXPECT_EQ(measure("c0", "main", {"--restart"}).code, 0);
  EXPECT_GT(measured(), after);
}

TEST_F(Bisect, keeps_its_data_when_interrupted) {
  commit(steps("100", "104", kCulprit));
  const ChildOutcome outcome = shell(fmt::format(
      R"sh(echo 4 > count.hold
'{}' bisect --repo repo --good c0 --bad main --measure 'sh measure.sh' & child=$!
until test "$(wc -c < count 2>/dev/null || echo 0)" -ge 4; do sleep 0.02; done
kill -TERM $child; status=0; wait $child || status=$?; rm count.hold; echo $status)sh",
      harness()));
  EXPECT_EQ(outcome.output, "130\n") << outcome.error_tail;
  EXPECT_NE(outcome.error_tail.find("the same command resumes from there"), std::string::npos) << outcome.error_tail;
}

TEST_F(Bisect, prints_the_candidates_when_the_budget_ends) {
  commit(steps("100", "104", kCulprit));
  // However fast the machine: one measurement takes longer than the budget. On a slow one, so do the worktrees.
  const ChildOutcome outcome =
      measure("c0", "main", {"--measure", "sleep 0.2; sh measure.sh", "--budget", "0.1", "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(object(outcome).at("answer").as_string(), "undecided");
  EXPECT_LE(object(outcome).at("measurements").as_int64(), 1);
}

TEST_F(Bisect, rejects_output_that_is_not_a_number) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"none", "expected a number above 0 in the last line of the output, found 'none'"},
      {"nan", "expected a number above 0 in the last line of the output, found 'nan'"},
      {"-1", "expected a number above 0 in the last line of the output, found '-1'"},
      {"fails", "exit status 1: it fails"},
      {"0", "the command exited with status 125"}};
  Words levels{"100"};
  for (const auto& [level, sentence] : table) levels.push_back(level);
  commit(levels);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ChildOutcome outcome = measure("c0", fmt::format("c{}", i + 1));
    EXPECT_EQ(outcome.code, 2) << table[i].first;
    EXPECT_NE(outcome.error_tail.find(fmt::format("the bad end, {}, cannot be measured: {}",
                                                  sha(fmt::format("c{}", i + 1)).substr(0, 12), table[i].second)),
              std::string::npos)
        << outcome.error_tail;
  }
}

TEST_F(Bisect, rejects_wrong_usage_with_one_sentence) {
  commit({"100", "100"});
  const auto said = [&](const Words& arguments) {
    const ChildOutcome outcome = bisect(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.error_tail;
    return outcome.error_tail;
  };
  const std::string repo = (scratch_.path() / "repo").string();
  EXPECT_EQ(said({"--bad", "main", "--measure", "true"}),
            "harness: error: --good is missing\nhint: python3 make.py bisect --help\n");
  EXPECT_EQ(said({"--good", "c0", "--bad", "main"}),
            "harness: error: expected one of --benchmark and --measure\nhint: python3 make.py bisect --help\n");
  EXPECT_EQ(said({"--good", "c0", "--bad", "mian", "--measure", "true"}),
            fmt::format("harness: error: --bad: expected a commit of '{}', found 'mian'\nhint: did you mean 'main'?\n",
                        repo));
  EXPECT_EQ(said({"--good", "c0", "--bad", "0123456789", "--measure", "true"}),
            fmt::format("harness: error: --bad: expected a commit of '{0}', found '0123456789'\n"
                        "hint: git -C {0} log --oneline\n",
                        repo));
  EXPECT_TRUE(said({"--repo", repo + "/none", "--good", "c0", "--bad", "c1", "--measure", "true"})
                  .ends_with("\nhint: python3 make.py bisect --help\n"));
  EXPECT_EQ(said({"--good", "c0", "--bad", "c0", "--measure", "true"}),
            fmt::format("harness: error: expected two commits, found {} for both ends\nhint: git log --oneline\n",
                        sha("c0").substr(0, 12)));
  EXPECT_NE(said({"--good", "c1", "--bad", "c0", "--measure", "true"})
                .find("hint: --good is newer than --bad: swap the two\n"),
            std::string::npos);
  EXPECT_NE(said({"--good", "c0", "--bad", "c1", "--measure", "true", "--confidence", "2"}).find("--confidence"),
            std::string::npos);
}

TEST_F(Bisect, in_a_shallow_clone_prints_how_to_get_the_full_history) {
  commit({"100", "100", "104"});
  ASSERT_EQ(shell("git clone -q --depth 1 \"file://$PWD/repo\" clone").code, 0);
  const std::string old = sha("c0");
  const ChildOutcome outcome =
      shell(fmt::format("'{}' bisect --repo clone --good {} --bad main --measure true", harness(), old));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error_tail.find("the clone is shallow: git -C "), std::string::npos) << outcome.error_tail;
}

TEST_F(Bisect, of_a_benchmark_builds_each_commit_with_its_own_make_py) {
  // A laboratory of one variant: make.py makes a build folder whose variant prints what the tree's `level` says.
  // Commits with equal executables are not measured to be told apart; one speaks an old protocol, one has another
  // version.
  // The interpreter itself: python3 may be a script of a version manager, which takes longer than the rest.
  scratch_.write("repo/make.py", R"(import os, pathlib, sys
build = pathlib.Path("build/system-release")
(build / "variants/fake").mkdir(parents=True, exist_ok=True)
level, version, protocol = open("level").read().split(":")
if level == "broken": raise SystemExit("error: expected ';'")
(build / "variants.json").write_text('[{"family": "fake", "variant": "plain", "reference": true, "preload": {"malloc": "plain"}, "target": "t", "executable": "variants/fake/plain"}]')
script = build / "variants/fake/plain"
script.write_text('''#!%s -IS
import json, os, random, sys
level, version, protocol = %s, %s, %s
name = os.environ.get("LAB_PRELOADED_AS", "plain")
if sys.argv[1] == "--describe":
    print(json.dumps({"protocol": protocol, "family": "fake", "variant": name, "idea": "", "cost": "", "source": "", "weakness": "",
      "traits": {}, "workloads": [{"name": "store", "title": "", "version": version, "phases": ["put"], "operations": 10,
      "operation": "put", "parallel": False, "unsupported": None}]}))
elif sys.argv[1] == "--conformance":
    failure = "1 was put, 2 was there" if level < 100 else None
    print(json.dumps({"protocol": protocol, "variant": "fake/plain", "checks": [{"name": "keeps", "failure": failure}]}))
    sys.exit(failure is not None)
else:
    count = os.environ["LAB_TEST_COUNT"]
    n = len(open(count).read()) if os.path.exists(count) else 0
    open(count, "a").write("x")
    time = level * random.Random(n).lognormvariate(0, 0.01)
    print(json.dumps({"protocol": protocol, "benchmark": "fake/" + name + "/store", "version": version, "seed": 1, "threads": 1,
      "checksum": "0123456789abcdef", "operations": 10, "repetitions": 3, "samples": {"put": [time] * 3}, "counters": {},
      "real_time": time, "cpu_time": time, "time_unit": "ns"}))
''' % (sys.executable, level, version, protocol))
script.chmod(0o755)
)");
  // The seventh does not conform.
  commit(
      {"100:1:1", "100:1:1", "100:1:1", "broken:1:1", "100:1:0", "100:2:1", "50:1:1", "104:1:1", "104:1:1", "104:1:1"});
  scratch_.write("build/build_info.json",
                 R"({"toolchain": "system", "config": "release", "march": "x86-64-v2", "compiler": "", "flags": ""})");
  ::setenv("LAB_BUILD", (scratch_.path() / "build").c_str(), 1);
  const ChildOutcome outcome = bisect({"--good", "c0", "--bad", "main", "--benchmark", "fake/plain/store", "--json"});
  const ChildOutcome unknown = bisect({"--good", "c0", "--bad", "main", "--benchmark", "fake/plain/stroe"});
  const std::string library = LAB_BUILD_DIR "/tests/fake_malloc_good.so";
  const std::string hash = content_name(*read_file(library));
  const Words with_library{
      "--good",   "c0",          "--bad",
      "main",     "--benchmark", fmt::format("fake/fake_malloc_good.so@{}/store", hash.substr(0, 8)),
      "--malloc", library,       "--json"};
  const ChildOutcome preloaded = bisect(with_library);
  const ChildOutcome without = bisect(Words(with_library.begin(), with_library.begin() + 6));
  ::unsetenv("LAB_BUILD");
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  const json::object answer = object(outcome);
  Words candidates;
  for (const json::value& each : answer.at("candidates").as_array())
    candidates.emplace_back(each.at("commit").as_string());
  EXPECT_EQ(candidates, (Words{sha("c3"), sha("c4"), sha("c5"), sha("c6"), sha("c7")})) << outcome.error_tail;
  EXPECT_EQ(answer.at("skipped").as_array().size(), 4u) << outcome.error_tail;
  EXPECT_NE(json::serialize(answer.at("skipped")).find("it does not conform: keeps: 1 was put, 2 was there"),
            std::string::npos);
  EXPECT_EQ(preloaded.code, 0) << preloaded.error_tail;
  EXPECT_EQ(object(preloaded).at("candidates").as_array().size(), 5u) << preloaded.error_tail;
  EXPECT_EQ(object(preloaded).at("skipped").as_array().size(), 4u) << preloaded.error_tail;
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.error_tail.find("hint: --malloc FILE: the library of that name\n"), std::string::npos)
      << without.error_tail;
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.error_tail.find("fake/plain/store"), std::string::npos) << unknown.error_tail;
}

}  // namespace lab::cli
