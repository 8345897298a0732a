#include "harness/results/journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

/// These tests do not check numbers.
const ResultCheck kUnchecked = [](Result&) {};

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStem = "20260802T231500Z-1a2b3c4d5e6f";

class Journals : public testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  /// A session that appended `processes` and was then killed.
  fs::path killed_session(int processes, const std::string& torn = "") {
    Result head = fixture_result();
    Expected<Journal> journal = Journal::create(folder_, kStem, head);
    for (int block = 0; block < processes; ++block)
      EXPECT_TRUE(journal->append(journal_line(fixture_process("shelf/plain/store", block, 100))));
    if (!torn.empty()) {
      const Expected<std::string> text = read_file(journal->path());
      EXPECT_TRUE(write_file(journal->path(), *text + torn));
    }
    return journal->path();
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

}  // namespace

TEST_F(Journals, become_the_result) {
  Result head = fixture_result();
  Expected<Journal> journal = Journal::create(folder_ / "new", kStem, head);
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_EQ(journal->path(), folder_ / "new" / fmt::format("{}.journal", kStem));
  ASSERT_TRUE(journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100))));
  const Expected<fs::path> path = journal->finish(fixture_result(1));
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, folder_ / "new" / fmt::format("{}.json", kStem));
  EXPECT_FALSE(fs::exists(journal->path()));
  EXPECT_EQ(load_result(*path)->processes.size(), 2u);
}

TEST_F(Journals, contain_every_line_as_soon_as_it_is_appended) {
  Result head = fixture_result();
  Expected<Journal> journal = Journal::create(folder_, kStem, head);
  ASSERT_TRUE(journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100))));
  ASSERT_TRUE(journal->append(journal_line(ReferenceChecksum{"shelf/plain/store", 7, "00000000000000aa"})));
  ASSERT_TRUE(journal->append(journal_line(Failure{"shelf/quick/store", 0, 0, "crash", "signal 11", ""})));
  ASSERT_TRUE(journal->append(journal_line(Disturbance{0, 2.5, 0.5, 0.125})));
  const Expected<Result> read = parse_journal(*read_file(journal->path()), "j");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->session.disturbances.at(0).foreign, 0.5);
  EXPECT_EQ(read->processes.size(), 1u);
  EXPECT_EQ(read->answers.size(), 1u);
  EXPECT_EQ(read->failures.size(), 1u);
  EXPECT_EQ(read->machine.id, head.machine.id);
}

TEST_F(Journals, of_two_sessions_in_the_same_second_have_two_names) {
  Result one = fixture_result();
  Result two = fixture_result();
  Expected<Journal> first = Journal::create(folder_, kStem, one);
  Expected<Journal> second = Journal::create(folder_, kStem, two);
  EXPECT_EQ(two.session.id, fmt::format("{}-2", kStem));
  ASSERT_TRUE(first->finish(one));
  Result three = fixture_result();
  Expected<Journal> third = Journal::create(folder_, kStem, three);
  EXPECT_EQ(three.session.id, fmt::format("{}-3", kStem));
  ASSERT_TRUE(second->finish(two));
  ASSERT_TRUE(third->finish(three));
  EXPECT_EQ(names().size(), 3u);
}

TEST_F(Journals, of_concurrent_sessions_never_collide) {
  constexpr int kSessions = 16;
  std::vector<pid_t> children;
  for (int i = 0; i < kSessions; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      Result head = fixture_result();
      Expected<Journal> journal = Journal::create(folder_, kStem, head);
      bool good = journal && journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100)));
      static_cast<void>(recover_leftovers(folder_, kUnchecked));
      good = good && journal->finish(fixture_result(1));
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> found = names();
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kSessions));
  for (const std::string& name : found) EXPECT_TRUE(load_result(folder_ / name)) << name;
}

TEST_F(Journals, of_a_killed_session_become_an_interrupted_result) {
  const fs::path journal = killed_session(3, R"({"process": {"name": "shelf/pl)");
  const std::vector<Leftover> leftovers = recover_leftovers(folder_, kUnchecked);
  ASSERT_EQ(leftovers.size(), 1u);
  EXPECT_EQ(leftovers[0].journal, journal);
  EXPECT_EQ(leftovers[0].processes, 3u);
  const Expected<Result> result = load_result(leftovers[0].result);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->session.state, "interrupted");
  EXPECT_EQ(result->session.blocks, 2);
  EXPECT_EQ(result->processes.size(), 3u);
  EXPECT_EQ(names(), std::vector<std::string>{fmt::format("{}.json", kStem)});
  EXPECT_TRUE(recover_leftovers(folder_, kUnchecked).empty());
}

TEST_F(Journals, cut_off_anywhere_keep_every_complete_line) {
  const std::string text = *read_file(killed_session(3));
  const auto lines_until = [&](std::size_t end) {
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  };
  for (std::size_t length = 0; length <= text.size(); length += 11) {
    const Expected<Result> result = parse_journal(std::string_view(text).substr(0, length), "j");
    ASSERT_EQ(result.has_value(), lines_until(length) > 0) << length;
    const std::ptrdiff_t kept = result ? static_cast<std::ptrdiff_t>(result->processes.size()) : 0;
    EXPECT_EQ(kept, std::max<std::ptrdiff_t>(0, lines_until(length) - 1)) << length;
  }
}

TEST_F(Journals, are_checked_when_they_are_recovered) {
  Result head = fixture_result();
  {
    Expected<Journal> journal = Journal::create(folder_, kStem, head);
    ASSERT_TRUE(journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100, "000000000000000a"))));
    ASSERT_TRUE(journal->append(journal_line(fixture_process("shelf/quick/store", 0, 100, "000000000000000b"))));
  }
  const ResultCheck keeps_the_first = [](Result& result) { result.processes.resize(1); };
  const Leftover leftover = recover_leftovers(folder_, keeps_the_first).at(0);
  EXPECT_EQ(leftover.processes, 1u);
  EXPECT_EQ(load_result(leftover.result)->processes.size(), 1u);
}

TEST_F(Journals, of_running_sessions_are_not_touched) {
  Result head = fixture_result();
  Expected<Journal> journal = Journal::create(folder_, kStem, head);
  EXPECT_TRUE(recover_leftovers(folder_, kUnchecked).empty());
  EXPECT_TRUE(fs::exists(journal->path()));
}

TEST_F(Journals, that_cannot_be_read_stay_and_are_reported) {
  ASSERT_TRUE(write_file(folder_ / "a.journal", "not a journal\n"));
  ASSERT_TRUE(write_file(folder_ / "b.journal", ""));
  ASSERT_TRUE(write_file(folder_ / "c.json", "not ours"));
  const std::vector<Leftover> leftovers = recover_leftovers(folder_, kUnchecked);
  ASSERT_EQ(leftovers.size(), 2u);
  EXPECT_EQ(leftovers[0].problem,
            fmt::format("{}: not JSON: byte 0: syntax error before 'not a journa'", (folder_ / "a.journal").string()));
  EXPECT_EQ(leftovers[1].problem, fmt::format("{}: no complete line", (folder_ / "b.journal").string()));
  EXPECT_EQ(names(), (std::vector<std::string>{"a.journal", "b.journal", "c.json"}));
}

TEST_F(Journals, with_a_duplicate_process_stay_and_are_reported) {
  Result head = fixture_result();
  {
    Expected<Journal> journal = Journal::create(folder_, kStem, head);
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100))));
  }
  const Leftover leftover = recover_leftovers(folder_, kUnchecked).at(0);
  EXPECT_TRUE(leftover.problem.ends_with("shelf/plain/store: process 0 appears 2 times, expected once"))
      << leftover.problem;
  EXPECT_TRUE(fs::exists(leftover.journal));
}

TEST_F(Journals, for_a_named_result_replace_it_only_at_the_end) {
  const fs::path path = folder_ / "mine.json";
  ASSERT_TRUE(write_file(path, "old"));
  Result head = fixture_result();
  Expected<Journal> journal = Journal::create_for(path, kStem, head);
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_EQ(*read_file(path), "old");
  Result other = fixture_result();
  const Expected<Journal> second = Journal::create_for(path, kStem, other);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what,
            fmt::format("'{}' exists: another run writes its result there", journal_for(path).string()));
  EXPECT_EQ(*journal->finish(head), path);
  EXPECT_TRUE(load_result(path));
  EXPECT_EQ(names(), std::vector<std::string>{"mine.json"});
}

TEST_F(Journals, for_a_named_result_never_take_its_name_when_recovered) {
  const fs::path path = folder_ / "mine.json";
  {
    Result head = fixture_result();
    ASSERT_TRUE(Journal::create_for(path, kStem, head));
  }
  const std::optional<Leftover> leftover = recover_leftover(journal_for(path), kUnchecked);
  ASSERT_TRUE(leftover);
  EXPECT_EQ(leftover->result, folder_ / "mine.interrupted.json");
  EXPECT_FALSE(recover_leftover(journal_for(path), kUnchecked));
}

TEST_F(Journals, that_cannot_be_created_report_the_folder) {
  ASSERT_TRUE(write_file(folder_ / "file", ""));
  Result head = fixture_result();
  const Expected<Journal> journal = Journal::create(folder_ / "file" / "x", kStem, head);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().what, fmt::format("creating '{}': Not a directory", (folder_ / "file" / "x").string()));
  EXPECT_FALSE(Journal::create_for(folder_, kStem, head));
}

TEST_F(Journals, are_unchanged_after_an_append_to_a_full_disk) {
  const pid_t child = ::fork();
  if (child == 0) {
    Result head = fixture_result();
    Expected<Journal> journal = Journal::create(folder_, kStem, head);
    bool good = journal && journal->append(journal_line(fixture_process("shelf/plain/store", 0, 100)));
    // A limit on the file's size stands for the full disk: the write stops half-way through the line.
    const std::uintmax_t size = fs::file_size(journal->path());
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 50, size + 50};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Expected<void> second = journal->append(journal_line(fixture_process("shelf/plain/store", 1, 100)));
    good = good && !second && second.error().what.find("appending to") == 0;
    good = good && fs::file_size(journal->path()) == size;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(recover_leftovers(folder_, kUnchecked).at(0).processes, 1u);
}

TEST(ResultStem, is_time_and_commit) {
  EXPECT_EQ(result_stem("2026-08-02T23:15:00Z", fixture_result().source), kStem);
  EXPECT_EQ(result_stem("2026-08-02T23:15:00Z", Source{}), "20260802T231500Z-nogit");
}

}  // namespace lab::results
