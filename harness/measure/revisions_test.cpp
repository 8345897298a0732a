#include "harness/measure/revisions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/algorithm/string.hpp>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/needs_test.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

ChildOutcome run(const ChildSpec& spec) {
  return run_child(spec);
}

ChildOutcome shell(const fs::path& folder, const std::string& script) {
  ChildSpec spec;
  spec.timeout_seconds = kPatience;
  spec.command = {"sh", "-ec", "cd \"$1\"\n" + script, "sh", folder.string()};
  spec.environment = {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
                      "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"};
  return run_child(spec);
}

/// A repository of four commits in a row, tags one..four, the third a merge of a branch `side`; its make.py builds
/// where the tree says "builds".
class Repository : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_PROGRAM("git");
    fs::create_directories(repo());
    scratch_.write("repo/make.py", R"(import fnmatch, json, os, sys
print("building", sys.argv[1:], os.environ.get("SPM_LIB", "no lib of others"))
state = open("state").read().strip()
if state == "lost":
    sys.exit("spm: error: could not fetch pool/a.deb: 404\nhint: check the network")
if state == "old" and "--variant" in sys.argv:
    print("make.py: error: unknown option '--variant'")
    sys.exit(2)
names = ["fake/plain", "fake/fast", "other/plain"]
os.makedirs("build/system-release", exist_ok=True)
open("build/system-release/variants.json", "w").write(json.dumps(
    [{"family": n.split("/")[0], "variant": n.split("/")[1], "reference": n.endswith("plain"), "executable": n} for n in names]))
wanted = [n for n in names if "--variant" not in sys.argv or fnmatch.fnmatch(n, sys.argv[sys.argv.index("--variant") + 1])]
if not wanted:
    print(f"make.py: error: no variant matches '{sys.argv[sys.argv.index('--variant') + 1]}'\nhint: one of {names}")
    sys.exit(2)
if state == "fails":
    sys.exit("error: expected ';'")
open("built", "a").write(" ".join(wanted) + "\n")
)");
    const ChildOutcome made = shell(repo(), R"(git init -q -b main .
commit() { echo "$2" > state; git add .; git commit -qm "$1"; git tag "$1"; }
commit one builds; commit two fails
git checkout -q -b side one; echo > other; git add .; git commit -qm aside
git checkout -q main; git merge -q --no-ff -m three side; git tag three
commit four lost; commit five builds)");
    ASSERT_EQ(made.code, 0) << made.error_tail;
  }

  fs::path repo() const { return scratch_.path() / "repo"; }
  fs::path cache() const { return scratch_.path() / "cache"; }
  /// What open says where git says `talk`.
  Error refused(const std::string& talk) const {
    const Expected<Revisions> opened = Revisions::open(repo(), cache(), [&](const ChildSpec&) {
      ChildOutcome outcome;
      outcome.end = ChildEnd::kExited;
      outcome.code = 128;
      outcome.error_tail = talk;
      return outcome;
    });
    return opened ? Error{} : opened.error();
  }
  Revisions open() const {
    Expected<Revisions> opened = Revisions::open(repo(), cache(), run);
    EXPECT_TRUE(opened) << opened.error().what;
    return std::move(*opened);
  }
  /// What make.py has built in a tree, a line a call.
  static std::string built_in(const fs::path& tree) {
    const Expected<std::string> built = read_file(tree / "built");
    return built ? *built : "nothing";
  }

  /// All that git keeps, by name and content.
  std::string kept_by_git() const {
    return shell(repo(), "cd .git; find . -type d | sort; find . -type f | sort | xargs sha1sum").output;
  }

  std::string sha(const std::string& name) const {
    return boost::trim_copy(shell(repo(), "git rev-parse " + name).output);
  }

  ScratchFolder scratch_;
  results::BuildOptions how_{"system", "release", "x86-64-v2"};
};

/// The variants of `names` that there are.
VariantChoice only(const std::vector<std::string>& names) {
  return [names](const std::vector<measure::ListedVariant>& listed) {
    std::vector<std::string> chosen;
    for (const measure::ListedVariant& variant : listed)
      if (std::find(names.begin(), names.end(), variant.name()) != names.end()) chosen.push_back(variant.name());
    return chosen;
  };
}

const VariantChoice everything = [](const std::vector<measure::ListedVariant>& listed) {
  return measure::variants_for(listed, {}, false);
};

}  // namespace

TEST_F(Repository, that_git_refuses_gives_its_error_and_its_advice) {
  const Error error =
      refused("warning: x\nfatal: detected dubious ownership\nTo add an exception, call:\n\n\tgit config y\n");
  EXPECT_TRUE(error.what.ends_with(": fatal: detected dubious ownership")) << error.what;
  EXPECT_EQ(error.hint, "git config y");
  EXPECT_EQ(refused("fatal: not a git repository\n").hint, "");
}

TEST_F(Repository, resolves_names_and_expressions_to_full_shas) {
  const Revisions revisions = open();
  EXPECT_EQ(*revisions.resolve("five"), sha("main"));
  EXPECT_EQ(*revisions.resolve("main~1"), sha("four"));
  EXPECT_EQ(*revisions.resolve(sha("one").substr(0, 9)), sha("one"));
}

TEST_F(Repository, suggests_the_nearest_name_for_an_unknown_one) {
  const Expected<std::string> unknown = open().resolve("mian");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, fmt::format("expected a commit of '{}', found 'mian'", repo().string()));
  EXPECT_EQ(unknown.error().hint, "did you mean 'main'?");
  EXPECT_EQ(unknown.error().status, ExitStatus::kUsage);
  for (const char* strange : {"", "--all", "a b", "zzzzzzzzzz"}) EXPECT_FALSE(open().resolve(strange)) << strange;
}

TEST_F(Repository, has_a_path_of_first_parents_between_two_commits) {
  const auto path = open().between(sha("one"), sha("five"));
  ASSERT_TRUE(path) << path.error().what;
  std::string subjects;
  for (const results::Commit& commit : *path) subjects += fmt::format("{}{} ", commit.subject, commit.merge ? "*" : "");
  EXPECT_EQ(subjects, "two three* four five ");
  EXPECT_EQ(path->back().sha, sha("five"));
}

TEST_F(Repository, has_a_path_through_a_side_branch_when_the_good_commit_is_there) {
  const auto path = open().between(sha("side"), sha("four"));
  ASSERT_TRUE(path) << path.error().what;
  ASSERT_EQ(path->size(), 2u);
  EXPECT_EQ(path->front().subject, "three");
}

TEST_F(Repository, rejects_ends_that_are_not_ancestor_and_descendant) {
  EXPECT_EQ(open().between(sha("five"), sha("one")).error().hint, "--good is newer than --bad: swap the two");
  EXPECT_NE(open().between(sha("two"), sha("side")).error().hint, "");
  EXPECT_EQ(open().between(sha("one"), sha("one")).error().status, ExitStatus::kUsage);
}

TEST_F(Repository, that_is_shallow_gets_advice_to_unshallow) {
  const fs::path clone = scratch_.path() / "clone";
  ASSERT_EQ(shell(repo(), fmt::format("git clone -q --depth 2 file://{} {}", repo().string(), clone.string())).code, 0);
  const Expected<Revisions> revisions = Revisions::open(clone, cache(), run);
  ASSERT_TRUE(revisions) << revisions.error().what;
  const Expected<std::string> old = revisions->resolve(sha("one"));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().hint, fmt::format("the clone is shallow: git -C {} fetch --unshallow", clone.string()));
}

TEST_F(Repository, is_needed) {
  const Expected<Revisions> none = Revisions::open(scratch_.path(), cache(), run);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status, ExitStatus::kUsage);
  EXPECT_FALSE(Revisions::open(scratch_.path() / "missing", cache(), run));
}

TEST_F(Repository, checks_out_a_commit_without_changes_to_its_own_work_tree) {
  scratch_.write("repo/state", "changed");
  scratch_.write("repo/new", "new");
  scratch_.write("repo/.git/hooks/post-checkout", "#!/bin/sh\ntouch \"$GIT_DIR/hooked\"\nexit 1\n");
  fs::permissions(repo() / ".git/hooks/post-checkout", fs::perms::owner_all);
  const std::string before = shell(repo(), "git status --porcelain --branch").output;
  Revisions revisions = open();
  const Expected<fs::path> tree = revisions.checkout(sha("four"));
  ASSERT_TRUE(tree) << tree.error().what;
  EXPECT_EQ(*read_file(*tree / "state"), "lost\n");
  EXPECT_EQ(*revisions.checkout(sha("four")), *tree);
  EXPECT_EQ(shell(repo(), "git status --porcelain --branch").output, before);
  EXPECT_EQ(*read_file(repo() / "state"), "changed");
}

TEST_F(Repository, makes_incomplete_and_removed_trees_again) {
  const std::string commit = sha("one");
  const fs::path tree = *open().checkout(commit);
  fs::remove(tree.parent_path() / (commit.substr(0, 12) + ".tree"));
  fs::remove(tree / "state");
  EXPECT_EQ(*open().checkout(commit), tree);
  EXPECT_TRUE(fs::exists(tree / "state"));
  fs::remove_all(tree);
  EXPECT_EQ(*open().checkout(commit), tree);
  EXPECT_TRUE(fs::exists(tree / "state"));
}

TEST_F(Repository, is_checked_out_as_committed_after_changes_to_its_tree) {
  const fs::path tree = *open().checkout(sha("one"));
  ASSERT_EQ(shell(tree, "echo changed > state; rm make.py; echo built > leftover").code, 0);
  ASSERT_EQ(*open().checkout(sha("one")), tree);
  EXPECT_EQ(*read_file(tree / "state"), "builds\n");
  EXPECT_TRUE(fs::exists(tree / "make.py"));
  EXPECT_TRUE(fs::exists(tree / "leftover"));
}

TEST_F(Repository, is_checked_out_by_several_processes_at_once) {
  const std::string commit = sha("one");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(Revisions::open(repo(), cache(), run)->checkout(commit) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(Repository, is_built_by_its_own_make_py_once) {
  ::setenv("SPM_LIB", "/elsewhere", 1);
  Revisions revisions = open();
  EXPECT_FALSE(revisions.is_built(sha("one"), how_, everything));
  const auto built = revisions.build(sha("one"), how_, everything);
  ::unsetenv("SPM_LIB");
  ASSERT_TRUE(built) << built.error().what;
  EXPECT_EQ(built->build_dir, built->tree / "build/system-release");
  EXPECT_TRUE(revisions.is_built(sha("one"), how_, everything));
  const std::string log = *read_file(revisions.log_of(sha("one")));
  EXPECT_NE(
      log.find(
          "building ['build', '--toolchain', 'system', '--config', 'release', '--march', 'x86-64-v2', '--variant', "
          "'*'] no lib of others\n"),
      std::string::npos)
      << log;
  ASSERT_TRUE(open().build(sha("one"), how_, everything));
  EXPECT_EQ(built_in(built->tree), "fake/plain fake/fast other/plain\n");
  EXPECT_EQ(*read_file(revisions.log_of(sha("one"))), log);
  EXPECT_FALSE(revisions.is_built(sha("one"), {"system", "release", "x86-64-v3"}, everything));
}

TEST_F(Repository, builds_further_variants_on_request) {
  Revisions revisions = open();
  std::vector<std::string> lines;
  const auto listener = [&](std::string_view line) { lines.emplace_back(line); };
  const auto fast = revisions.build(sha("one"), how_, only({"fake/fast"}), listener);
  ASSERT_TRUE(fast) << fast.error().what;
  EXPECT_EQ(built_in(fast->tree), "fake/fast\n");
  EXPECT_EQ(boost::join(lines, "\n").find("error"), std::string::npos) << "asking for the list is none";
  EXPECT_EQ(boost::join(lines, "\n").find("hint"), std::string::npos);
  EXPECT_EQ(boost::join(lines, "\n") + "\n", *read_file(revisions.log_of(sha("one"))));
  EXPECT_TRUE(revisions.is_built(sha("one"), how_, only({"fake/fast", "no/such"})));
  EXPECT_FALSE(revisions.is_built(sha("one"), how_, only({"fake/fast", "other/plain"})));
  ASSERT_TRUE(revisions.build(sha("one"), how_, only({"fake/fast", "other/plain"})));
  EXPECT_EQ(built_in(fast->tree), "fake/fast\nother/plain\n");
  ASSERT_TRUE(revisions.build(sha("one"), how_, everything));
  EXPECT_EQ(built_in(fast->tree), "fake/fast\nother/plain\nfake/plain\n");
}

TEST_F(Repository, is_built_completely_if_its_make_py_cannot_build_one_variant) {
  ASSERT_EQ(shell(repo(), "echo old > state; git commit -qam old").code, 0);
  Revisions revisions = open();
  const auto built = revisions.build(sha("main"), how_, only({"fake/fast"}));
  ASSERT_TRUE(built) << built.error().what;
  EXPECT_TRUE(revisions.is_built(sha("main"), how_, everything));
}

TEST_F(Repository, is_unchanged_after_its_trees_are_removed) {
  // Somebody's own tree that is away for the moment is none of ours.
  ASSERT_EQ(shell(repo(), "git worktree add -q ../away one && mv ../away ../moved").code, 0);
  const std::string before = kept_by_git();
  const std::string one = sha("one"), five = sha("five");
  static_cast<void>(open().checkout(one));  // a kill leaves the same
  EXPECT_NE(kept_by_git(), before);
  fs::path tree;
  {
    Revisions revisions = open();
    revisions.remove_trees_at_end();
    tree = *revisions.checkout(five);
    EXPECT_TRUE(fs::exists(tree / "make.py"));
  }
  EXPECT_EQ(kept_by_git(), before);
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(tree.parent_path()))
    left.push_back(entry.path().filename().string());
  EXPECT_EQ(left, std::vector<std::string>{"lock"});
}

TEST_F(Repository, keeps_a_tree_while_another_process_uses_it) {
  const std::string before = kept_by_git();
  std::optional<Revisions> first = open();
  first->remove_trees_at_end();
  const fs::path tree = *first->checkout(sha("one"));
  {
    Revisions second = open();
    second.remove_trees_at_end();
    static_cast<void>(second.checkout(sha("one")));
  }
  EXPECT_TRUE(fs::exists(tree / "make.py"));
  first.reset();
  EXPECT_FALSE(fs::exists(tree));
  EXPECT_EQ(kept_by_git(), before);
}

TEST_F(Repository, recognizes_its_own_work_trees) {
  ASSERT_EQ(shell(repo(), "git worktree add -q ../beside one; mkdir inside").code, 0);
  const Revisions revisions = open();
  EXPECT_TRUE(revisions.is_of(scratch_.path() / "beside"));
  EXPECT_TRUE(revisions.is_of(repo() / "inside"));
  EXPECT_FALSE(revisions.is_of(scratch_.path()));
}

TEST_F(Repository, distinguishes_reasons_why_a_commit_has_no_build) {
  using Kind = BuildError::Kind;
  Revisions revisions = open();
  const auto broken = revisions.build(sha("two"), how_, everything);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, Kind::kDoesNotBuild);
  EXPECT_EQ(broken.error().hint, revisions.log_of(sha("two")).string());
  const auto lost = revisions.build(sha("four"), how_, everything);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, Kind::kLostPins);
  EXPECT_NE(lost.error().hint.find("SPM_MIRROR"), std::string::npos);
  ASSERT_EQ(shell(repo(), "git rm -q make.py && git commit -qm bare").code, 0);
  const auto bare = revisions.build(sha("main"), how_, everything);
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().what, fmt::format("commit {} has no make.py", sha("main").substr(0, 12)));
}

TEST_F(Repository, that_is_interrupted_reports_it) {
  const auto stopped = [](const ChildSpec& spec) {
    ChildOutcome outcome = run_child(spec);
    if (spec.command[0] == "sh") outcome.end = ChildEnd::kStopped;
    return outcome;
  };
  Expected<Revisions> revisions = Revisions::open(repo(), cache(), stopped);
  ASSERT_TRUE(revisions);
  const auto built = revisions->build(sha("one"), how_, everything);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, BuildError::Kind::kStopped);
  EXPECT_EQ(built.error().status, ExitStatus::kInterrupted);
}

}  // namespace lab::measure
