#include "harness/results/bisect_record.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

Cell cell_of(const std::string& command) {
  Cell cell;
  cell.repository = "/somewhere";
  cell.command = command;
  cell.commits = {{std::string(40, 'a'), "good", false}, {std::string(40, 'b'), "bad", true}};
  return cell;
}

}  // namespace

TEST(Record, comes_back_as_it_was_kept_with_the_cell_that_it_began_with) {
  const ScratchFolder folder;
  const auto path = record_path(folder.path() / "bisect", cell_of("x"));
  EXPECT_EQ(path.filename().string().substr(0, 13), "bbbbbbbbbbbb-");
  Entry entry;
  entry.commit = std::string(40, 'a');
  entry.value = 1.5;
  entry.most = {{std::string(40, 'b'), 0.25}};
  {
    Cell first = cell_of("x");
    first.cpu = 3;
    Expected<Record> record = Record::open(path, first, false);
    ASSERT_TRUE(record) << record.error().what;
    ASSERT_TRUE(record->append(entry));
  }
  const Expected<Record> again = Record::open(path, cell_of("x"), false);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->found(), 1u);
  EXPECT_EQ(again->cell().cpu, 3);
  EXPECT_EQ(again->entries()[0].value, 1.5);
  EXPECT_EQ(again->entries()[0].most[0].probability, 0.25);
  EXPECT_TRUE(again->cell().commits[1].merge);
}

TEST(Record, begins_anew_only_when_it_is_told_to) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  ASSERT_TRUE(Record::open(path, cell_of("x"), false)->append(Entry{}));
  EXPECT_EQ(Record::open(path, cell_of("x"), true)->found(), 0u);
  EXPECT_FALSE(Record::open(path, cell_of("y"), false));
}

TEST(Record, of_a_benchmark_is_taken_up_wherever_the_checkout_lies) {
  const ScratchFolder folder;
  Cell here = cell_of(""), there = here;
  here.benchmark = there.benchmark = "family/variant/workload";
  there.repository = "/elsewhere";
  ASSERT_TRUE(Record::open(record_path(folder.path(), here), here, false)->append(Entry{}));
  const Expected<Record> record = Record::open(record_path(folder.path(), there), there, false);
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_EQ(record->found(), 1u);
  Cell command = cell_of("x");
  command.repository = "/elsewhere";
  EXPECT_NE(record_path(folder.path(), command), record_path(folder.path(), cell_of("x")));
}

TEST(Record, is_held_by_one_bisect_at_a_time) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  const Expected<Record> first = Record::open(path, cell_of("x"), false);
  ASSERT_TRUE(first);
  const Expected<Record> second = Record::open(path, cell_of("x"), false);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, fmt::format("another bisect works on '{}'", path.string()));
}

TEST(Record, torn_at_any_byte_of_its_last_line_keeps_what_was_measured_before) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  Entry first, second;
  first.value = 1.5;
  second.value = 2.5;
  {
    Expected<Record> record = Record::open(path, cell_of("x"), false);
    ASSERT_TRUE(record->append(first));
    ASSERT_TRUE(record->append(second));
    EXPECT_EQ(record->warning(), "");
  }
  const std::string whole = *read_file(path);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t end = last + 1; end <= whole.size(); ++end) {
    const bool torn = end + 1 < whole.size();  // without its line end alone the line is whole
    ASSERT_TRUE(write_file(path, whole.substr(0, end)));
    Expected<Record> record = Record::open(path, cell_of("x"), false);
    ASSERT_TRUE(record) << end << record.error().what;
    EXPECT_EQ(record->found(), torn ? 1u : 2u);
    EXPECT_EQ(record->warning().find(fmt::format("'{}', line 3: cut off, and dropped: ", path.string())) == 0, torn)
        << record->warning();
    ASSERT_TRUE(record->append(second));
    EXPECT_EQ(*read_file(path), (torn ? whole.substr(0, last) : whole) + whole.substr(last));
  }
  // A file system that grew the file before it wrote it.
  ASSERT_TRUE(write_file(path, whole.substr(0, last) + std::string(100, '\0')));
  EXPECT_EQ(Record::open(path, cell_of("x"), false)->found(), 1u);
}

TEST(Record, torn_in_its_first_line_begins_anew_with_a_warning) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.jsonl";
  ASSERT_TRUE(Record::open(path, cell_of("x"), false));
  const std::string whole = *read_file(path);
  for (const std::string& text : {std::string(), whole.substr(0, 20), whole.substr(0, whole.size() - 2)}) {
    ASSERT_TRUE(write_file(path, text));
    const Expected<Record> record = Record::open(path, cell_of("x"), false);
    ASSERT_TRUE(record) << record.error().what;
    EXPECT_EQ(record->warning(),
              fmt::format("'{}': cut off in its first line, before any measurement: begun anew", path.string()));
    EXPECT_EQ(*read_file(path), whole);
  }
}

TEST(Record, that_cannot_be_read_says_where_and_what_to_do) {
  const ScratchFolder folder;
  const auto kept = [&](double value) {
    Entry entry;
    entry.value = value;
    EXPECT_TRUE(Record::open(folder.path() / "a.jsonl", cell_of("x"), true)->append(entry));
    return *read_file(folder.path() / "a.jsonl");
  };
  const std::string good = kept(1), head = good.substr(0, good.find('\n') + 1);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "'a': expected a bisect's commits, found 0"},
      {"{", "'a', line 1: not JSON: incomplete JSON"},
      {"{}\n", "'a', line 1: bisect: missing"},
      {head + "{\"commit\"\n" + good.substr(head.size()), "'a', line 2: not JSON: incomplete JSON"},
      {kept(0), "'a', line 2: value: expected a number above 0, found 0"},
      {kept(-1), "'a', line 2: value: expected a number above 0, found -1"}};
  for (const auto& [text, sentence] : bad) {
    const Expected<Story> story = parse_record(text, "a");
    ASSERT_FALSE(story) << text;
    EXPECT_EQ(story.error().what, sentence);
    EXPECT_EQ(story.error().hint, "bisect --restart begins anew");
    EXPECT_EQ(story.error().status, ExitStatus::kUsage);
  }
  EXPECT_TRUE(parse_record(good, "a"));
}

}  // namespace lab::results
