#include "harness/app/night_environment.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <sstream>

#include "harness/measure/machine.h"
#include "harness/measure/provenance.h"

namespace lab::app {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Expected<std::string> HarnessNightEnvironment::machine() {
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  return machine->id;
}

Expected<std::vector<std::string>> HarnessNightEnvironment::commits(const std::vector<std::string>& range) {
  // As in measure/provenance.cpp: the checkout may be another user's.
  std::vector<std::string> arguments{"-c", "safe.directory=*", "rev-list", "--first-parent"};
  arguments.insert(arguments.end(), range.begin(), range.end());
  const ChildOutcome outcome = run_child(measure::git_command(paths_.root, arguments), guard_.file());
  if (outcome.end == ChildEnd::kNotStarted) return Error{fmt::format("git: {}", std::strerror(outcome.code)), ""};
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
    const std::string said = outcome.error_tail.substr(0, outcome.error_tail.find_last_not_of('\n') + 1);
    return Error{fmt::format("git rev-list: {}", said.empty() ? "no error message" : said), ""};
  }
  return lines_of(outcome.output);
}

ChildSpec HarnessNightEnvironment::command(const std::vector<std::string>& arguments) const {
  ChildSpec spec;
  spec.command = {paths_.executable.string()};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.timeout_seconds = std::numeric_limits<double>::infinity();
  spec.environment = {"LAB_RESULTS=" + paths_.results.string()};
  spec.kept_files = {paths_.lock};
  return spec;
}

Expected<VerbOutcome> HarnessNightEnvironment::run_verb(const std::string& verb,
                                                        const std::vector<std::string>& arguments) {
  std::vector<std::string> words{verb};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ChildSpec spec = command(words);
  // Attached: a killed night does not lose its running session, and a person sees its progress.
  spec.attached = true;
  const ChildOutcome outcome = run_child(spec, guard_.file());
  if (outcome.end != ChildEnd::kExited && outcome.end != ChildEnd::kSignalled)
    return Error{fmt::format("harness {}: {}", verb, describe_end(spec, outcome)), "python3 make.py build"};
  VerbOutcome result{outcome.end == ChildEnd::kSignalled ? -outcome.code : outcome.code, ""};
  // The last line may be a path, which only the night needs; all other lines are for people.
  const std::vector<std::string> lines = lines_of(outcome.output);
  if (!lines.empty()) result.last_line = lines.back();
  for (const std::string& line : lines)
    if (!line.starts_with('/') || &line != &lines.back()) print_line(line);
  return result;
}

HistoryText HarnessNightEnvironment::history_text() {
  ChildSpec spec = command({"history", "--results", paths_.results.string()});
  spec.tail_limit = spec.output_limit;
  const ChildOutcome outcome = run_child(spec, guard_.file());
  // Remarks come first: to a pipe, the tables are written at the end.
  HistoryText history{outcome.error_tail + outcome.output, ""};
  if (outcome.end != ChildEnd::kExited || outcome.code != 0)
    history.problem = "harness history ended with " + describe_end(spec, outcome);
  return history;
}

}  // namespace lab::app
