#include "harness/cli/bisect_terminal.h"

#include <fmt/format.h>

#include "harness/base/fit.h"

namespace lab::cli {

void BisectTerminal::on_open(const results::BisectRecord& record) {
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

void BisectTerminal::on_step(const app::BisectStep& step) {
  const results::BisectEntry& entry = step.entry;
  const std::string commit = (*names_)(entry.commit);
  const auto posterior = [&] {
    return "bisect: " + report::posterior_text(entry, step.verdict.measurements, step.credible_set_size, *names_);
  };
  if (!entry.skip.empty())
    line_.print(
        fmt::format("bisect: skipped {}: {}{}", commit, entry.skip, entry.again ? " (the next call retries it)" : ""));
  else if (line_.live())
    line_.show(posterior());
  else if (entry.value)
    line_.print(fmt::format("{}; {:.6g} at {}", posterior(), *entry.value, commit));
}

void BisectTerminal::on_end(const results::BisectRecord& record, bool answered) {
  line_.clear();
  if (!answered && !record.entries().empty())
    line_.print(fmt::format("bisect: {} saved in '{}'; the same command resumes from there",
                            counted(record.entries().size(), "step"), record.path().string()));
}

}  // namespace lab::cli
