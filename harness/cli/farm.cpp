// farm: what the keeper of many machines asks and says. `check` is for cron on the host that collects results: a silent
// machine cannot mail. The verbs over Slurm are in farm_slurm.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/app/farm_check.h"
#include "harness/app/notify.h"
#include "harness/base/fit.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/cli/farm_collect.h"
#include "harness/cli/farm_slurm.h"
#include "harness/cli/notify_options.h"
#include "harness/report/farm_text.h"

namespace lab::cli {

namespace {

constexpr const char* kExample = "python3 make.py farm check --results DIR";

/// Tells others, and returns the check's status. What could not be told changes it only if all is fine: then cron would
/// say nothing.
Expected<ExitStatus> tell_others(const app::FarmCheck& check, const std::filesystem::path& results,
                                 const app::NotifyRequest& request) {
  std::fflush(stdout);  // before a command that may take its time
  const Expected<app::Telling> telling = app::tell_of_farm(check, results, request);
  const std::string remark = telling ? telling->remark : "--notify: nothing is told: " + telling.error().what;
  if (remark.empty()) return check.status();
  fmt::print(stderr, "farm: {}\n", remark);
  return check.status() == ExitStatus::kOk ? ExitStatus::kFailed : check.status();
}

Expected<ExitStatus> run_check(const Options& options, const std::filesystem::path& results) {
  const Expected<std::optional<app::NotifyRequest>> notify = notify_request(options);
  if (!notify) return notify.error();
  StatusLine line(STDERR_FILENO);
  const app::HistoryObserver observer{[&](const results::StoreProgress& progress) {
                                        line.show(fmt::format("farm: {}/{} results read", progress.done, progress.all));
                                      },
                                      [&] { line.clear(); },
                                      [&](const std::string& sentence) { line.print("farm: " + sentence); }};
  const Expected<app::FarmCheck> check = app::check_farm({results}, observer);
  if (!check) {
    Error error = check.error();
    if (const std::string unread = unread_text(results); !unread.empty())
      error.hint = fmt::format("python3 make.py farm collect --results {}", results.string());
    return error;
  }
  if (options.has("--json"))
    fmt::print("{}", report::to_json(check->farm, check->alarms));
  else
    fmt::print("{}", report::check_text({check->farm, check->alarms, check->raised, check->fixed},
                                        output_width(STDOUT_FILENO)) +
                         unread_text(results));
  return *notify ? tell_others(*check, results, **notify) : check->status();
}

Expected<ExitStatus> say(const Options& options, const std::filesystem::path& results, results::AlarmStep step) {
  const std::vector<std::string>& words = options.positional();
  const Expected<void> said = app::say_of_alarm(results, words[1], step, words.size() == 3 ? words[2] : "");
  return said ? Expected<ExitStatus>(ExitStatus::kOk) : said.error();
}

Expected<ExitStatus> run_ack(const Options& options, const std::filesystem::path& results) {
  return say(options, results, results::AlarmStep::kAcknowledged);
}

Expected<ExitStatus> run_explain(const Options& options, const std::filesystem::path& results) {
  return say(options, results, results::AlarmStep::kExplained);
}

/// What `farm` can be told.
struct Verb {
  std::string_view name, arguments;
  std::size_t least = 0, most = 0;        ///< arguments
  std::vector<std::string_view> options;  ///< beside --results
  Expected<ExitStatus> (*run)(const Options& options, const std::filesystem::path& results);
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{
      {"check", "", 0, 0, {"--json", "--notify", "--page"}, run_check},
      {"collect", "", 0, 0, {"--from", "--json"}, run_farm_collect},
      {"ack", "ID [NOTE]", 1, 2, {}, run_ack},
      {"explain", "ID COMMIT", 2, 2, {}, run_explain},
      {"submit",
       "BUNDLE",
       0,
       1,
       {"--partition", "--nodes", "--budget", "--licenses", "--night", "--dry-run"},
       run_submit},
      {"status", "", 0, 0, {"--night", "--json"}, run_status},
      {"cancel", "", 0, 0, {"--night", "--nodes"}, run_cancel},
  };
  return table;
}

Expected<ExitStatus> run_farm(const Options& options) {
  const std::vector<std::string>& words = options.positional();
  const std::string word = words.empty() ? "" : words.front();
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    names.emplace_back(verb.name);
    if (verb.name != word) continue;
    if (words.size() - 1 < verb.least || words.size() - 1 > verb.most)
      return usage_error(fmt::format("expected farm {}{}{}, found {}", verb.name, verb.arguments.empty() ? "" : " ",
                                     verb.arguments, counted(words.size(), "word")),
                         kExample);
    for (const Verb& other : verbs())
      for (const std::string_view option : other.options)
        if (options.has(std::string(option)) && std::ranges::find(verb.options, option) == verb.options.end())
          return usage_error(fmt::format("farm {} has no {}", verb.name, option), fmt::format("leave out {}", option));
    return verb.run(options, options.value("--results").value_or(results_dir().string()));
  }
  const std::string last = names.back();
  names.pop_back();
  return usage_error(fmt::format("expected {} or {}, found {}", fmt::join(names, ", "), last,
                                 word.empty() ? "nothing" : fmt::format("'{}'", word)),
                     kExample);
}

}  // namespace

Command farm_command() {
  std::vector<command::Option> options{
      {"--results", "DIR", "the results folder, with one subfolder per machine (default: results)"},
      {"--json", "", "check, collect, status: one object"},
      {"--from", "s3://BUCKET/PREFIX", "collect: first fetch what was delivered there"},
      {"--night", "NAME", "submit (default: today in UTC), status, cancel (default: the last)"},
      {"--nodes", "LIST", "submit, cancel: these nodes, as Slurm writes them (default: all of the partition)"},
      {"--partition", "P", "submit: its nodes (default: Slurm's)"},
      {"--budget", "SECONDS", "submit: of each session (default: as run)"},
      {"--licenses", "L", "submit: licences of each job; with host:1, jobs of one host take turns"},
      {"--dry-run", "", "submit: print the calls of sbatch, change nothing"}};
  const std::vector<command::Option> notify = notify_options("check: ");
  options.insert(options.begin() + 2, notify.begin(), notify.end());
  return {
      "farm",
      "check | collect | ack ID [NOTE] | explain ID COMMIT | submit BUNDLE | status | cancel  [--results DIR]",
      "many machines in one results folder: alarms, and nights on a Slurm cluster",
      std::move(options),
      run_farm,
      "collect takes what deliver brought to the inbox into the folders of the machines, and what is no right result "
      "to quarantine. check raises an alarm for each new change of the code that slows several machines down, and says "
      "which "
      "machines are silent. Exit status: 0 fine, 1 failed, 2 wrong usage, 3 an alarm that nobody has acknowledged "
      "or explained, 5 no such alarm, but a silent machine.\n\n"
      "submit gives Slurm one job for each node that has none in this night yet. status has one line for each node. "
      "Its exit status: 1 a node failed, crashed or has not delivered, else 3 a regression, else 5 a lost node, "
      "else 4 an unfit session, else 0. cancel ends this user's jobs of the night; what they measured is delivered."};
}

}  // namespace lab::cli
