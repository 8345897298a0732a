// changepoints on files, with whole outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>

#include "harness/base/scratch_folder.h"
#include "harness/cli/captured_test.h"
#include "harness/cli/commands.h"

namespace lab::cli {

namespace {

class Changepoints : public testing::Test {
 protected:
  // The exit status of `changepoints` on a file that holds `text`; what was printed is in out_ and err_.
  int run(const std::string& text, std::vector<std::string> options = {}) {
    std::ofstream(file_, std::ios::binary) << text;
    options.push_back(file_);
    return start(options);
  }

  int start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "changepoints");
    const Captured done = captured(changepoints_command(), arguments);
    out_ = done.out;
    err_ = done.err;
    return done.status;
  }

  ScratchFolder scratch_;
  std::string file_ = scratch_.path() / "series.txt";
  std::string out_, err_;
};

/// `count` numbers around a level, without chance: a golden-section sequence.
std::string wobble(int count, double level) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(level + (i * 61803 % 100000) * 1e-5) + " ";
  return text;
}

}  // namespace

TEST_F(Changepoints, prints_one_object_per_series_with_the_fields_of_the_contract_first) {
  ASSERT_EQ(run(wobble(50, 100) + wobble(20, 105) + "\n\n" + wobble(60, 3) + "\n", {"--json"}), 0) << err_;
  const std::size_t end = out_.find('\n');
  const boost::json::object first = boost::json::parse(out_.substr(0, end)).as_object();
  EXPECT_EQ(first.begin()->key(), "change_points");
  EXPECT_EQ(first.at("line"), 1);
  EXPECT_EQ(first.at("points"), 70);
  ASSERT_EQ(first.at("change_points").as_array().size(), 1U);
  const boost::json::object& point = first.at("change_points").at(0).as_object();
  std::string fields;
  for (const auto& [name, value] : point) fields += std::string(name) + " ";
  EXPECT_EQ(fields, "index detected_at before after confidence ratio low high ");
  EXPECT_EQ(point.at("index"), 50);
  EXPECT_LT(point.at("detected_at").as_int64(), 55);
  EXPECT_EQ(
      out_.substr(end + 1),
      R"({"change_points":[],"hindsight":[],"noise":[],"switching":false,"drifting":false,"line":3,"points":60,"enough":true,"reason":null,"missing":null})"
      "\n");
}

TEST_F(Changepoints, prints_sentences_without_json) {
  ASSERT_EQ(run(wobble(50, 7) + "\n" + "1,2 , 3\t+4\r\n"), 0) << err_;
  EXPECT_EQ(out_,
            "line 1, 50 points: no change between points 15 and 45\nline 2, 4 points: too young: 4 of 20 points\n");
  ASSERT_EQ(run("1"), 0) << err_;
  EXPECT_EQ(out_, "line 1, 1 point: too young: 1 of 20 points\n");
  ASSERT_EQ(run("7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 8 8 8 8 8 8 8"), 0) << err_;
  EXPECT_TRUE(out_.starts_with("line 1, 38 points: from 7 to 8 at 30, found at 3")) << out_;
}

TEST_F(Changepoints, reads_one_number_per_line_as_one_series) {
  const std::string row = wobble(50, 100) + wobble(20, 105);
  std::string column = row;
  std::ranges::replace(column, ' ', '\n');
  ASSERT_EQ(run(row, {"--json"}), 0) << err_;
  const std::string of_row = out_;
  for (const std::string& text : {column, "\n" + column + "\n\n", "\xef\xbb\xbf" + column}) {
    ASSERT_EQ(run(text, {"--json"}), 0) << err_;
    std::string expected = of_row;
    if (text.starts_with('\n')) expected.replace(expected.find("\"line\":1"), 8, "\"line\":2");
    EXPECT_EQ(out_, expected);
  }
  ASSERT_EQ(run("\n7\n8\n"), 0) << err_;
  EXPECT_EQ(out_, "lines 2 to 3, 2 points: too young: 2 of 20 points\n");
  // One line with two numbers: then each line is a series.
  ASSERT_EQ(run("7\n8 9\n"), 0) << err_;
  EXPECT_EQ(out_, "line 1, 1 point: too young: 1 of 20 points\nline 2, 2 points: too young: 2 of 20 points\n");
}

TEST_F(Changepoints, reports_a_series_that_is_too_young_and_how_many_points_are_missing) {
  ASSERT_EQ(run(wobble(16, 100), {"--json"}), 0) << err_;
  EXPECT_EQ(out_,
            R"({"change_points":[],"hindsight":[],"noise":[],"switching":false,"drifting":false,"line":1,"points":16,)"
            R"("enough":false,"reason":"too_young","missing":4})"
            "\n");
  ASSERT_EQ(run(wobble(16, 100)), 0);
  EXPECT_EQ(out_, "line 1, 16 points: too young: 16 of 20 points\n");
  std::string doubled;
  for (int i = 0; i < 30; ++i) doubled += i < 15 ? "50 " : "100 ";
  ASSERT_EQ(run(doubled, {"--json"}), 0);
  const boost::json::value found = boost::json::parse(out_);
  ASSERT_EQ(found.at("change_points").as_array().size(), 1U) << out_;
  EXPECT_EQ(found.at("change_points").at(0).at("index"), 15);
  EXPECT_TRUE(found.at("reason").is_null());
}

TEST_F(Changepoints, tells_in_hindsight_what_no_alarm_was_raised_for) {
  const std::string early = wobble(10, 100) + wobble(30, 112);
  ASSERT_EQ(run(early, {"--json"}), 0) << err_;
  const boost::json::value found = boost::json::parse(out_);
  EXPECT_TRUE(found.at("change_points").as_array().empty());
  ASSERT_EQ(found.at("hindsight").as_array().size(), 1U);
  const boost::json::object& change = found.at("hindsight").at(0).as_object();
  EXPECT_EQ(change.at("index"), 10);
  EXPECT_EQ(change.at("known_at"), 12);
  EXPECT_TRUE(found.at("enough").as_bool());
  ASSERT_EQ(run(early), 0);
  EXPECT_EQ(out_, "line 1, 40 points: in hindsight from 100.517 to 112.489 at 10, known at 12\n");
  // An alarm is not told twice.
  ASSERT_EQ(run(wobble(50, 100) + wobble(30, 112)), 0);
  EXPECT_EQ(out_.find("hindsight"), std::string::npos) << out_;
}

TEST_F(Changepoints, of_a_drift_are_none_and_it_has_its_name) {
  std::string drift;
  for (int i = 0; i < 100; ++i) drift += std::to_string(100 + 0.06 * i + (i * 61803 % 100000) * 3e-5) + " ";
  ASSERT_EQ(run(drift), 0) << err_;
  EXPECT_EQ(out_, "line 1, 100 points: drifts\n");
}

TEST_F(Changepoints, of_a_prefix_are_those_of_the_whole_series_up_to_there) {
  const std::string all = wobble(50, 100) + wobble(20, 105), less = wobble(50, 100) + wobble(10, 105);
  ASSERT_EQ(run(all, {"--json"}), 0);
  const boost::json::value whole = boost::json::parse(out_);
  ASSERT_EQ(run(less, {"--json"}), 0);
  EXPECT_EQ(boost::json::parse(out_).at("change_points"), whole.at("change_points"));
  ASSERT_EQ(run(wobble(50, 100), {"--json"}), 0);
  EXPECT_TRUE(boost::json::parse(out_).at("change_points").as_array().empty());
}

TEST_F(Changepoints, rejects_text_that_is_not_a_number_and_prints_nothing) {
  const std::string hint =
      "hint: one series per line, its numbers separated by commas or blanks; or one number per line\n";
  const std::vector<std::pair<std::string, std::string>> table{
      {"1 2\n3 x", "line 2: number 2: expected a finite number, found 'x'"},
      {"nan", "line 1: number 1: expected a finite number, found 'nan'"},
      {"1 -inf", "line 1: number 2: expected a finite number, found '-inf'"},
      {"1,,2", "line 1: number 2: expected a finite number, found nothing"},
      {"1,", "line 1: number 2: expected a finite number, found nothing"},
      {"1e999", "line 1: number 1: expected a finite number, found '1e999'"},
      {"1;2", "line 1: number 1: expected a finite number, found '1;2'"},
      {"1.2.3", "line 1: number 1: expected a finite number, found '1.2.3'"},
      {"0x10", "line 1: number 1: expected a finite number, found '0x10'"},
      {"+-1", "line 1: number 1: expected a finite number, found '+-1'"},
      {std::string("1\0", 2), "line 1: number 1: expected a finite number, found '1?'"},
      {std::string(50, 'a'), "line 1: number 1: expected a finite number, found '" + std::string(40, 'a') + "...'"},
  };
  for (const auto& [text, sentence] : table) {
    EXPECT_EQ(run(wobble(60, 1) + "\n" + text), 2) << text;
    EXPECT_EQ(out_, "");
    const std::string line = sentence.starts_with("line 2") ? "line 3" : "line 2";
    EXPECT_EQ(err_, "harness: error: " + file_ + ": " + line + sentence.substr(6) + "\n" + hint);
  }
  EXPECT_EQ(run("1e200"), 2);
  EXPECT_EQ(err_, "harness: error: " + file_ +
                      ": line 1: number 1: expected a number within +-1e+150, found '1e200'\n"
                      "hint: python3 make.py changepoints --help\n");
}

TEST_F(Changepoints, rejects_a_file_without_a_number_and_a_missing_file) {
  for (const char* text : {"", "\n\n", "  \t\r\n"}) {
    EXPECT_EQ(run(text), 2);
    EXPECT_TRUE(err_.starts_with("harness: error: " + file_ + ": expected one series per line, found no number\n"))
        << err_;
  }
  EXPECT_EQ(start({file_ + ".none"}), 2);
  EXPECT_EQ(start({}), 2);
  EXPECT_TRUE(err_.starts_with("harness: error: changepoints takes one file, found 0\n")) << err_;
  EXPECT_EQ(start({file_, file_}), 2);
}

}  // namespace lab::cli
