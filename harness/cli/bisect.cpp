// bisect: finds the commit that made a benchmark slower, or any number worse. Progress goes to standard error, the
// answer to standard output.
#include "harness/app/bisect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/interrupt.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/build_progress.h"
#include "harness/cli/commands.h"
#include "harness/report/bisect_text.h"

namespace lab::cli {

namespace {

/// The progress of `bisect` on standard error.
class BisectTerminal : public app::BisectEvents {
  void on_open(const results::BisectRecord& record) override {
    const results::BisectQuestion& question = record.question();
    names_.emplace(question);
    line_.print(fmt::format("bisect: {} after {}, {}", counted(question.commits.size() - 1, "commit"),
                            (*names_)(question.commits.front().sha),
                            question.benchmark.empty() ? question.command : question.benchmark));
    if (!record.warning().empty()) line_.print(fmt::format("bisect: warning: {}", record.warning()));
    if (record.found() > 0)
      line_.print(fmt::format("bisect: resuming after {} in '{}' (--restart discards them)",
                              counted(record.found(), "step"), record.path().string()));
  }
  void on_prepare(const std::string& sha) override { build_.begin("bisect: preparing " + (*names_)(sha)); }
  void on_build_output(std::string_view line) override { build_.show(line); }
  void on_failure(const std::string& sha, const std::string& why) override {
    line_.print(fmt::format("bisect: failed at {}: {}", (*names_)(sha), why));
  }
  void on_step(const app::BisectStep& step) override {
    const results::BisectEntry& entry = step.entry;
    const std::string commit = (*names_)(entry.commit);
    const auto posterior = [&] {
      return "bisect: " + report::posterior_text(entry, step.verdict.measurements, step.credible_set_size, *names_);
    };
    if (!entry.skip.empty())
      line_.print(fmt::format("bisect: skipped {}: {}{}", commit, entry.skip,
                              entry.again ? " (the next call retries it)" : ""));
    else if (line_.live())
      line_.show(posterior());
    else if (entry.value)
      line_.print(fmt::format("{}; {:.6g} at {}", posterior(), *entry.value, commit));
  }
  void on_end(const results::BisectRecord& record, bool answered) override {
    line_.clear();
    if (!answered && !record.entries().empty())
      line_.print(fmt::format("bisect: {} saved in '{}'; the same command resumes from there",
                              counted(record.entries().size(), "step"), record.path().string()));
  }

  StatusLine line_{STDERR_FILENO};
  BuildProgress build_{line_};
  std::optional<report::CommitNames> names_;
};

Expected<app::BisectRequest> parse_request(const Options& options) {
  constexpr const char* kHint = "python3 make.py bisect --help";
  if (const auto none = options.refuse_arguments("bisect", kHint); !none) return none.error();
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
  if (const auto malloc = options.value("--malloc")) request.malloc = *malloc;
  if (request.malloc && request.benchmark.empty())
    return usage_error("--malloc needs --benchmark; a command preloads what it likes itself", "leave out --malloc");
  if (const auto repository = options.value("--repo")) request.repository = *repository;
  auto& [confidence, budget_seconds] = request.goal;
  if (const auto read = options.read("--confidence", confidence, 0.5, 0.999999); !read) return read.error();
  if (const auto read = options.read("--budget", budget_seconds, 0.1, 1e7); !read) return read.error();
  if (const auto read = options.read("--timeout", request.timeout_seconds, 0.1, 1e6); !read) return read.error();
  if (const auto read = options.read("--seed", request.seed, 0, kMostSeed); !read) return read.error();
  request.restart = options.has("--restart");
  return request;
}

Expected<ExitStatus> run_bisect(const Options& options) {
  Expected<app::BisectRequest> request = parse_request(options);
  if (!request) return request.error();
  const InterruptGuard guard;
  request->stop_file = guard.file();
  BisectTerminal terminal;
  const Expected<app::BisectOutcome> answer = app::bisect(*request, terminal);
  if (!answer) return answer.error();
  const auto& [verdict, question, record] = *answer;
  fmt::print("{}", options.has("--json") ? report::to_json(verdict, question, record)
                                         : report::to_text(verdict, question, report::CommitNames(question)));
  return verdict.outcome == judge::BisectVerdict::Outcome::kUndecided ? ExitStatus::kFailed : ExitStatus::kOk;
}

}  // namespace

Command bisect_command() {
  return {
      "bisect",
      "--good REV --bad REV (--benchmark NAME [--malloc FILE] | --measure COMMAND) [--repo DIR] [--confidence 0.99] "
      "[--budget SECONDS] "
      "[--restart] [--json]",
      "find the commit that made a benchmark slower, or any number worse",
      {{"--good", "REV", "a commit before the change; an ancestor of --bad"},
       {"--bad", "REV", "a commit after the change"},
       {"--benchmark", "NAME", "family/variant/workload; each commit is built with its own make.py"},
       {"--malloc", "FILE", "the library of a benchmark that was measured with run --malloc FILE"},
       {"--measure", "COMMAND",
        "run sh -c COMMAND in each commit's tree; the last line is a number, smaller is better; exit status 125 skips "
        "the commit, any other status except 0 is a failed measurement"},
       {"--repo", "DIR", "search another repository; it is left unchanged"},
       {"--confidence", "P", "required probability of the answer (default: 0.99)"},
       {"--budget", "SECONDS", "stop after this time and print the candidates"},
       {"--timeout", "SECONDS", "for one measurement (default: 60 for a benchmark, 3600 for a command)"},
       {"--seed", "N", "for the workload (default: 1)"},
       {"--restart", "", "discard earlier measurements for the same commits"},
       {"--json", "", "one object"}},
      run_bisect,
      "A second call with the same options resumes from the record of the first. Exit status: 0 a culprit, several "
      "candidates that cannot be separated, or no difference; 1 undecided at the end of the budget; 2 --good or --bad "
      "cannot be measured"};
}

}  // namespace lab::cli
