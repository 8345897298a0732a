#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/app/history.h"
#include "harness/app/night_steps.h"
#include "harness/results/commit.h"

namespace lab::app {

namespace {

/// Commits that `machine` has measured.
Expected<std::set<std::string>> measured_on(const std::string& machine, const std::filesystem::path& results) {
  const Expected<std::vector<judge::SeriesHistory>> all = machine_history(results, machine);
  if (!all) return all.error();
  std::set<std::string> commits;
  for (const judge::SeriesHistory& history : *all)
    for (const results::SeriesPoint& point : history.points)
      if (point.commit) commits.insert(*point.commit);
  return commits;
}

/// Commits between the last one measured on this machine and tonight's, both excluded, the oldest first.
Expected<std::vector<std::string>> missing(const NightRequest& request, NightEnvironment& environment) {
  const Expected<std::string> machine = environment.machine();
  if (!machine) return machine.error();
  const Expected<std::set<std::string>> measured = measured_on(*machine, request.results);
  if (!measured) return measured.error();
  Expected<std::vector<std::string>> commits =
      environment.commits({fmt::format("--max-count={}", request.backfill + 1), "HEAD"});
  if (!commits) return commits;
  if (commits->size() <= static_cast<std::size_t>(request.backfill))
    environment.print_line(
        fmt::format("nightly: git has only {} earlier commits, expected {}; in a shallow clone, run git fetch "
                    "--unshallow",
                    static_cast<long>(commits->size()) - 1, request.backfill));
  const auto is_measured = [&](const std::string& commit) { return measured->contains(commit); };
  commits->erase(std::find_if(commits->begin(), commits->end(), is_measured), commits->end());
  if (!commits->empty()) commits->erase(commits->begin());  // tonight's own
  std::reverse(commits->begin(), commits->end());
  return commits;
}

}  // namespace

Expected<bool> measure_missing(const NightRequest& request, NightEnvironment& environment, const NightTime& time) {
  const Expected<std::vector<std::string>> commits = missing(request, environment);
  if (!commits) {
    environment.print_line(fmt::format("nightly: no backfill: {}", commits.error().what));
    return false;
  }
  const double tonight = time.share(commits->size() + 1).value_or(0);
  for (std::size_t i = 0; i < commits->size(); ++i) {
    const std::size_t to_come = commits->size() - i;
    std::vector<std::string> arguments{"--revision", (*commits)[i], "--fixed", "--quick"};
    if (const std::optional<double> share = time.share(to_come + 1)) {
      // A share limits only measuring, so build time must not reduce the share of tonight's session.
      const double seconds = std::min(*share, *time.share(to_come, tonight));
      if (seconds < kLeastSeconds) {
        environment.print_line(
            fmt::format("nightly: no time is left for {} earlier commits; use a larger --budget", to_come));
        return i > 0;
      }
      arguments = {"--revision", (*commits)[i], "--fixed", "--budget", fmt::format("{:.0f}", seconds)};
    }
    const std::string name = results::short_commit((*commits)[i]);
    environment.print_line(fmt::format("nightly: backfill {}/{}: {}", i + 1, commits->size(), name));
    const Expected<VerbOutcome> measured = call_verb(environment, "run", arguments);
    if (!measured && measured.error().status == ExitStatus::kInterrupted) return measured.error();
    if (!measured || measured->last_line.empty())  // the subcommand has printed the reason
      environment.print_line(fmt::format("nightly: {} is omitted", name));
  }
  return !commits->empty();
}

}  // namespace lab::app
