// bisect: finds the commit that made a benchmark slower, or any number worse. Progress goes to standard error, the
// answer to standard output.
#include "harness/app/bisect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/interrupt.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/cli/talk.h"
#include "harness/report/bisect_text.h"

namespace lab::cli {

namespace {

Expected<app::BisectRequest> parse_request(const Options& options) {
  constexpr const char* kHint = "python3 make.py bisect --help";
  if (!options.positional().empty())
    return usage_error(fmt::format("bisect takes no argument, found '{}'", options.positional().front()), kHint);
  app::BisectRequest request;
  for (const auto& [name, value] : {std::pair{"--good", &request.good}, std::pair{"--bad", &request.bad}}) {
    const std::optional<std::string> given = options.value(name);
    if (!given) return usage_error(fmt::format("{} is missing", name), kHint);
    *value = *given;
  }
  if (options.has("--benchmark") == options.has("--measure"))
    return usage_error("expected one of --benchmark and --measure", kHint);
  request.benchmark = options.value("--benchmark").value_or("");
  request.command = options.value("--measure").value_or("");
  if (const auto repository = options.value("--repo")) request.repository = *repository;
  const Expected<double> confidence = options.number("--confidence", 0.99, 0.5, 0.999999);
  if (!confidence) return confidence.error();
  request.aim.confidence = *confidence;
  const Expected<double> budget = options.number("--budget", 0, 0.1, 1e7);
  if (!budget) return budget.error();
  request.aim.budget_seconds = *budget;
  const Expected<double> timeout = options.number("--timeout", 0, 0.1, 1e6);
  if (!timeout) return timeout.error();
  if (options.has("--timeout")) request.timeout_seconds = *timeout;
  const Expected<std::int64_t> seed = options.integer("--seed", 1, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return seed.error();
  request.seed = static_cast<std::uint64_t>(*seed);
  request.restart = options.has("--restart");
  return request;
}

/// Shows the search's progress on standard error.
class BisectTerminal {
 public:
  app::BisectObserver observer() {
    return {[this](const results::BisectRecord& record) { begin(record); },
            [this](std::string_view said) { talk_.tell(said); },
            {[this](const std::string& sha, bool preparing) {
               if (preparing) talk_.begin(fmt::format("bisect: preparing {}", (*names_)(sha)));
             },
             [this](const app::Step& step) { show(step); },
             [this](const std::string& sha, const std::string& why) {
               line_.print(fmt::format("bisect: failed at {}: {}", (*names_)(sha), why));
             }},
            [this](const results::BisectRecord& record, bool answered) { end(record, answered); }};
  }

 private:
  void begin(const results::BisectRecord& record) {
    const results::BisectQuestion& question = record.question();
    names_.emplace(question);
    line_.print(fmt::format("bisect: {} after {}, {}", counted(question.commits.size() - 1, "commit"),
                            (*names_)(question.commits.front().sha),
                            question.benchmark.empty() ? question.command : question.benchmark));
    if (!record.warning().empty()) line_.print(fmt::format("bisect: warning: {}", record.warning()));
    if (record.found() > 0)
      line_.print(fmt::format("bisect: goes on after {} in '{}' (--restart begins anew)",
                              counted(record.found(), "step"), record.path().string()));
  }

  void show(const app::Step& step) {
    const results::BisectEntry& entry = step.entry;
    const std::string commit = (*names_)(entry.commit);
    const auto belief = [&] {
      return "bisect: " + report::belief_text(entry, step.verdict.measurements, step.holding, *names_);
    };
    if (!entry.skip.empty())
      line_.print(
          fmt::format("bisect: skipped {}: {}{}", commit, entry.skip, entry.again ? " (tried again next time)" : ""));
    else if (line_.live())
      line_.show(belief());
    else if (entry.value)
      line_.print(fmt::format("{}; {:.6g} at {}", belief(), *entry.value, commit));
  }

  void end(const results::BisectRecord& record, bool answered) {
    line_.clear();
    if (!answered && !record.entries().empty())
      line_.print(fmt::format("bisect: {} kept in '{}'; the same command goes on from there",
                              counted(record.entries().size(), "step"), record.path().string()));
  }

  StatusLine line_{STDERR_FILENO};
  BuildTalk talk_{line_};
  std::optional<report::CommitNames> names_;
};

Expected<ExitStatus> run(const Options& options) {
  Expected<app::BisectRequest> request = parse_request(options);
  if (!request) return request.error();
  const InterruptGuard guard;
  request->stop_file = guard.file();
  BisectTerminal terminal;
  const Expected<app::BisectAnswer> answer = app::bisect(*request, terminal.observer());
  if (!answer) return answer.error();
  const auto& [verdict, question, record] = *answer;
  fmt::print("{}", options.has("--json") ? report::to_json(verdict, question, record)
                                         : report::to_text(verdict, question, report::CommitNames(question)));
  return verdict.answer == judge::BisectVerdict::Answer::kUndecided ? ExitStatus::kFailed : ExitStatus::kOk;
}

}  // namespace

Command bisect_command() {
  return {
      "bisect",
      "--good REV --bad REV (--benchmark NAME | --measure COMMAND) [--repo DIR] [--confidence 0.99] [--budget SECONDS] "
      "[--restart] [--json]",
      "the commit that made a benchmark, or any number, slower",
      {{"--good", "REV", "the last known commit without the change; an ancestor of --bad"},
       {"--bad", "REV", "a commit with it"},
       {"--benchmark", "NAME", "family/variant/workload, each commit built by its own make.py"},
       {"--measure", "COMMAND",
        "sh -c COMMAND in a tree of the commit: its last line is a number, smaller is better; status 125 skips the "
        "commit, others but 0 are failures"},
       {"--repo", "DIR", "a repository other than this one, which is left as it was"},
       {"--confidence", "P", "how sure the answer is to be (default: 0.99)"},
       {"--budget", "SECONDS", "then the candidates are what is known"},
       {"--timeout", "SECONDS", "of one measurement (default: 60 of a benchmark, 3600 of a command)"},
       {"--seed", "N", "of the workload (default: 1)"},
       {"--restart", "", "forgets what was measured for the same ends"},
       {"--json", "", "one object"}},
      run,
      "Goes on from its record when called again. Exit status: 0 a culprit, candidates that cannot be told apart, or "
      "no "
      "difference; 1 undecided when the budget ended; 2 an end that cannot be measured"};
}

}  // namespace lab::cli
