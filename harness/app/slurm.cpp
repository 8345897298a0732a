#include "harness/app/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/printable.h"

namespace lab::app {

namespace {

/// Slurm's commands themselves try for up to 10 s, and longer where the controller is busy.
constexpr double kPatienceSeconds = 120;

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

/// Lines of columns with '|' between them; the last column may contain one.
std::vector<std::vector<std::string>> rows_of(const std::string& text, std::size_t columns) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> row;
    std::string_view rest = line;
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      const std::size_t end = rest.find('|');
      row.push_back(trimmed(std::string(rest.substr(0, end))));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    row.push_back(trimmed(std::string(rest)));
    rows.push_back(std::move(row));
  }
  return rows;
}

template <typename Number>
Number number_in(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// From "3:0", or from the status of wait().
int exit_status_in(const std::string& text) {
  return text.find(':') == std::string::npos ? number_in<int>(text) >> 8 : number_in<int>(text);
}

/// "sbatch: error: Batch job submission failed: Invalid ..." without the program's name, of the last line that says
/// more than a repetition.
std::string sentence_of(const std::string& error) {
  std::string sentence = trimmed(printable(error));
  if (const std::size_t line = sentence.rfind('\n'); line != std::string::npos) sentence.erase(0, line + 1);
  if (const std::size_t start = sentence.find("error: "); start != std::string::npos) sentence.erase(0, start + 7);
  return sentence;
}

}  // namespace

bool SlurmNode::is_down() const {
  constexpr std::array kGone{"down", "drain", "fail", "unknown", "power"};
  return state.find('*') != std::string::npos ||
         std::ranges::any_of(kGone, [&](std::string_view gone) { return state.starts_with(gone); });
}

bool SlurmJob::has_ended() const {
  constexpr std::array<std::string_view, 10> kAlive{"PENDING",  "CONFIGURING",  "RUNNING", "COMPLETING", "SUSPENDED",
                                                    "REQUEUED", "REQUEUE_HOLD", "STOPPED", "SIGNALING",  "STAGE_OUT"};
  return std::ranges::find(kAlive, state) == kAlive.end();
}

Slurm::Slurm(Runner run) : run_(std::move(run)) {}

Expected<std::string> Slurm::call(std::vector<std::string> command) const {
  ChildSpec spec;
  spec.command = std::move(command);
  spec.timeout_seconds = kPatienceSeconds;
  // A user's own formats and filters for these commands would change what they print.
  for (const char* name : {"SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_STATES", "SQUEUE_USERS", "SQUEUE_PARTITION",
                           "SQUEUE_NAMES", "SQUEUE_ACCOUNT", "SINFO_FORMAT", "SINFO_PARTITION", "SINFO_SORT"})
    spec.environment.emplace_back(name);
  const ChildOutcome outcome = run_(spec);
  const std::string& program = spec.command.front();
  if (outcome.end == ChildEnd::kNotStarted && outcome.code == ENOENT)
    return Error{fmt::format("expected Slurm's commands on this machine, found no {}", program),
                 "call it on a host of the cluster, or install Slurm's client (Debian: slurm-client)"};
  if (outcome.end == ChildEnd::kExited && outcome.code == 0) return outcome.output;
  const std::string sentence = sentence_of(outcome.error_tail);
  if (outcome.end == ChildEnd::kTimedOut || sentence.find("Unable to contact slurm controller") != std::string::npos ||
      sentence.find("Connection refused") != std::string::npos)
    return Error{fmt::format("Slurm's controller does not answer: {}: {}", program,
                             sentence.empty() ? describe_end(spec, outcome) : sentence),
                 "scontrol ping"};
  return Error{fmt::format("{}: {}", program, sentence.empty() ? describe_end(spec, outcome) : sentence), ""};
}

Expected<std::vector<SlurmNode>> Slurm::nodes() const {
  const Expected<std::string> text = call({"sinfo", "--noheader", "--Node", "--all", "--format=%N|%P|%T|%H|%E"});
  if (!text) return text.error();
  std::vector<SlurmNode> nodes;
  for (std::vector<std::string>& row : rows_of(*text, 5)) {
    SlurmNode node{row[0], row[1], row[2], false, row[3], row[4]};
    node.in_default_partition = node.partition.ends_with('*');
    if (node.in_default_partition) node.partition.pop_back();
    if (node.since == "Unknown") node.since.clear();
    if (node.reason == "none") node.reason.clear();
    nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, [](const SlurmNode& node) { return std::tie(node.name, node.partition); });
  return nodes;
}

Expected<std::vector<std::string>> Slurm::expand(const std::string& list) const {
  const Expected<std::string> text = call({"scontrol", "show", "hostnames", list});
  if (!text) return text.error();
  std::vector<std::string> names;
  for (std::vector<std::string>& row : rows_of(*text, 1))
    if (!row[0].empty()) names.push_back(std::move(row[0]));
  return names;
}

Expected<std::vector<SlurmJob>> Slurm::jobs(const std::vector<std::string>& names) const {
  std::vector<SlurmJob> jobs;
  if (names.empty()) return jobs;
  const Expected<std::string> text = call(
      {"squeue", "--noheader", "--all", "--states=all", "--sort=i", fmt::format("--name={}", fmt::join(names, ",")),
       "--Format=JobID:20|,Name:300|,UserID:20|,State:20|,Reason:100|,ReqNodes:300|,exit_code:20|,Comment:4200"});
  if (!text) return text.error();
  for (std::vector<std::string>& row : rows_of(*text, 8))
    jobs.push_back(
        {row[0], row[1], row[3], row[4], row[5], number_in<std::uint64_t>(row[2]), exit_status_in(row[6]), row[7]});
  return jobs;
}

Expected<std::string> Slurm::submit(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{"sbatch", "--parsable"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Expected<std::string> text = call(std::move(command));
  if (!text) return text.error();
  // "12", or "12;cluster".
  std::string job = trimmed(text->substr(0, text->find(';')));
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
    return Error{fmt::format("sbatch: expected a job's number, found '{}'", printable(trimmed(*text))), ""};
  return job;
}

Expected<void> Slurm::remove(const std::vector<std::string>& ids) const {
  return scancel({}, ids);
}

Expected<void> Slurm::terminate(const std::vector<std::string>& ids) const {
  return scancel({"--batch", "--signal=TERM"}, ids);
}

Expected<void> Slurm::scancel(std::vector<std::string> arguments, const std::vector<std::string>& ids) const {
  if (ids.empty()) return {};
  arguments.insert(arguments.begin(), "scancel");
  arguments.insert(arguments.end(), ids.begin(), ids.end());
  const Expected<std::string> done = call(std::move(arguments));
  // One that has ended meanwhile is as good as cancelled.
  if (done || done.error().what.find("already completing or completed") != std::string::npos) return {};
  return done.error();
}

}  // namespace lab::app
