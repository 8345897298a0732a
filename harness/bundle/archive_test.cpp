#include "harness/bundle/archive.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/bundle/verify.h"

namespace lab::bundle {
namespace {

namespace fs = std::filesystem;

/// A bundle of a few files: the launcher, a harness that says how it was started, data, a link.
class Archive : public testing::Test {
 protected:
  Archive() {
    const Expected<std::string> launcher = read_file(fs::path(LAB_BUILD_DIR) / "lab");
    EXPECT_TRUE(launcher.has_value());
    add("lab", launcher ? *launcher : "", true);
    add("build/pinned-release/harness",
        "#!/bin/sh\nprintf '%s\\n' \"$LAB_ROOT\" \"${LAB_LOADER-none}\" \"${LAB_WORK-none}\" \"$LAB_INVOKED\" "
        "\"$@\"\nexit 7\n",
        true);
    std::string noise;
    Random random(1);
    for (int i = 0; i < 300'000; ++i) noise += static_cast<char>(random.next());
    add("data/noise", noise);
    add("data/empty", "");
    add("data/twice", noise);
    manifest_.files.push_back({"data/link", 0, "", false, "noise", ""});
  }

  void add(const std::string& path, const std::string& content, bool is_executable = false) {
    contents_[path] = content;
    source_.write(path, content);
    manifest_.files.push_back({path, content.size(), content_hash(content), is_executable, "", ""});
  }
  void pack() {
    const auto written = write_archive(
        archive(), [&](const std::string& path) { return read_file(source_.path() / path); }, manifest_,
        [](std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(written.has_value()) << written.error().what;
  }
  fs::path archive() const { return scratch_.path() / "a bundle"; }
  fs::path folder() const { return scratch_.path() / "there/it is"; }

  static ChildOutcome start(std::vector<std::string> command, std::vector<std::string> environment = {}) {
    ChildSpec spec;
    spec.command = std::move(command);
    spec.environment = std::move(environment);
    spec.timeout_seconds = 60;
    return run_child(spec);
  }
  ChildOutcome unpack_it() const { return start({archive(), "unpack", folder()}); }
  std::string bytes() const {
    const Expected<std::string> read = read_file(archive());
    return read ? *read : "";
  }
  /// Another content of the archive, still executable.
  void replace(const std::string& content) const {
    std::ofstream file(archive(), std::ios::binary | std::ios::trunc);
    file << content;
  }
  /// Nothing of a bundle that was not unpacked is there.
  void expect_nothing() const {
    EXPECT_FALSE(fs::exists(folder()));
    if (!fs::exists(folder().parent_path())) return;
    for (const auto& entry : fs::directory_iterator(folder().parent_path()))
      EXPECT_EQ(entry.path().filename(), ".it is.lock");
  }

  ScratchFolder source_, scratch_;
  Manifest manifest_{kSchema, "abc", "clean", {}, "x86-64-v2", "2.3", "lib/none", {}};
  std::map<std::string, std::string> contents_;
};

TEST_F(Archive, UnpacksToWhatWasPacked) {
  pack();
  const ChildOutcome outcome = unpack_it();
  ASSERT_EQ(outcome.code, 0) << outcome.error_tail;
  for (const auto& [path, content] : contents_) EXPECT_EQ(*read_file(folder() / path), content) << path;
  EXPECT_EQ(fs::read_symlink(folder() / "data/link"), "noise");
  const Expected<Manifest> read = read_manifest(folder());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_text(*read), to_text(manifest_));
  EXPECT_TRUE(verify(folder(), *read).has_value());
  // Again, there is nothing to do.
  const auto before = fs::last_write_time(folder() / "bundle.json");
  EXPECT_EQ(unpack_it().code, 0);
  EXPECT_EQ(fs::last_write_time(folder() / "bundle.json"), before);
}

TEST_F(Archive, HasEqualBytesForEqualFiles) {
  pack();
  const std::string first = bytes();
  pack();
  EXPECT_EQ(bytes(), first);
}

TEST_F(Archive, IsRefusedWithAnyByteChanged) {
  pack();
  const std::string whole = bytes();
  Random random(2);
  const Expected<std::optional<Parts>> parts = find_parts(archive());
  ASSERT_TRUE(parts.has_value() && parts->has_value());
  // In the manifest, the contents and the last line. What the program's own bytes do when changed is not defined.
  for (int i = 0; i < 20; ++i) {
    std::string changed = whole;
    const std::uint64_t at = (*parts)->manifest + random.below(whole.size() - (*parts)->manifest);
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    replace(changed);
    const ChildOutcome outcome = unpack_it();
    EXPECT_NE(outcome.code, 0) << at;
    EXPECT_NE(outcome.error_tail.find("lab: "), std::string::npos) << at;
    expect_nothing();
  }
  for (const std::size_t size : {whole.size() - 1, whole.size() - 1000, whole.size() / 2 + (*parts)->contents / 2}) {
    replace(whole.substr(0, size));
    const ChildOutcome outcome = unpack_it();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.error_tail.find("the file may be cut off"), std::string::npos) << outcome.error_tail;
    expect_nothing();
  }
  replace(whole);
  EXPECT_EQ(start({archive(), "verify"}).code, 0);
}

TEST_F(Archive, LeavesNothingOnAFullDisk) {
  pack();
  // A limit of file sizes is an error of write, as a full disk is.
  const ChildOutcome outcome =
      start({"sh", "-c", "ulimit -f 100; trap '' XFSZ; exec \"$0\" unpack \"$1\"", archive(), folder()});
  EXPECT_EQ(outcome.code, 1) << outcome.error_tail;
  EXPECT_NE(outcome.error_tail.find("lab: writing '"), std::string::npos) << outcome.error_tail;
  expect_nothing();
  EXPECT_EQ(unpack_it().code, 0);
}

TEST_F(Archive, AppearsWholeOrNotAtAllAfterAKill) {
  Random random(3);
  for (int i = 0; i < 40; ++i) add("many/" + std::to_string(i), std::string(50'000, static_cast<char>('a' + i % 26)));
  pack();
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl(archive().c_str(), "lab", "unpack", folder().c_str(), nullptr);
      ::_exit(127);
    }
    ::usleep(static_cast<useconds_t>(random.below(60'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    if (fs::exists(folder())) {
      EXPECT_TRUE(verify(folder(), manifest_).has_value());
      fs::remove_all(folder());
    }
  }
  EXPECT_GT(killed, 0);
  EXPECT_EQ(unpack_it().code, 0);
  EXPECT_TRUE(verify(folder(), manifest_).has_value());
  EXPECT_FALSE(fs::exists(folder().parent_path() / ".it is.part"));
}

TEST_F(Archive, IsUnpackedOnceByTwoAtOnce) {
  pack();
  std::array<int, 4> codes{};
  std::vector<std::thread> threads;
  for (int& code : codes) threads.emplace_back([&] { code = unpack_it().code; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(codes, (std::array<int, 4>{}));
  EXPECT_TRUE(verify(folder(), manifest_).has_value());
}

TEST_F(Archive, IsNotUnpackedOverSomethingElse) {
  pack();
  fs::create_directories(folder());
  EXPECT_EQ(unpack_it().code, 0) << "an empty folder is as good as none";
  fs::remove_all(folder());
  fs::create_directories(folder());
  std::ofstream(folder() / "mine") << "mine";
  const ChildOutcome outcome = unpack_it();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error_tail.find("expected a new folder or this bundle in '"), std::string::npos)
      << outcome.error_tail;
  EXPECT_EQ(*read_file(folder() / "mine"), "mine");
}

TEST_F(Archive, LauncherStartsTheHarnessOfAWholeBundleOnly) {
  pack();
  ASSERT_EQ(unpack_it().code, 0);
  const std::string lab = folder() / "lab";
  const ChildOutcome started = start({lab, "run", "--budget", "2"}, {"LAB_LOADER=stale", "LAB_WORK"});
  EXPECT_EQ(started.code, 7);
  EXPECT_EQ(started.output, folder().string() + "\nnone\nnone\n'" + lab + "'\nrun\n--budget\n2\n");
  EXPECT_EQ(start({lab, "verify"}).output, "6 files of commit abc: as bundle.json says\n");

  const auto refused = [&](const std::string& what) {
    const ChildOutcome outcome = start({lab, "run"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.error_tail.find(what), std::string::npos) << outcome.error_tail;
  };
  std::string changed = contents_["data/noise"];
  changed[123] = static_cast<char>(changed[123] ^ 1);
  std::ofstream(folder() / "data/noise", std::ios::binary) << changed;
  refused("is damaged: 'data/noise': expected content with the hash ");
  fs::remove(folder() / "data/noise");
  refused("is damaged: expected 'data/noise', found none");
  std::ofstream(folder() / "data/noise", std::ios::binary) << contents_["data/noise"];
  fs::remove(folder() / "data/empty");
  fs::create_directory(folder() / "data/empty");
  fs::permissions(folder() / "build/pinned-release/harness", fs::perms::owner_exec, fs::perm_options::remove);
  refused("is damaged: expected 'build/pinned-release/harness' to be executable, and 1 more are wrong");
}

TEST_F(Archive, LauncherNamesTheLoaderWhereTheMachinesLibraryIsOlder) {
  manifest_.libc = "99.1";
  pack();
  ASSERT_EQ(unpack_it().code, 0);
  const ChildOutcome without = start({folder() / "lab", "run"});
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.error_tail.find("expected a GNU C library of 99.1 or newer, found "), std::string::npos)
      << without.error_tail;
  fs::remove_all(folder());
  manifest_.loader = "lib/loader";
  add("lib/loader", "#!/bin/sh\necho loader \"$@\"\n", true);
  pack();
  ASSERT_EQ(unpack_it().code, 0);
  const ChildOutcome with = start({folder() / "lab", "run"});
  EXPECT_EQ(with.output, "loader --inhibit-cache --library-path " + (folder() / "lib").string() + " " +
                             (folder() / "build/pinned-release/harness").string() + " run\n");
  EXPECT_NE(with.error_tail.find("is older than 99.1: the bundle's own is used"), std::string::npos) << with.error_tail;
}

TEST_F(Archive, LauncherSaysWhatItExpects) {
  pack();
  EXPECT_EQ(start({archive()}).code, 2);
  EXPECT_EQ(start({archive(), "run"}).error_tail,
            "lab: expected 'unpack DIR' or 'verify', found 'run'\nhint: a bundle unpack DIR\n");
  const ChildOutcome alone = start({fs::path(LAB_BUILD_DIR) / "lab", "run"});
  EXPECT_EQ(alone.code, 1);
  EXPECT_NE(alone.error_tail.find("or bundle.json beside it, found neither"), std::string::npos) << alone.error_tail;
  EXPECT_NE(start({archive(), "--help"}).output.find("unpack DIR"), std::string::npos);
}

}  // namespace
}  // namespace lab::bundle
