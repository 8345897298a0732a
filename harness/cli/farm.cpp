// farm: what the keeper of many machines asks and says. `check` is for cron on the host that collects results: a silent
// machine cannot mail.
#include <fmt/format.h>
#include <unistd.h>

#include <span>

#include "harness/app/farm_check.h"
#include "harness/base/fit.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/cli/farm_collect.h"
#include "harness/report/farm_text.h"

namespace lab::cli {

namespace {

constexpr const char* kExample = "python3 make.py farm check --results DIR";

Expected<ExitStatus> run_check(const Options& options, const std::filesystem::path& results) {
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
  return check->status();
}

Expected<ExitStatus> run_farm(const Options& options) {
  const std::vector<std::string>& words = options.positional();
  const std::filesystem::path results = options.value("--results").value_or(results_dir().string());
  const std::string verb = words.empty() ? "" : words.front();
  const auto expect = [&](std::size_t least, std::size_t most, std::string_view form) -> Expected<void> {
    if (words.size() >= least && words.size() <= most) return {};
    return usage_error(fmt::format("expected farm {}, found {}", form, counted(words.size(), "word")), kExample);
  };
  if (verb == "check") {
    const Expected<void> right = expect(1, 1, "check");
    return right ? run_check(options, results) : right.error();
  }
  if (verb == "collect") {
    const Expected<void> right = expect(1, 1, "collect");
    return right ? run_farm_collect(options, results) : right.error();
  }
  if (verb == "ack" || verb == "explain") {
    const bool is_ack = verb == "ack";
    const Expected<void> right = expect(is_ack ? 2 : 3, 3, is_ack ? "ack ID [NOTE]" : "explain ID COMMIT");
    if (!right) return right.error();
    const Expected<void> said = app::say_of_alarm(
        results, words[1], is_ack ? results::AlarmStep::kAcknowledged : results::AlarmStep::kExplained,
        words.size() == 3 ? words[2] : "");
    if (!said) return said.error();
    return ExitStatus::kOk;
  }
  return usage_error(verb.empty() ? "expected check, collect, ack or explain, found nothing"
                                  : fmt::format("expected check, collect, ack or explain, found '{}'", verb),
                     kExample);
}

}  // namespace

Command farm_command() {
  return {"farm",
          "check [--json] | collect [--from s3://BUCKET/PREFIX] [--json] | ack ID [NOTE] | explain ID COMMIT  "
          "[--results DIR]",
          "alarms of many machines in one results folder, for cron, and what people say of them",
          {{"--results", "DIR", "the results folder, with one subfolder per machine (default: results)"},
           {"--from", "s3://BUCKET/PREFIX", "collect: first fetch what was delivered there"},
           {"--json", "", "one object with machines, changes and alarms, or with what was collected"}},
          run_farm,
          "collect takes what `deliver` brought to the inbox into the folders of the machines, and what is no right "
          "result to quarantine. check raises an alarm for each new change of the code that slows several machines "
          "down, and says which "
          "machines are silent. Exit status: 0 fine, 1 failed, 2 wrong usage, 3 an alarm that nobody has acknowledged "
          "or explained, 5 no such alarm, but a silent machine."};
}

}  // namespace lab::cli
