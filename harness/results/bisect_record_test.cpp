#include "harness/results/bisect_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

BisectQuestion question_for(const std::string& command) {
  BisectQuestion question;
  question.repository = "/somewhere";
  question.command = command;
  question.commits = {{std::string(40, 'a'), "good", false}, {std::string(40, 'b'), "bad", true}};
  return question;
}

}  // namespace

TEST(BisectRecord, is_read_back_with_the_question_and_entries_that_were_written) {
  const ScratchFolder folder;
  const auto path = bisect_record_path(folder.path() / "bisect", question_for("x"));
  EXPECT_EQ(path.filename().string().substr(0, 13), "bbbbbbbbbbbb-");
  BisectEntry entry;
  entry.commit = std::string(40, 'a');
  entry.value = 1.5;
  entry.most = {{std::string(40, 'b'), 0.25}};
  {
    BisectQuestion first = question_for("x");
    first.cpu = 3;
    Expected<BisectRecord> record = BisectRecord::open(path, first, false);
    ASSERT_TRUE(record) << record.error().what;
    ASSERT_TRUE(record->append(entry));
  }
  const Expected<BisectRecord> again = BisectRecord::open(path, question_for("x"), false);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->found(), 1u);
  EXPECT_EQ(again->question().cpu, 3);
  EXPECT_EQ(again->entries()[0].value, 1.5);
  EXPECT_EQ(again->entries()[0].most[0].probability, 0.25);
  EXPECT_TRUE(again->question().commits[1].merge);
}

TEST(BisectRecord, is_restarted_only_on_request) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  ASSERT_TRUE(BisectRecord::open(path, question_for("x"), false)->append(BisectEntry{}));
  EXPECT_EQ(BisectRecord::open(path, question_for("x"), true)->found(), 0u);
  EXPECT_FALSE(BisectRecord::open(path, question_for("y"), false));
}

TEST(BisectRecord, of_a_benchmark_is_resumed_from_any_checkout) {
  const ScratchFolder folder;
  BisectQuestion here = question_for(""), there = here;
  here.benchmark = there.benchmark = "family/variant/workload";
  there.repository = "/elsewhere";
  ASSERT_TRUE(BisectRecord::open(bisect_record_path(folder.path(), here), here, false)->append(BisectEntry{}));
  const Expected<BisectRecord> record = BisectRecord::open(bisect_record_path(folder.path(), there), there, false);
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_EQ(record->found(), 1u);
  BisectQuestion command = question_for("x");
  command.repository = "/elsewhere";
  EXPECT_NE(bisect_record_path(folder.path(), command), bisect_record_path(folder.path(), question_for("x")));
}

TEST(BisectRecord, of_another_library_is_another_record) {
  BisectQuestion without = question_for(""), one = without, other = without;
  one.malloc_hash = "aa";
  other.malloc_hash = "bb";
  const auto path = [](const BisectQuestion& question) { return bisect_record_path("", question); };
  EXPECT_NE(path(without), path(one));
  EXPECT_NE(path(one), path(other));
  const ScratchFolder folder;
  ASSERT_TRUE(BisectRecord::open(folder.path() / path(one), one, false));
  EXPECT_EQ(BisectRecord::open(folder.path() / path(one), one, false)->question().malloc_hash, "aa");
}

TEST(BisectRecord, is_locked_by_one_bisect_at_a_time) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  const Expected<BisectRecord> first = BisectRecord::open(path, question_for("x"), false);
  ASSERT_TRUE(first);
  const Expected<BisectRecord> second = BisectRecord::open(path, question_for("x"), false);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, fmt::format("another bisect uses '{}'", path.string()));
}

TEST(BisectRecord, keeps_all_earlier_lines_if_its_last_line_is_cut_at_any_byte) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  BisectEntry first, second;
  first.value = 1.5;
  second.value = 2.5;
  {
    Expected<BisectRecord> record = BisectRecord::open(path, question_for("x"), false);
    ASSERT_TRUE(record->append(first));
    ASSERT_TRUE(record->append(second));
    EXPECT_EQ(record->warning(), "");
  }
  const std::string whole = *read_file(path);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t end = last + 1; end <= whole.size(); ++end) {
    const bool torn = end + 1 < whole.size();  // a line that lacks only its line end is complete
    ASSERT_TRUE(write_file(path, whole.substr(0, end)));
    Expected<BisectRecord> record = BisectRecord::open(path, question_for("x"), false);
    ASSERT_TRUE(record) << end << record.error().what;
    EXPECT_EQ(record->found(), torn ? 1u : 2u);
    EXPECT_EQ(record->warning().starts_with(fmt::format("'{}', line 3: truncated: ", path.string())), torn)
        << record->warning();
    ASSERT_TRUE(record->append(second));
    EXPECT_EQ(*read_file(path), (torn ? whole.substr(0, last) : whole) + whole.substr(last));
  }
  // A file system that grew the file before it wrote it.
  ASSERT_TRUE(write_file(path, whole.substr(0, last) + std::string(100, '\0')));
  EXPECT_EQ(BisectRecord::open(path, question_for("x"), false)->found(), 1u);
}

TEST(BisectRecord, with_an_incomplete_first_line_is_restarted_with_a_warning) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  ASSERT_TRUE(BisectRecord::open(path, question_for("x"), false));
  const std::string whole = *read_file(path);
  for (const std::string& text : {std::string(), whole.substr(0, 20), whole.substr(0, whole.size() - 2)}) {
    ASSERT_TRUE(write_file(path, text));
    const Expected<BisectRecord> record = BisectRecord::open(path, question_for("x"), false);
    ASSERT_TRUE(record) << record.error().what;
    EXPECT_EQ(
        record->warning(),
        fmt::format("'{}': the first line is incomplete, so there is no measurement yet: a new record was started",
                    path.string()));
    EXPECT_EQ(*read_file(path), whole);
  }
}

TEST(BisectRecord, that_is_damaged_is_reported_with_its_line_and_a_hint) {
  const ScratchFolder folder;
  const auto kept = [&](double value) {
    BisectEntry entry;
    entry.value = value;
    EXPECT_TRUE(BisectRecord::open(folder.path() / "a.jsonl", question_for("x"), true)->append(entry));
    return *read_file(folder.path() / "a.jsonl");
  };
  const std::string good = kept(1), head = good.substr(0, good.find('\n') + 1);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "'a': expected the commits of a bisect, found 0"},
      {"{", "'a', line 1: truncated: the JSON does not end within 1 bytes"},
      {"{}\n", "'a', line 1: bisect: missing"},
      {head + "{\"commit\"\n" + good.substr(head.size()),
       "'a', line 2: truncated: the JSON does not end within 9 bytes"},
      {kept(0), "'a', line 2: value: expected a number above 0, found 0"},
      {kept(-1), "'a', line 2: value: expected a number above 0, found -1"}};
  for (const auto& [text, sentence] : bad) {
    const Expected<ParsedBisectRecord> record = parse_bisect_record(text, "a");
    ASSERT_FALSE(record) << text;
    EXPECT_EQ(record.error().what, sentence);
    EXPECT_EQ(record.error().hint, "bisect --restart starts a new record");
    EXPECT_EQ(record.error().status, ExitStatus::kUsage);
  }
  EXPECT_TRUE(parse_bisect_record(good, "a"));
}

}  // namespace lab::results
