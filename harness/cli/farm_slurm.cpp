#include "harness/cli/farm_slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/app/farm_jobs.h"
#include "harness/base/fit.h"
#include "harness/base/json_fields.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"

namespace lab::cli {

namespace {

app::FarmNight night_of(const Options& options, const std::filesystem::path& results) {
  app::FarmNight night;
  night.results = results;
  night.night = options.value("--night");
  night.nodes = options.value("--nodes");
  return night;
}

/// As a shell would take them.
std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    const bool is_plain = !word.empty() && word.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                               "-_=+:,./@%") == std::string::npos;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    text += (text.empty() ? "" : " ") + (is_plain ? word : quoted + "'");
  }
  return text;
}

std::string line_of(const app::NodeSubmission& node) {
  if (!node.command.empty()) return command_text(node.command);
  std::string line = node.node + ": ";
  if (node.found.empty())
    line += "submitted" + (node.job.empty() ? "" : " as job " + node.job);
  else
    line += "not submitted: " + node.found + (node.job.empty() ? "" : ", job " + node.job);
  if (!node.down.empty()) line += "; it waits for its node, which is " + node.down;
  return printable(line);
}

/// "12 fit, 1 lost", in the order of NodeState.
std::string counts_of(const std::vector<app::NodeStatus>& nodes) {
  std::map<app::NodeState, std::size_t> counts;
  for (const app::NodeStatus& node : nodes) ++counts[node.state];
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, app::name_of(state)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

json::value json_of(const app::NodeStatus& node) {
  return json::object{{"node", node.node},
                      {"state", app::name_of(node.state)},
                      {"detail", node.detail},
                      {"job", node.job},
                      {"phase", node.phase},
                      {"status", to_json(node.harness_status)},
                      {"machine", to_json(node.machine)},
                      {"session", to_json(node.session)},
                      {"delivered", node.delivered}};
}

}  // namespace

Expected<ExitStatus> run_submit(const Options& options, const std::filesystem::path& results) {
  app::SubmitRequest request;
  request.results = results;
  if (options.positional().size() > 1) request.bundle = options.positional()[1];
  if (const std::optional<std::string> night = options.value("--night")) request.night = *night;
  request.partition = options.value("--partition");
  request.nodes = options.value("--nodes");
  request.licenses = options.value("--licenses");
  request.dry_run = options.has("--dry-run");
  if (const auto read = options.read("--budget", request.budget_seconds, 0.1, 1e7); !read) return read.error();
  const Expected<void> done = app::submit_night(request, [](const app::NodeSubmission& node) {
    fmt::print("{}\n", line_of(node));
    std::fflush(stdout);
  });
  return done ? Expected<ExitStatus>(ExitStatus::kOk) : done.error();
}

Expected<ExitStatus> run_status(const Options& options, const std::filesystem::path& results) {
  const Expected<app::NightStatus> night = app::night_status(night_of(options, results));
  if (!night) return night.error();
  if (options.has("--json")) {
    json::array nodes;
    for (const app::NodeStatus& node : night->nodes) nodes.push_back(json_of(node));
    fmt::print("{}\n",
               json::serialize(json::object{
                   {"night", night->night}, {"nodes", std::move(nodes)}, {"remarks", to_json(night->remarks)}}));
    return night->status();
  }
  const std::size_t width = output_width(STDOUT_FILENO);
  fmt::print("{}\n", wrapped_after(fmt::format("night {}: {}{}{}", night->night, counted(night->nodes.size(), "node"),
                                               night->nodes.empty() ? "" : ": ", counts_of(night->nodes)),
                                   width, 2));
  std::vector<std::vector<std::string>> rows;
  for (const app::NodeStatus& node : night->nodes)
    rows.push_back({node.node, std::string(app::name_of(node.state)), printable(node.detail)});
  if (!rows.empty()) fmt::print("{}", table_text({{""}, {""}, {"", false, true}}, rows, width));
  for (const std::string& remark : night->remarks)
    fmt::print("{}\n", wrapped_after("note: " + printable(remark), width, 2));
  return night->status();
}

Expected<ExitStatus> run_cancel(const Options& options, const std::filesystem::path& results) {
  const Expected<std::vector<app::CancelledJob>> cancelled = app::cancel_night(night_of(options, results));
  if (!cancelled) return cancelled.error();
  for (const app::CancelledJob& job : *cancelled)
    fmt::print("{}: job {} {}\n", job.node, job.job,
               job.ran ? "ends with what it has, and delivers that" : "is cancelled; it had not begun");
  if (cancelled->empty()) fmt::print(stderr, "farm: no job of this night waits or runs\n");
  return ExitStatus::kOk;
}

}  // namespace lab::cli
