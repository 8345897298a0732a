#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>

#include "harness/base/fit.h"
#include "harness/base/scratch_folder.h"
#include "harness/cli/captured_test.h"

namespace lab::cli {

namespace {

/// The status of made-up nights, on a machine without Slurm.
class FarmStatus : public testing::Test {
 protected:
  FarmStatus() : path_(std::getenv("PATH")) { ::setenv("PATH", "/nonexistent", 1); }
  ~FarmStatus() override { ::setenv("PATH", path_.c_str(), 1); }

  /// So many nodes, of which the last wait.
  void write_night(int nodes, int waiting) {
    std::string jobs;
    for (int i = 1; i <= nodes; ++i) {
      jobs += fmt::format(R"({}{{"node":"farm-node-{}","job":"{}","at":"2026-11-28T01:00:00Z","bundle":"aa"}})",
                          i == 1 ? "" : ",", i, i);
      if (i > nodes - waiting) continue;
      root_.write(
          fmt::format("jobs/n/farm-node-{}.json", i),
          fmt::format(R"({{"job":{0},"restarts":0,"night":"n","node":"farm-node-{0}","phase":"done","status":{1},)"
                      R"("machine":"m{0}","session":"20261128T010203Z-1a2b3c4d5e6f.json","delivered":true,)"
                      R"("said":"","times":{{}},"ended":"2026-11-28T01:09:00Z"}})",
                      i, i == 2 ? 4 : 0));
    }
    root_.write("jobs/n/submitted.json", "{\"jobs\":[" + jobs + "]}");
  }

  Captured status(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"farm", "status", "--results", root_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return captured(farm_command(), words);
  }

  std::string path_;
  ScratchFolder root_;
};

}  // namespace

TEST_F(FarmStatus, has_one_line_for_each_node) {
  write_night(3, 1);
  const Captured printed = status();
  EXPECT_EQ(printed.out, R"(night n: 3 nodes: 1 fit, 1 unfit, 1 waiting
farm-node-1  fit      20261128T010203Z-1a2b3c4d5e6f.json
farm-node-2  unfit    20261128T010203Z-1a2b3c4d5e6f.json
farm-node-3  waiting  submitted at 2026-11-28T01:00:00Z
note: expected Slurm's commands on this machine, found no squeue; what follows is from the jobs' files alone
)");
  EXPECT_EQ(printed.status, 4);
}

TEST_F(FarmStatus, of_51_nodes_fits_80_columns_with_a_line_each) {
  write_night(51, 4);
  std::istringstream lines(status().out);
  std::size_t count = 0;
  // A note has as many lines as the terminal makes of it.
  for (std::string line; std::getline(lines, line) && !line.starts_with("note: "); ++count)
    EXPECT_LE(text_width(line), 80u) << line;
  EXPECT_EQ(count, 1 + 51u);
}

TEST_F(FarmStatus, names_nights_that_there_are) {
  EXPECT_EQ(status().status, 2);
  write_night(1, 0);
  const Captured wrong = status({"--night", "m"});
  EXPECT_EQ(wrong.err,
            "harness: error: --night: expected a night that was submitted, found 'm'\nhint: the last is n\n");
  EXPECT_EQ(status({"--night", "n"}).status, 0);
}

TEST_F(FarmStatus, as_json_is_one_object) {
  write_night(1, 0);
  EXPECT_EQ(
      status({"--json"}).out,
      R"({"night":"n","nodes":[{"node":"farm-node-1","state":"fit","detail":"20261128T010203Z-1a2b3c4d5e6f.json",)"
      R"("job":"1","phase":"done","status":0,"machine":"m1","session":"20261128T010203Z-1a2b3c4d5e6f.json",)"
      R"("delivered":true}],"remarks":["expected Slurm's commands on this machine, found no squeue; what follows is )"
      R"(from the jobs' files alone"]})"
      "\n");
}

}  // namespace lab::cli
