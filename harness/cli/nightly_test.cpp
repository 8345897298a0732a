#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/cli/captured_test.h"
#include "harness/cli/commands.h"

namespace lab::cli {

TEST(NightlyCommand, rejects_bad_options_with_status_2_and_the_expected_value) {
  const std::pair<std::vector<std::string>, std::string> table[] = {
      {{"--budget", "0.5"}, "--budget: expected a number from 1 to 999999999, found '0.5'"},
      {{"--budget", "nan"}, "--budget: expected a number from 1 to 999999999, found 'nan'"},
      {{"--budget", "1e9"}, "--budget: expected a number from 1 to 999999999, found '1e9'"},
      {{"--keep", "0"}, "--keep: expected a number from 1 to 999999999, found '0'"},
      {{"--keep", "x"}, "--keep: expected a number from 1 to 999999999, found 'x'"},
      {{"--backfill", "-1"}, "--backfill: expected a number from 0 to 999999999, found '-1'"},
      {{"--page", "https://a"}, "--page is for what --notify tells, found no --notify"},
      {{"x"}, "nightly takes no argument, found 'x'"}};
  for (const auto& [words, what] : table) {
    std::vector<std::string> arguments{"nightly"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Captured found = captured(nightly_command(), arguments);
    EXPECT_EQ(found.status, 2);
    const std::string hint = words[0] == "--page" ? "leave out --page" : "python3 make.py nightly --help";
    EXPECT_EQ(found.err, "harness: error: " + what + "\nhint: " + hint + "\n");
  }
  EXPECT_EQ(captured(nightly_command(), {"nightly", "--results="}).err,
            "harness: error: --results needs a value\nhint: --results DIR\n");
}

TEST(NightlyCommand, is_rejected_without_the_lock_of_make) {
  for (const char* const lock : {"", "99", "x"}) {
    ::setenv("LAB_NIGHT_LOCK", lock, 1);
    const Captured found = captured(nightly_command(), {"nightly"});
    EXPECT_EQ(found.status, 2);
    EXPECT_EQ(found.err,
              "harness: error: nightly must be started by make.py, which locks the results folder first\n"
              "hint: python3 make.py nightly\n");
  }
  ::unsetenv("LAB_NIGHT_LOCK");
}

}  // namespace lab::cli
