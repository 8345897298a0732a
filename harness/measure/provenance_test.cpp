#include "harness/measure/provenance.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/needs_test.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

bool shell(const fs::path& folder, const std::string& script) {
  ChildSpec spec;
  spec.command = {"sh", "-ec", script, "sh", folder.string()};
  spec.environment = {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
                      "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"};
  const ChildOutcome outcome = run_child(spec);
  return outcome.end == ChildEnd::kExited && outcome.code == 0;
}

/// A PATH on which there is no git, for as long as it lives.
class WithoutGit {
 public:
  WithoutGit() : path_(std::getenv("PATH")) { ::setenv("PATH", "/nowhere", 1); }
  ~WithoutGit() { ::setenv("PATH", path_.c_str(), 1); }
  WithoutGit(const WithoutGit&) = delete;
  WithoutGit& operator=(const WithoutGit&) = delete;

 private:
  std::string path_;
};

class SourceCheckout : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_PROGRAM("git");
    folder_.write("file", "1");
    ASSERT_TRUE(shell(folder_.path(), "cd \"$1\"; git init -q; git add file; git commit -qm one"));
  }
  ScratchFolder folder_;
};

}  // namespace

TEST_F(SourceCheckout, that_is_clean_has_a_commit) {
  const results::Source source = read_source(folder_.path());
  ASSERT_TRUE(source.commit);
  EXPECT_EQ(source.commit->size(), 40u);
  EXPECT_EQ(source.dirty, false);
  EXPECT_EQ(source.state, "clean");
}

TEST_F(SourceCheckout, that_has_changes_or_new_files_is_dirty) {
  folder_.write("new", "2");
  EXPECT_EQ(read_source(folder_.path()).state, "dirty");
  fs::remove(folder_.path() / "new");
  EXPECT_EQ(read_source(folder_.path()).state, "clean");
  folder_.write("file", "2");
  const results::Source source = read_source(folder_.path());
  EXPECT_EQ(source.dirty, true);
  EXPECT_TRUE(source.commit);
}

TEST_F(SourceCheckout, above_the_folder_does_not_count) {
  fs::create_directories(folder_.path() / "inner");
  EXPECT_EQ(read_source(folder_.path() / "inner").state, "no git");
}

TEST_F(SourceCheckout, of_the_environment_does_not_matter) {
  const ScratchFolder other;
  ::setenv("GIT_DIR", (folder_.path() / ".git").c_str(), 1);
  EXPECT_EQ(read_source(other.path()).state, "no git");
  ::unsetenv("GIT_DIR");
}

TEST_F(SourceCheckout, without_a_commit_is_no_git) {
  const ScratchFolder empty;
  ASSERT_TRUE(shell(empty.path(), "cd \"$1\"; git init -q"));
  EXPECT_EQ(read_source(empty.path()).state, "no git");
}

TEST_F(SourceCheckout, of_another_user_has_its_commit_too) {
  // What git does in a tree that belongs to somebody else.
  ::setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  EXPECT_EQ(read_source(folder_.path()).state, "clean");
  folder_.write("new", "");
  EXPECT_EQ(read_source(folder_.path()).state, "dirty");
  ::unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
}

TEST(Source, without_git_has_its_own_state) {
  const ScratchFolder folder;
  const WithoutGit without;
  const results::Source source = read_source(folder.path());
  EXPECT_FALSE(source.commit);
  EXPECT_FALSE(source.dirty);
  EXPECT_EQ(source.state, "no git");
}

TEST(Pins, are_the_version_hashes_of_the_store) {
  const ScratchFolder folder;
  const std::string hash(64, 'a');
  folder.write("packages.json",
               R"({"schema": 1, "packages": {"fmt": {"lib": "fmt-9.1.0"}, "boost": {"lib": "boost-1.81.0"},
                   "gcc": {"lib": "gcc-12.2.0"}, "plain": {}, "gone": {"lib": "gone-1"}}})");
  fs::create_directories(folder.path() / "lib/boost-1.81.0");
  fs::create_directories(folder.path() / "store" / hash / "x");
  fs::create_symlink(folder.path() / "store" / hash, folder.path() / "lib/fmt-9.1.0");
  fs::create_symlink(folder.path() / "store" / (std::string(32, 'b') + "-gcc") / "usr",
                     folder.path() / "lib/gcc-12.2.0");
  fs::create_symlink(folder.path() / "store/plain" / hash, folder.path() / "lib/plain");
  const std::map<std::string, std::string> expected{
      {"fmt", hash}, {"boost", "unpinned"}, {"gcc", std::string(32, 'b')}, {"plain", hash}};
  EXPECT_EQ(read_pins(folder.path()), expected);
}

TEST(Pins, are_none_where_there_is_no_list) {
  const ScratchFolder folder;
  EXPECT_TRUE(read_pins(folder.path()).empty());
  folder.write("packages.json", "not JSON");
  EXPECT_TRUE(read_pins(folder.path()).empty());
  folder.write("packages.json", R"({"packages": [1]})");
  EXPECT_TRUE(read_pins(folder.path()).empty());
}

TEST(Build, is_read_or_the_error_says_how_to_make_it) {
  const FakeBuild build({});
  EXPECT_EQ(read_build(build.path())->compiler, "GNU 12.2.0");
  EXPECT_EQ(read_build(build.path())->fetched, "");
  build.write("fetched.json", R"({"schema": 1, "summary": "2 of 3 objects fetched from /place", "objects": {}})");
  EXPECT_EQ(read_build(build.path())->fetched, "2 of 3 objects fetched from /place");
  const ScratchFolder empty;
  EXPECT_EQ(read_build(empty.path()).error().hint, "python3 make.py build");
  empty.write("build_info.json", R"({"toolchain": "system"})");
  EXPECT_EQ(read_build(empty.path()).error().what,
            fmt::format("{}: config: missing", (empty.path() / "build_info.json").string()));
}

}  // namespace lab::measure
