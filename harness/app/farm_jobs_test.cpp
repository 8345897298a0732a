// What is decided from Slurm's answers and the jobs' files. harness/make/farm_slurm_test.py asks a real Slurm.
#include "harness/app/farm_jobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "harness/app/slurm.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/farm_jobs.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

ChildOutcome answer(std::string output, int code = 0, std::string error = "") {
  ChildOutcome outcome;
  outcome.code = code;
  outcome.output = std::move(output);
  outcome.error_tail = std::move(error);
  return outcome;
}

/// A Slurm whose answers are made up, by the name of the command.
struct FakeSlurm {
  std::map<std::string, ChildOutcome> answers;
  std::vector<std::vector<std::string>> calls;

  Runner runner() {
    return [this](const ChildSpec& spec) {
      calls.push_back(spec.command);
      const auto found = answers.find(spec.command.front());
      if (found != answers.end()) return found->second;
      ChildOutcome missing;
      missing.end = ChildEnd::kNotStarted;
      missing.code = ENOENT;
      return missing;
    };
  }
};

class FarmJobs : public testing::Test {
 protected:
  FarmJobs() { fs::create_directories(results::night_folder(root_.path(), kNight)); }

  void submitted(const std::vector<std::string>& nodes) {
    std::map<std::string, results::SubmittedJob> jobs;
    for (const std::string& node : nodes)
      jobs[node] = {node, std::to_string(10 + jobs.size()), "2026-11-28T01:00:00Z", "aa", {}};
    ASSERT_TRUE(results::save_submitted(root_.path(), kNight, jobs));
  }

  /// A job's file; `fields` are those that matter, the phase first.
  void job(const std::string& node, int number, const std::string& phase, const std::string& fields) {
    root_.write(fmt::format("jobs/{}/{}.json", kNight, node),
                fmt::format(R"({{"job":{},"restarts":0,"night":"{}","node":"{}","phase":"{}",{},"said":"",)"
                            R"("times":{{"{}":"2026-11-28T01:00:05Z"}}}})",
                            number, kNight, node, phase, fields, phase));
  }

  std::string squeue_row(int number, const std::string& node, const std::string& state, const std::string& reason,
                         int exit_status = 0) const {
    return fmt::format("{} |lab-{}-{} |{} |{} |{} |{} |{} |{}\n", number, kNight, node, ::getuid(), state, reason, node,
                       exit_status << 8, root_.path().string());
  }

  /// "node: state: detail" of each.
  std::vector<std::string> lines() {
    const Expected<NightStatus> status = night_status({root_.path(), kNight, {}, slurm_.runner()});
    EXPECT_TRUE(status);
    std::vector<std::string> lines;
    if (!status) return lines;
    for (const NodeStatus& node : status->nodes)
      lines.push_back(fmt::format("{}: {}: {}", node.node, name_of(node.state), node.detail));
    remarks_ = status->remarks;
    exit_ = status->status();
    return lines;
  }

  static constexpr const char* kNight = "2026-11-28";
  static constexpr const char* kRunning =
      R"("status":null,"machine":null,"session":null,"delivered":false,"ended":null)";
  ScratchFolder root_;
  FakeSlurm slurm_;
  std::vector<std::string> remarks_;
  ExitStatus exit_ = ExitStatus::kOk;
};

std::string ended(int status, const std::string& machine, bool delivered = true) {
  return fmt::format(R"("status":{},"machine":"{}","session":"s.json","delivered":{},"ended":"2026-11-28T01:09:00Z")",
                     status, machine, delivered);
}

constexpr const char* kDown = "node5|lab*|down*|2026-11-28T00:30:00|Not responding\n";

TEST_F(FarmJobs, have_a_state_each_from_files_and_slurm) {
  submitted({"node0", "node1", "node2", "node3", "node4", "node5", "node6", "node7", "node8", "node9"});
  job("node0", 10, "done", ended(0, "node0"));
  job("node1", 11, "done", ended(4, "node1"));
  job("node2", 12, "done", ended(3, "node2"));
  job("node3", 13, "done", ended(1, "node3"));
  job("node4", 14, "run", kRunning);
  job("node5", 15, "run", kRunning);
  job("node6", 16, "run", kRunning);
  job("node8", 18, "deliver", ended(0, "node8", false));
  job("node9", 19, "run", kRunning);
  slurm_.answers["sinfo"] = answer(kDown);
  slurm_.answers["squeue"] =
      answer(squeue_row(10, "node0", "COMPLETED", "None") + squeue_row(11, "node1", "FAILED", "NonZeroExitCode", 4) +
             squeue_row(14, "node4", "RUNNING", "None") + squeue_row(15, "node5", "PENDING", "BeginTime") +
             squeue_row(16, "node6", "TIMEOUT", "TimeLimit") + squeue_row(17, "node7", "PENDING", "Licenses") +
             squeue_row(19, "node9", "FAILED", "NonZeroExitCode", 75));
  EXPECT_THAT(lines(),
              ElementsAre("node0: fit: s.json", "node1: unfit: s.json", "node2: regression: s.json",
                          "node3: failed: s.json: a benchmark failed", "node4: running: run since 2026-11-28T01:00:05Z",
                          "node5: lost: down* since 2026-11-28T00:30:00: Not responding; job 15 waits",
                          "node6: crash: in phase run: Slurm says TIMEOUT, TimeLimit", "node7: waiting: Licenses",
                          "node8: undelivered: s.json",
                          "node9: undelivered: its result waits on the node for the next job there"));
  EXPECT_EQ(exit_, ExitStatus::kFailed);
  EXPECT_TRUE(remarks_.empty());
}

TEST_F(FarmJobs, are_told_from_files_alone_without_slurm) {
  submitted({"node0", "node1", "node2"});
  job("node0", 10, "done", ended(4, "node0"));
  job("node1", 11, "run", kRunning);
  EXPECT_THAT(lines(), ElementsAre("node0: unfit: s.json", "node1: running: run since 2026-11-28T01:00:05Z",
                                   "node2: waiting: submitted at 2026-11-28T01:00:00Z"));
  EXPECT_THAT(remarks_, ElementsAre(HasSubstr("found no squeue; what follows is from the jobs' files alone")));
  EXPECT_EQ(exit_, ExitStatus::kUnfit);
}

TEST_F(FarmJobs, of_a_lost_node_alone_have_the_status_of_a_silent_machine) {
  submitted({"node5"});
  slurm_.answers["sinfo"] = answer(kDown);
  slurm_.answers["squeue"] = answer(squeue_row(10, "node5", "PENDING", "ReqNodeNotAvail"));
  lines();
  EXPECT_EQ(exit_, ExitStatus::kSilent);
}

TEST_F(FarmJobs, name_nodes_that_measured_under_one_name_and_files_that_are_damaged) {
  submitted({"node0", "node1"});
  job("node0", 10, "done", ended(0, "same"));
  job("node1", 11, "done", ended(0, "same"));
  root_.write(fmt::format("jobs/{}/node2.json", kNight), "{\"job\":");
  slurm_.answers["sinfo"] = slurm_.answers["squeue"] = answer("");
  lines();
  EXPECT_THAT(remarks_,
              ElementsAre(HasSubstr("node2.json"),
                          "node0 and node1 measured under one name, same: their sessions are one history; each "
                          "needs its own LAB_MACHINE"));
}

TEST_F(FarmJobs, of_an_earlier_cancelled_job_do_not_speak_for_the_present_one) {
  submitted({"node0"});
  job("node0", 9, "done", ended(0, "node0"));
  slurm_.answers["sinfo"] = answer("");
  slurm_.answers["squeue"] = answer(squeue_row(10, "node0", "PENDING", "Priority"));
  EXPECT_THAT(lines(), ElementsAre("node0: waiting: Priority"));
}

TEST_F(FarmJobs, are_submitted_with_what_binds_them_to_their_node) {
  root_.write("bundle", "#!/bin/sh\n");
  fs::permissions(root_.path() / "bundle", fs::perms::owner_all);
  slurm_.answers["sinfo"] = answer("node1|lab*|idle|Unknown|none\nnode2|big|idle|Unknown|none\n");
  slurm_.answers["squeue"] = answer("");
  slurm_.answers["sha256sum"] = answer(std::string(64, 'a') + "  bundle\n");
  SubmitRequest request;
  request.results = root_.path();
  request.bundle = root_.path() / "bundle";
  request.night = "n";
  request.budget_seconds = 1200;
  request.licenses = "host:1";
  request.dry_run = true;
  request.run = slurm_.runner();
  std::vector<NodeSubmission> all;
  ASSERT_TRUE(submit_night(request, [&](const NodeSubmission& one) { all.push_back(one); }));
  ASSERT_EQ(all.size(), 1u) << "only the default partition";
  EXPECT_EQ(fmt::format("{}", fmt::join(all[0].command, " ")),
            fmt::format("sbatch --job-name=lab-n-node1 --nodelist=node1 --nodes=1 --exclusive --mem=0 --requeue "
                        "--signal=B:TERM@60 --open-mode=append --output=/dev/null --chdir=/ --comment={0} --time=70 "
                        "--licenses=host:1 farm_job.sh n {1} 1200 {0}",
                        root_.path().string(), std::string(64, 'a')));
  EXPECT_FALSE(fs::exists(root_.path() / "jobs/n"));
}

TEST(SlurmNode, is_down_in_every_state_that_runs_no_job) {
  for (const char* state : {"down", "down*", "drained", "draining", "idle*", "failing", "unknown", "powered_down"})
    EXPECT_TRUE((SlurmNode{"n", "p", state, true, "", ""}.is_down())) << state;
  for (const char* state : {"idle", "allocated", "mixed", "completing", "reserved", "idle~"})
    EXPECT_FALSE((SlurmNode{"n", "p", state, true, "", ""}.is_down())) << state;
}

TEST(Slurm, reports_an_error_of_its_commands_as_one_sentence) {
  FakeSlurm fake;
  fake.answers["sbatch"] = answer("", 1, "sbatch: error: Batch job submission failed: Invalid license specification\n");
  fake.answers["squeue"] =
      answer("", 1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
  const Slurm slurm(fake.runner());
  EXPECT_EQ(slurm.submit({}).error().what, "sbatch: Batch job submission failed: Invalid license specification");
  EXPECT_EQ(slurm.jobs({"a"}).error().what,
            "Slurm's controller does not answer: squeue: Unable to contact slurm controller (connect failure)");
  EXPECT_EQ(slurm.nodes().error().what, "expected Slurm's commands on this machine, found no sinfo");
  EXPECT_TRUE(slurm.jobs({})->empty());
}

}  // namespace

}  // namespace lab::app
