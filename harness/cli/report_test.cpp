// report as a user meets it: the sessions of one commit in the machine's folder are one picture.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

/// A session on this machine that measured one workload.
results::Result session(const std::string& id, const std::string& workload) {
  results::Result result = results::fixture_result(8);
  result.machine.id = result.machine.name = "here";
  result.session.id = id;
  for (results::Process& process : result.processes)
    process.benchmark = process.benchmark.substr(0, process.benchmark.rfind('/') + 1) + workload;
  result.workloads[0].name = workload;
  if (workload == "store") result.session.waiting = {{"shelf/plain/drop", {}}};
  return result;
}

class Machine {
 public:
  Machine() {
    for (const auto& [id, workload] : {std::pair("1", "drop"), std::pair("2", "store")})
      root_.write(fs::path("results/here") / (std::string(id) + ".json"), results::serialize(session(id, workload)));
    root_.write("results/here/0.json", "damaged");
  }

  /// The text of the report.
  std::string summary(std::vector<std::string> arguments) const {
    ChildSpec spec;
    spec.command = {(fs::path(LAB_BUILD_DIR) / "harness").string(), "report", "--out", (root_.path() / "out").string()};
    spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
    spec.environment = {"LAB_ROOT=" + root_.path().string(), "LAB_MACHINE=here"};
    spec.timeout_seconds = kPatience;
    const ChildOutcome outcome = run_child(spec);
    EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
    return *read_file(root_.path() / "out/summary.md");
  }

  std::string file(const std::string& name) const { return (root_.path() / "results/here" / name).string(); }

 private:
  ScratchFolder root_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Report, puts_the_sessions_of_a_commit_together) {
  const Machine machine;
  const std::string together = machine.summary({});
  EXPECT_TRUE(has(together, "2 of this commit, 2 fit")) << together;
  EXPECT_TRUE(has(together, "shelf/plain/drop"));
  EXPECT_TRUE(has(together, "shelf/plain/store"));
  EXPECT_FALSE(has(together, "benchmark waits"));
}

TEST(Report, of_a_machines_folder_is_that_of_its_newest_session_and_the_others) {
  const Machine machine;
  EXPECT_EQ(machine.summary({fs::path(machine.file("2.json")).parent_path().string()}), machine.summary({}));
  EXPECT_EQ(machine.summary({fs::path(machine.file("2.json")).parent_path().string() + "/", "--alone"}),
            machine.summary({"--alone"}));
}

TEST(Report, of_one_session_alone_is_that_of_its_file) {
  const Machine machine;
  const std::string alone = machine.summary({"--alone"});
  EXPECT_FALSE(has(alone, "of this commit"));
  EXPECT_FALSE(has(alone, "shelf/plain/drop"));
  EXPECT_TRUE(has(alone, "1 benchmark waits"));
  EXPECT_EQ(alone, machine.summary({machine.file("2.json")}));
}

}  // namespace lab::cli
