#include "harness/app/deliver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/app/delivery_fixture.h"
#include "harness/app/keep.h"
#include "harness/results/inbox.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Strings = std::vector<std::string>;

/// What the inbox holds of session `number`.
Strings inbox_of(int number, const std::string& mark = "") {
  const std::string stem = fmt::format("inbox/farm/{:06}{}", number, mark);
  Strings files{stem + ".exhibits/inner/two", stem + ".exhibits/one.json", stem + ".json"};
  if (number % 2 == 0) files.push_back(stem + ".exhibits.tar.zst");
  std::ranges::sort(files);
  return files;
}

/// Runs `work` in a process of its own and returns how it ended.
int in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

constexpr const char* kPrograms[]{"cksum", "tar", "sync", "mv", "ln", "rm", "mkdir"};

/// Programs that stand before those of both sides of a delivery: one call of one of them kills both sides.
class KillingPrograms {
 public:
  KillingPrograms() : path_(std::getenv("PATH")) {
    for (const char* program : kPrograms) {
      folder_.write(program, R"sh(#!/bin/sh
PATH=$LAB_PATH; name=${0##*/}
if [ "$name" = "$LAB_KILL" ]; then
  echo >> "$LAB_COUNT"
  if [ "$(wc -l < "$LAB_COUNT")" = "$LAB_AT" ]; then
    [ "$LAB_AFTER" = 0 ] || "$name" "$@"
    kill -9 0
  fi
fi
exec "$name" "$@"
)sh");
      fs::permissions(folder_.path() / program, fs::perms::owner_all);
    }
    ::setenv("LAB_PATH", path_.c_str(), 1);
    ::setenv("LAB_COUNT", (folder_.path() / "count").c_str(), 1);
  }
  ~KillingPrograms() {
    end();
    for (const char* name : {"LAB_PATH", "LAB_COUNT", "LAB_KILL", "LAB_AT", "LAB_AFTER"}) ::unsetenv(name);
  }
  /// The call number `at` of `program` kills, before or after it has done its work.
  void begin(const char* program, int at, bool is_after) const {
    fs::remove(folder_.path() / "count");
    ::setenv("LAB_KILL", program, 1);
    ::setenv("LAB_AT", std::to_string(at).c_str(), 1);
    ::setenv("LAB_AFTER", is_after ? "1" : "0", 1);
    ::setenv("PATH", fmt::format("{}:{}", folder_.path().string(), path_).c_str(), 1);
  }
  void end() const { ::setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
  ScratchFolder folder_;
};

class DeliverTest : public testing::Test {
 protected:
  std::string there() const { return collector_.path().string(); }
  Strings files() const { return files_below(collector_.path()); }

  Node node_;
  ScratchFolder collector_;
};

}  // namespace

TEST_F(DeliverTest, brings_each_result_once_with_its_exhibits) {
  node_.add(1);
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json new"));
  EXPECT_EQ(files(), inbox_of(1));
  EXPECT_EQ(*read_file(collector_.path() / "inbox/farm/000001.json"), node_.text(1));
  EXPECT_EQ(*read_file(collector_.path() / "inbox/farm/000001.exhibits/one.json"), "exhibit of 1");
  node_.add(2);
  EXPECT_THAT(node_.delivered(there() + "/"), ElementsAre("000002.json new")) << "the same place in other words";
  EXPECT_THAT(node_.delivered(there()), IsEmpty());
  EXPECT_THAT(node_.remarks, IsEmpty());
  // Each place has a list of its own.
  const ScratchFolder other;
  EXPECT_THAT(node_.delivered(other.path()), ElementsAre("000001.json new", "000002.json new"));
}

TEST_F(DeliverTest, without_its_list_delivers_again_what_harms_nothing) {
  node_.add(1);
  node_.add(2);
  node_.delivered(there());
  const Strings before = files();
  fs::remove(node_.results() / "farm/state/delivered.json");
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json there", "000002.json there"));
  EXPECT_EQ(files(), before);
  ASSERT_TRUE(collect({collector_.path()}));
  fs::remove(node_.results() / "farm/state/delivered.json");
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json there", "000002.json there")) << "collected already";
  EXPECT_FALSE(fs::exists(collector_.path() / "inbox/farm/000001.json"));
  EXPECT_TRUE(write_file(node_.results() / "farm/state/delivered.json", "{"));
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json there", "000002.json there"));
  EXPECT_THAT(node_.remarks, ElementsAre(StartsWith("delivering all again: ")));
}

TEST_F(DeliverTest, does_not_bring_again_what_was_packed_since) {
  node_.add(1);
  node_.delivered(there());
  const Expected<Packing> packed = pack({.results = node_.results(), .newest = 0});
  ASSERT_TRUE(packed.has_value() && packed->results == 1);
  EXPECT_TRUE(fs::exists(node_.results() / "farm/000001.json.zst"));
  EXPECT_THAT(node_.delivered(there()), IsEmpty());
  EXPECT_EQ(files(), inbox_of(1));
}

TEST_F(DeliverTest, keeps_other_bytes_of_the_same_name_beside_the_first) {
  node_.add(1);
  node_.delivered(there());
  node_.add(1, 200);
  const std::string second = results::second_name("000001.json", node_.text(1));
  EXPECT_THAT(node_.delivered(there()), ElementsAre(second + " second"));
  Strings both = inbox_of(1);
  const std::string mark(results::result_base(second).substr(6));
  for (const std::string& file : inbox_of(1, mark)) both.push_back(file);
  std::ranges::sort(both);
  EXPECT_EQ(files(), both);
  EXPECT_EQ(*read_file(collector_.path() / "inbox/farm" / second), node_.text(1));
  fs::remove(node_.results() / "farm/state/delivered.json");
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json there"));
  EXPECT_EQ(files(), both);
}

TEST_F(DeliverTest, fails_without_the_folder_and_tries_again) {
  node_.add(1);
  const fs::path gone = collector_.path() / "gone";
  EXPECT_THAT(node_.delivered(gone),
              ElementsAre("000001.json failed: expected the results folder of the collector, found none"));
  EXPECT_FALSE(fs::exists(gone));
  fs::create_directory(gone);
  EXPECT_THAT(node_.delivered(gone), ElementsAre("000001.json new"));
  // A file system that is not mounted is an empty folder.
  fs::remove_all(gone / "inbox");
  node_.add(2);
  EXPECT_THAT(node_.delivered(gone), ElementsAre(HasSubstr("the folder may not be mounted")));
  EXPECT_THAT(files_below(gone), IsEmpty());
  const Expected<std::vector<Delivery>> failed = node_.deliver(gone);
  EXPECT_EQ(
      failure_of(*failed, "DIR").error().what,
      "1 of 1 result not delivered to 'DIR': expected the inbox of earlier deliveries, found none: the folder may "
      "not be mounted");
}

TEST_F(DeliverTest, killed_at_any_moment_leaves_no_half_result_and_is_done_by_the_next) {
  node_.add(1);
  node_.add(2);
  Strings all = inbox_of(1);
  std::ranges::copy(inbox_of(2), std::back_inserter(all));
  const KillingPrograms programs;
  int failures = 0;
  for (const char* program : kPrograms)
    for (int at = 1; at <= (std::getenv("LAB_LONG_TESTS") == nullptr ? 2 : 6); ++at)
      for (const bool is_after : {false, true}) {
        const std::string where = fmt::format("{} {} {}", is_after ? "after" : "before", program, at);
        const ScratchFolder target;
        fs::remove_all(node_.results() / "farm/state");
        programs.begin(program, at, is_after);
        const Strings ends = node_.delivered(target.path());
        programs.end();
        failures += std::ranges::any_of(ends, [](const std::string& one) { return one.find("failed") != one.npos; });
        for (const int number : {1, 2}) {
          if (!fs::exists(target.path() / fmt::format("inbox/farm/{:06}.json", number))) continue;
          for (const std::string& file : inbox_of(number))
            EXPECT_EQ(*read_file(target.path() / file),
                      *read_file(node_.results() / fs::path(file).lexically_relative("inbox")))
                << where;
        }
        for (const std::string& end : node_.delivered(target.path()))
          EXPECT_THAT(end, AnyOf(EndsWith(" new"), EndsWith(" there"))) << where;
        // If all had arrived, the next delivery that has anything to send removes what was left.
        fs::remove_all(node_.results() / "farm/state");
        node_.delivered(target.path());
        EXPECT_EQ(files_below(target.path()), all) << where;
      }
  EXPECT_GT(failures, 12);
}

TEST_F(DeliverTest, delivers_what_fits_and_the_rest_when_there_is_space_again) {
  node_.add(1);
  node_.add(2, 100, 20'000);
  ASSERT_GT(node_.text(2).size(), 400'000u);
  // The limit stands for a full disk: a write beyond it fails, and so does the program that writes.
  const int status = in_child([&] {
    const rlimit least{200'000, 200'000};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &least);
    const Strings ends = node_.delivered(there());
    ::_exit(ends.size() == 2 && ends[0] == "000001.json new" && ends[1].starts_with("000002.json failed: ") &&
                    ends[1].find("the disk there is full") != std::string::npos
                ? 7
                : 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(files(), inbox_of(1));
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000002.json new"));
}

TEST_F(DeliverTest, serves_two_at_once_from_one_folder_and_from_two) {
  const Node other;
  for (int number = 0; number < 10; ++number) {
    node_.add(number);
    other.add(number);
  }
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Strings ends = (i % 2 == 0 ? node_ : other).delivered(there());
      ::_exit(std::ranges::any_of(ends, [](const std::string& one) { return one.find("failed") != one.npos; }));
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
  }
  // One may have lost a name to the other, and says so; the next call finds the same bytes there.
  EXPECT_THAT(node_.delivered(there()), Not(Contains(HasSubstr("failed"))));
  EXPECT_THAT(other.delivered(there()), Not(Contains(HasSubstr("failed"))));
  Strings all;
  for (int number = 0; number < 10; ++number)
    for (const std::string& file : inbox_of(number)) all.push_back(file);
  std::ranges::sort(all);
  EXPECT_EQ(files(), all);
}

TEST_F(DeliverTest, leaves_out_what_is_no_result_and_refuses_it_when_it_is_named) {
  node_.add(1);
  ASSERT_TRUE(write_file(node_.results() / "farm/bad.json", "{"));
  ASSERT_TRUE(write_file(node_.results() / "farm/a b.json", node_.text(1)));
  EXPECT_THAT(node_.delivered(there()), ElementsAre("000001.json new"));
  EXPECT_THAT(node_.remarks, ElementsAre(HasSubstr("expected a name of letters"), HasSubstr("farm/bad.json")));
  const std::pair<Strings, const char*> table[] = {
      {{there(), "farm/bad.json"}, "bad.json"},
      {{there(), "farm/none.json"}, "No such file"},
      {{"http://x", "farm/000001.json"}, "expected a folder, ssh:HOST:DIR, or s3://BUCKET/PREFIX, found 'http://x'"},
      {{"ssh:host", "farm/000001.json"}, "found 'ssh:host'"},
      {{"ssh:-oX:dir", "farm/000001.json"}, "found 'ssh:-oX:dir'"},
      {{"s3://", "farm/000001.json"}, "found 's3://'"},
      {{"host:/dir", "farm/000001.json"}, "found 'host:/dir'"},
  };
  for (const auto& [words, what] : table) {
    const Expected<std::vector<Delivery>> ends =
        deliver({words[0], node_.results(), "farm", {node_.results() / words[1]}});
    ASSERT_FALSE(ends) << what;
    EXPECT_THAT(ends.error().what, HasSubstr(what));
    EXPECT_EQ(ends.error().status, ExitStatus::kUsage);
  }
}

TEST_F(DeliverTest, brings_a_file_of_another_folder_to_the_machine_that_it_names) {
  const ScratchFolder elsewhere;
  elsewhere.write("x.json", session_text(3, 100, "farm-9"));
  const auto ends = deliver({there(), node_.results(), "farm", {elsewhere.path() / "x.json"}});
  ASSERT_TRUE(ends);
  EXPECT_THAT(files(), ElementsAre("inbox/farm-9/x.json"));
}

}  // namespace lab::app
