// bisect: which commit made a benchmark, or any number, slower. Talk and progress go to standard error; standard output
// has the answer.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>

#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/base/utc.h"
#include "harness/measure/meters.h"
#include "harness/app/bisect_search.h"
#include "harness/report/bisect_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/talk.h"
#include "harness/base/interrupt.h"
#include "harness/measure/machine.h"
#include "harness/measure/provenance.h"
#include "harness/results/journal.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using report::Names;
using judge::BisectVerdict;

constexpr double kProcessSeconds = 0.5;
constexpr double kBenchmarkTimeout = 60;
constexpr double kCommandTimeout = 3600;

/// "answer" in the JSON.
const std::map<BisectVerdict::Answer, std::string_view> kAnswers{{BisectVerdict::Answer::kCulprit, "culprit"},
                                                           {BisectVerdict::Answer::kSuspects, "candidates"},
                                                           {BisectVerdict::Answer::kNone, "none"},
                                                           {BisectVerdict::Answer::kUndecided, "undecided"}};

struct Request {
  std::string good;
  std::string bad;
  fs::path repository;
  app::Aim aim;
  results::Cell cell;
  bool restart = false;
};

Expected<Request> parse_request(const Options& options) {
  constexpr const char* kHint = "python3 make.py bisect --help";
  if (!options.positional().empty())
    return usage_error(fmt::format("bisect takes no argument, found '{}'", options.positional().front()), kHint);
  Request request;
  for (const auto& [name, value] : {std::pair{"--good", &request.good}, std::pair{"--bad", &request.bad}}) {
    const std::optional<std::string> given = options.value(name);
    if (!given) return usage_error(fmt::format("{} is missing", name), kHint);
    *value = *given;
  }
  if (options.has("--benchmark") == options.has("--measure"))
    return usage_error("expected one of --benchmark and --measure", kHint);
  request.cell.benchmark = options.value("--benchmark").value_or("");
  request.cell.command = options.value("--measure").value_or("");
  request.repository = options.value("--repo").value_or(root_dir().string());
  const Expected<double> confidence = options.number("--confidence", 0.99, 0.5, 0.999999);
  if (!confidence) return confidence.error();
  request.aim.confidence = *confidence;
  const Expected<double> budget = options.number("--budget", 0, 0.1, 1e7);
  if (!budget) return budget.error();
  request.aim.budget_seconds = *budget;
  const bool command = request.cell.benchmark.empty();
  const Expected<double> timeout = options.number("--timeout", command ? kCommandTimeout : kBenchmarkTimeout, 0.1, 1e6);
  if (!timeout) return timeout.error();
  request.cell.timeout_seconds = *timeout;
  const Expected<std::int64_t> seed = options.integer("--seed", 1, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return seed.error();
  request.cell.seed = static_cast<std::uint64_t>(*seed);
  request.restart = options.has("--restart");
  return request;
}

/// What the ends, the repository and this machine add to the request.
Expected<void> complete(Request& request, const measure::Revisions& revisions) {
  const Expected<std::string> good = revisions.resolve(request.good);
  if (!good) return in_context("--good", good.error());
  const Expected<std::string> bad = revisions.resolve(request.bad);
  if (!bad) return in_context("--bad", bad.error());
  Expected<std::vector<results::Commit>> path = revisions.between(*good, *bad);
  if (!path) return path.error();
  const Expected<results::Commit> first = revisions.describe(*good);
  if (!first) return first.error();
  results::Cell& cell = request.cell;
  cell.commits = {*first};
  cell.commits.insert(cell.commits.end(), path->begin(), path->end());
  cell.repository = fs::weakly_canonical(request.repository).string();
  const std::vector<int> allowed = measure::allowed_cpus();
  cell.threads = static_cast<unsigned>(std::max<std::size_t>(1, allowed.size()));
  if (cell.benchmark.empty()) return {};
  cell.process_seconds = kProcessSeconds;
  cell.cpu = measure::choose_cpu("/", allowed);
  const Expected<results::Build> build = measure::read_build(build_dir());
  if (!build) return build.error();
  cell.how = {build->toolchain, build->config, build->march};
  return {};
}

std::string belief_text(const app::Step& step, const Names& names) {
  const results::Entry& entry = step.entry;
  std::string text = fmt::format("bisect: {} measured, ", step.verdict.measurements);
  if (entry.most.empty() || entry.null > entry.most.front().probability)
    text += fmt::format("no difference {}", report::probability_text(entry.null));
  else
    text += fmt::format("{} hold{} 90 %, likeliest {} {}", counted(step.holding, "commit"), step.holding == 1 ? "s" : "",
                        names(entry.most.front().commit), report::probability_text(entry.most.front().probability));
  return text;
}

void tell_step(const app::Step& step, const Names& names, StatusLine& line) {
  const results::Entry& entry = step.entry;
  const std::string commit = names(entry.commit);
  if (!entry.skip.empty())
    line.print(
        fmt::format("bisect: skipped {}: {}{}", commit, entry.skip, entry.again ? " (tried again next time)" : ""));
  else if (line.live())
    line.show(belief_text(step, names));
  else if (entry.value)
    line.print(fmt::format("{}; {:.6g} at {}", belief_text(step, names), *entry.value, commit));
}

void print_text(const BisectVerdict& verdict, const results::Cell& cell, const Names& names) {
  fmt::print("{}\n", report::sentence(verdict, cell));
  if (verdict.answer == BisectVerdict::Answer::kCulprit && names.is_merge(verdict.suspects.front().commit))
    fmt::print("it is a merge; to look into its branch: --good $(git merge-base {0}^1 {0}^2) --bad {0}^2\n",
               verdict.suspects.front().commit.substr(0, 12));
  constexpr std::size_t kNamed = 20;
  if (verdict.suspects.size() > 1)
    for (std::size_t i = 0; i < std::min(kNamed, verdict.suspects.size()); ++i)
      fmt::print("  {:>7}  {}\n", report::probability_text(verdict.suspects[i].probability), names(verdict.suspects[i].commit));
  if (verdict.suspects.size() > kNamed) fmt::print("  and {} more\n", verdict.suspects.size() - kNamed);
  fmt::print("{} of {} in {}; noise of one {:.2g} %{}\n", counted(verdict.measurements, "measurement"),
             counted(verdict.measured_commits, "commit"), duration_text(verdict.seconds), 100 * verdict.noise,
             verdict.skipped.empty() ? "" : fmt::format("; {} skipped", counted(verdict.skipped.size(), "commit")));
}

void print_json(const BisectVerdict& verdict, const results::Cell& cell, const fs::path& record) {
  json::array candidates;
  for (const results::Suspect& each : verdict.suspects)
    candidates.push_back(json::object{{"commit", each.commit}, {"probability", each.probability}});
  json::array skipped;
  for (const judge::BisectSkip& each : verdict.skipped)
    skipped.push_back(json::object{{"commit", each.commit}, {"reason", each.reason}});
  const bool named = verdict.answer == BisectVerdict::Answer::kCulprit;
  const json::object object{
      {"culprit", named ? json::value(verdict.suspects.front().commit) : json::value(nullptr)},
      {"probability", verdict.probability},
      {"candidates", std::move(candidates)},
      {"measurements", verdict.measurements},
      {"answer", kAnswers.at(verdict.answer)},
      {"null_probability", verdict.null},
      {"ratio", verdict.answer == BisectVerdict::Answer::kNone ? json::value(nullptr) : json::value(verdict.ratio)},
      {"noise", verdict.noise},
      {"largest_ratio", verdict.most},
      {"good", cell.commits.front().sha},
      {"bad", cell.commits.back().sha},
      {"commits", cell.commits.size() - 1},
      {"measured_commits", verdict.measured_commits},
      {"skipped", std::move(skipped)},
      {"seconds", verdict.seconds},
      {"record", record.string()}};
  fmt::print("{}\n", json::serialize(object));
}

Expected<ExitStatus> run(const Options& options) {
  Expected<Request> request = parse_request(options);
  if (!request) return request.error();
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  const InterruptGuard guard;
  StatusLine line(STDERR_FILENO);
  const Runner runner = [&](const ChildSpec& child) { return run_child(child, guard.file()); };
  Expected<measure::Revisions> revisions =
      measure::Revisions::open(request->repository, measure::Revisions::default_cache(), runner);
  if (!revisions) return revisions.error();
  // Another repository is left as it was; trees of this one serve the next bisect.
  if (options.has("--repo") && !revisions->is_of(root_dir())) revisions->remove_trees_at_end();
  if (const Expected<void> completed = complete(*request, *revisions); !completed) return completed.error();

  const fs::path folder = results::machine_folder(root_dir(), *machine) / "bisect";
  Expected<results::Record> record =
      results::Record::open(results::record_path(folder, request->cell), request->cell, request->restart);
  if (!record) return record.error();
  const results::Cell& cell = record->cell();
  const Names names(cell);
  line.print(fmt::format("bisect: {} after {}, {}", counted(cell.commits.size() - 1, "commit"),
                         names(cell.commits.front().sha), cell.benchmark.empty() ? cell.command : cell.benchmark));
  if (!record->warning().empty()) line.print(fmt::format("bisect: warning: {}", record->warning()));
  if (record->found() > 0)
    line.print(fmt::format("bisect: goes on after {} in '{}' (--restart begins anew)", counted(record->found(), "step"),
                           record->path().string()));

  BuildTalk talk(line);
  const std::unique_ptr<measure::Meter> meter =
      cell.benchmark.empty() ? measure::command_meter(cell, *revisions, runner)
                             : measure::benchmark_meter(cell, *revisions, runner, [&](std::string_view said) { talk.tell(said); });
  const app::World world{monotonic_seconds, [] { return utc(std::time(nullptr)); }};
  const app::Observer observer{[&](const std::string& sha, bool preparing) {
                                    if (preparing) talk.begin(fmt::format("bisect: preparing {}", names(sha)));
                                  },
                                  [&](const app::Step& step) { tell_step(step, names, line); },
                                  [&](const std::string& sha, const std::string& why) {
                                    line.print(fmt::format("bisect: failed at {}: {}", names(sha), why));
                                  }};
  const Expected<BisectVerdict> verdict = app::search(request->aim, *meter, *record, world, observer);
  line.clear();
  if (!verdict) {
    Error error = verdict.error();
    if (record->entries().size() > 0)
      line.print(fmt::format("bisect: {} kept in '{}'; the same command goes on from there",
                             counted(record->entries().size(), "step"), record->path().string()));
    return error;
  }
  if (options.has("--json"))
    print_json(*verdict, cell, record->path());
  else
    print_text(*verdict, cell, names);
  return verdict->answer == BisectVerdict::Answer::kUndecided ? ExitStatus::kFailed : ExitStatus::kOk;
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
      "Goes on from its record when called again. Exit status: 0 a culprit, candidates that cannot be told apart, or no "
      "difference; 1 undecided when the budget ended; 2 an end that cannot be measured"};
}

}  // namespace lab::cli
