#include "harness/app/collect.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/app/delivery_fixture.h"
#include "harness/app/history.h"
#include "harness/measure/plan.h"
#include "harness/results/inbox.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Strings = std::vector<std::string>;

class CollectTest : public testing::Test {
 protected:
  void deliver(int number, double time = 100) const {
    folder_.write(fmt::format("inbox/farm/{:06}.exhibits/one", number), "x");
    folder_.write(fmt::format("inbox/farm/{:06}.json", number), session_text(number, time));
  }
  std::vector<CollectedMachine> collect() const { return *app::collect({folder_.path()}); }
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  ScratchFolder folder_;
};

}  // namespace

TEST_F(CollectTest, moves_what_is_right_to_its_machine) {
  EXPECT_THAT(collect(), IsEmpty());
  EXPECT_THAT(files_below(folder_.path()), IsEmpty()) << "without an inbox, nothing is made";
  deliver(1);
  deliver(2);
  folder_.write("inbox/farm/.part-x/000003.json", "{");
  folder_.write("inbox/farm/.000003.json.Xy12", "{");
  folder_.write("inbox/farm/000003.json.77.part", "{");
  folder_.write("inbox/farm/000003.exhibits/one", "its result comes after it");
  const std::vector<CollectedMachine> done = collect();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].machine, "farm");
  EXPECT_THAT(done[0].collected, ElementsAre("farm/000001.json", "farm/000002.json"));
  EXPECT_THAT(files_below(folder_.path()),
              ElementsAre("farm/000001.exhibits/one", "farm/000001.json", "farm/000002.exhibits/one",
                          "farm/000002.json", "inbox/farm/.000003.json.Xy12", "inbox/farm/.part-x/000003.json",
                          "inbox/farm/000003.exhibits/one", "inbox/farm/000003.json.77.part"));
  EXPECT_THAT(collect(), IsEmpty());
  // Packed exhibits come before their result as a folder of them does.
  folder_.write("inbox/farm/000004.exhibits.tar.zst", "x");
  EXPECT_THAT(collect(), IsEmpty());
  folder_.write("inbox/farm/000004.json", session_text(4));
  EXPECT_THAT(collect()[0].collected, ElementsAre("farm/000004.json"));
  EXPECT_TRUE(fs::exists(path("farm/000004.exhibits.tar.zst")));
}

TEST_F(CollectTest, takes_what_is_there_already_only_once) {
  deliver(1);
  collect();
  deliver(1);
  folder_.write("inbox/farm/other-name.json", session_text(1));
  const std::vector<CollectedMachine> done = collect();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_THAT(done[0].collected, IsEmpty());
  EXPECT_THAT(done[0].there, ElementsAre("farm/000001.json", "farm/000001.json"));
  EXPECT_THAT(files_below(folder_.path()), ElementsAre("farm/000001.exhibits/one", "farm/000001.json"));
}

TEST_F(CollectTest, keeps_both_contents_of_one_session_and_names_both) {
  deliver(1);
  deliver(2);
  collect();
  deliver(1, 200);
  const std::string second = results::second_name("000001.json", session_text(1, 200));
  const std::vector<CollectedMachine> done = collect();
  ASSERT_THAT(done, SizeIs(1));
  ASSERT_THAT(done[0].contradicting, SizeIs(1));
  EXPECT_EQ(done[0].contradicting[0].file, "farm/" + second);
  EXPECT_EQ(done[0].contradicting[0].why,
            "session 000001 is also in 'farm/000001.json', with other contents: neither is in a series");
  Strings remarks;
  Expected<results::Store> store =
      open_store(folder_.path(), {.on_remark = [&](const std::string& one) { remarks.push_back(one); }});
  ASSERT_TRUE(store);
  EXPECT_THAT(remarks, ElementsAre(fmt::format("ignored: session 000001 has several contents, 'farm/{}' and "
                                               "'farm/000001.json': none is in a series",
                                               second)));
  EXPECT_THAT(*store->points(store->series()->front()), SizeIs(1));
  deliver(1, 200);
  EXPECT_THAT(collect()[0].there, ElementsAre("farm/" + second));
}

TEST_F(CollectTest, puts_into_quarantine_what_is_no_result_of_its_machine_and_says_why) {
  const std::string good = session_text(1);
  std::string newer = good;
  newer.replace(newer.find("\"schema\": 2"), 11, "\"schema\": 3");
  folder_.write("inbox/farm/cut.json", good.substr(0, 1000));
  folder_.write("inbox/farm/cut.exhibits/one", "x");
  folder_.write("inbox/farm/empty.json", "");
  folder_.write("inbox/farm/newer.json", newer);
  folder_.write("inbox/farm/note.txt", "x");
  folder_.write("inbox/farm/other.json", session_text(1, 100, "farm-2"));
  folder_.write("inbox/nightly/1.json", session_text(1, 100, "nightly"));
  folder_.write("inbox/farm/large.json", "");
  fs::resize_file(path("inbox/farm/large.json"), measure::kMostResultBytes + 1);
  fs::create_directory(path("inbox/farm/folder.json"));
  fs::create_symlink("nowhere", path("inbox/farm/link.json"));
  ASSERT_EQ(::mkfifo(path("inbox/farm/pipe.json").c_str(), 0600), 0);
  deliver(2);
  const std::vector<CollectedMachine> done = collect();
  ASSERT_THAT(done, SizeIs(2));
  EXPECT_THAT(done[0].collected, ElementsAre("farm/000002.json"));
  Strings told;
  for (const CollectedMachine& machine : done)
    for (const Explained& one : machine.quarantined) {
      told.push_back(fmt::format("{}: {}", one.file, one.why));
      EXPECT_EQ(*read_file(path(one.file + ".why")), one.why + "\n");
    }
  EXPECT_THAT(
      told,
      ElementsAre(
          HasSubstr("quarantine/farm/cut.json: truncated"), HasSubstr("farm/empty.json: empty"),
          HasSubstr("farm/folder.json: expected a file, found a folder"),
          HasSubstr("farm/large.json: expected at most 67108864 bytes, found 67108865"),
          HasSubstr("farm/link.json: expected a file, found a link"),
          HasSubstr("farm/newer.json: schema 3, this build reads 1 to 2"),
          HasSubstr("farm/note.txt: expected a result, whose name ends in .json or .json.zst"),
          HasSubstr("farm/other.json: expected a result of 'farm', as its folder is named, found one of 'farm-2'"),
          HasSubstr("farm/pipe.json: expected a file, found a pipe"),
          HasSubstr("nightly/1.json: expected a machine's name for its folder, found 'nightly'")));
  EXPECT_TRUE(fs::exists(path("quarantine/farm/cut.exhibits/one")));
  EXPECT_EQ(results::unread_in(folder_.path()).quarantined, 11u) << "with a folder of exhibits";
  // The same name again does not replace it.
  folder_.write("inbox/farm/empty.json", "");
  EXPECT_EQ(collect()[0].quarantined[0].file, "quarantine/farm/empty.json-2");
  // Neither folder is a machine, whatever lies there.
  folder_.write("inbox/x.json", good);
  folder_.write("quarantine/x.json", good);
  Expected<results::Store> store = open_store(folder_.path());
  EXPECT_EQ(*store->results(), 1u);
  EXPECT_EQ(*store->unreadable(), 0u);
}

TEST_F(CollectTest, leaves_what_another_program_still_writes) {
  deliver(1);
  const int writer = ::open(path("inbox/farm/000002.json").c_str(), O_WRONLY | O_CREAT, 0644);
  ASSERT_GE(writer, 0);
  const std::string text = session_text(2);
  ASSERT_EQ(::write(writer, text.data(), 500), 500);
  const std::vector<CollectedMachine> done = collect();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_THAT(done[0].quarantined, IsEmpty());
  ASSERT_GT(::write(writer, text.data() + 500, text.size() - 500), 0);
  ::close(writer);
  EXPECT_THAT(collect()[0].collected, ElementsAre("farm/000002.json"));
}

TEST_F(CollectTest, killed_at_any_moment_loses_and_doubles_nothing) {
  constexpr int kSessions = 120;
  for (int number = 0; number < kSessions; ++number) deliver(number);
  // Each round is killed once it has moved some more.
  for (int least = 1; least < kSessions; least += 17) {
    const pid_t child = ::fork();
    if (child == 0) {
      collect();
      ::_exit(0);
    }
    const auto collected = [&] {
      return std::ranges::count_if(files_below(path("farm")), [](const auto& one) { return one.ends_with(".json"); });
    };
    while (collected() < least && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(200);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  collect();
  Strings all;
  for (int number = 0; number < kSessions; ++number) {
    all.push_back(fmt::format("farm/{:06}.exhibits/one", number));
    all.push_back(fmt::format("farm/{:06}.json", number));
  }
  EXPECT_EQ(files_below(folder_.path()), all);
}

TEST_F(CollectTest, is_safe_when_several_collect_at_once) {
  constexpr int kSessions = 60;
  for (int number = 0; number < kSessions; ++number) deliver(number);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (const CollectedMachine& one : collect())
        if (!one.left.empty() || !one.quarantined.empty() || !one.there.empty()) ::_exit(1);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(files_below(path("farm")).size(), 2u * kSessions);
}

TEST_F(CollectTest, leaves_in_the_inbox_what_the_disk_has_no_space_for) {
  // The inbox is on another file system, so that files are copied; the limit on files stands for a full disk.
  const fs::path other = fmt::format("/dev/shm/lab-collect-{}", ::getpid());
  std::error_code problem;
  if (!fs::create_directories(other, problem)) GTEST_SKIP() << "needs /dev/shm";
  struct stat here {
  }, there{};
  ::stat(folder_.path().c_str(), &here);
  ::stat(other.c_str(), &there);
  if (here.st_dev == there.st_dev) {
    fs::remove_all(other);
    GTEST_SKIP() << "needs a second file system";
  }
  fs::create_directory_symlink(other, path("inbox"));
  deliver(1);
  deliver(2);
  folder_.write("inbox/farm/bad.json", "{");
  const Strings before = files_below(other);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit least{16, 16};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &least);
    const std::vector<CollectedMachine> done = collect();
    const bool is_right = done.size() == 1 && done[0].left.size() == 3 && done[0].collected.empty() &&
                          done[0].left[0].why.find("File too large") != std::string::npos;
    ::_exit(is_right ? 7 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(fs::exists(other / "farm/000001.json") && fs::exists(other / "farm/000002.json"));
  EXPECT_FALSE(fs::exists(path("farm/000001.json")));
  EXPECT_THAT(collect()[0].collected, ElementsAre("farm/000001.json", "farm/000002.json"));
  EXPECT_TRUE(fs::exists(path("farm/000001.exhibits/one")));
  EXPECT_THAT(files_below(other), IsEmpty());
  fs::remove_all(other);
}

}  // namespace lab::app
