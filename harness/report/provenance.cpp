#include "harness/report/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/report/format.h"
#include "harness/report/sessions.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

using results::Result;

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

std::string commit_phrase(const results::Source& source) {
  if (!source.commit) return source.state;
  return fmt::format("{} ({})", results::short_commit(*source.commit), source.state);
}

std::string load_phrase(const std::vector<double>& load) {
  std::vector<std::string> texts;
  for (const double one : load) texts.push_back(fmt::format("{:.2f}", one));
  return texts.empty() ? "unknown" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string caches_phrase(const std::vector<results::CpuCache>& caches) {
  std::vector<std::string> texts;
  for (const results::CpuCache& cache : caches)
    texts.push_back(fmt::format("L{} {} {}", cache.level, cache.type, bytes(static_cast<std::size_t>(cache.size))));
  return texts.empty() ? "unknown" : fmt::format("{}", fmt::join(texts, ", "));
}

Table facts_table(std::string name, std::string caption,
                  const std::vector<std::pair<std::string, std::string>>& facts) {
  Table table{std::move(name), std::move(caption), {{"Fact", kText}, {"Value", kText}}};
  for (const auto& [fact, value] : facts) table.rows.push_back({fact, or_unknown(value)});
  return table;
}

/// In a picture, its main session and what the others add.
std::string session_phrase(const Result& result) {
  std::set<int> sessions;
  for (const results::Process& process : result.processes) sessions.insert(process.session);
  const auto own = static_cast<std::size_t>(std::ranges::count(result.processes, 0, &results::Process::session));
  const std::size_t others = sessions.size() - sessions.contains(0);
  return fmt::format(
      "{}: {} in {}, seed {}{}", or_unknown(result.session.started), counted(own, "process", "processes"),
      counted(static_cast<std::size_t>(result.session.blocks), "block"), result.session.seed,
      others == 0 ? ""
                  : fmt::format("; beside {} of this machine, {} in all", counted(others, "other session"),
                                counted(result.processes.size(), "process", "processes")));
}

std::string repeat_commands(const Result& result) {
  std::string text;
  if (result.source.commit) text += fmt::format("git checkout {}\n", *result.source.commit);
  text += fmt::format("python3 make.py build --toolchain {} --config {} --march {}\n", result.build.toolchain,
                      result.build.config, result.build.march);
  std::string how_long;
  if (result.session.mode == "quick" || result.session.mode == "full")
    how_long = " --" + result.session.mode;
  else if (result.session.mode == "processes")
    how_long = fmt::format(" --processes {}", result.session.blocks);
  return text + fmt::format("python3 make.py run --seed {}{}\n", result.session.seed, how_long);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> head_facts(const Result& result) {
  const results::Machine& machine = result.machine;
  return {{"Machine", fmt::format("{}, {}, {} GiB{}", or_unknown(machine.cpu_model),
                                  counted(static_cast<std::size_t>(machine.logical_cores), "logical core"),
                                  machine.memory_gib, machine.is_virtual ? ", virtual" : "")},
          {"System", fmt::format("{}, Linux {}, {}; load before: {}", or_unknown(result.facts.distribution),
                                 or_unknown(result.facts.kernel), or_unknown(result.facts.libc),
                                 load_phrase(result.facts.load_avg))},
          {"Commit", commit_phrase(result.source)},
          {"Built with",
           fmt::format("{}, {}, {} toolchain", result.build.compiler, result.build.march, result.build.toolchain)},
          {"Session", session_phrase(result)}};
}

std::string waiting_text(const results::Session& session) {
  if (session.waiting.empty()) return "";
  std::set<std::string> workloads;
  for (const results::Waiting& one : session.waiting) {
    const results::BenchmarkParts parts = results::benchmark_parts(one.benchmark);
    workloads.insert(fmt::format("{}/{}", parts.family, parts.workload));
  }
  std::vector<std::string> named;
  for (const std::string& workload : workloads)
    if (named.size() < kMostWorkloads) named.push_back(workload);
  const std::size_t more = workloads.size() - named.size();
  return fmt::format("{} for {}: {}{}", counted(session.waiting.size(), "benchmark waits", "benchmarks wait"),
                     session.mode == "quick" ? "a session without --quick" : "a later session", fmt::join(named, ", "),
                     more == 0 ? "" : fmt::format(" and {}", counted(more, "other workload")));
}

std::vector<std::string> unusual(const Result& result, bool running) {
  std::vector<std::string> sentences;
  if (!running && result.session.state == "interrupted")
    sentences.push_back("The session was interrupted: the report has only what finished before.");
  if (!running && result.session.state == "out of time")
    sentences.push_back("The session ran out of time: its intervals are wider than planned.");
  if (result.source.state == "dirty")
    sentences.push_back(
        "The sources had changes that are in no commit: these numbers cannot be repeated from the repository.");
  if (result.build.config != "release")
    sentences.push_back(fmt::format("The build was '{}', not 'release': its times are not comparable with others.",
                                    result.build.config));
  for (const std::string& text : result.session.unusual)
    if (!text.starts_with("unfit")) sentences.push_back(capitalized(text));  // the report judges by the rules of today
  if (const std::string text = waiting_text(result.session); !text.empty()) sentences.push_back(text);
  return sentences;
}

Section failures_section(const Result& result) {
  Section section{"failures", "Failures"};
  if (result.failures.empty()) section.add(Paragraph{"No process crashed, timed out or gave a wrong answer."});
  Table table{
      "failures",
      "A variant that fails its conformance check has no numbers, nor has a benchmark with a wrong answer. A crash "
      "or a timeout loses its process and the later processes of its benchmark",
      {{"Failure", kShort},
       {"Benchmark", kBenchmark},
       {"Process", kNumber},
       {"Block", kNumber},
       {"What happened", kText}}};
  for (const results::Failure& failure : result.failures)
    table.rows.push_back({TableCell(failure.kind, Emphasis::kBad), results::subject(failure.benchmark, failure.arm),
                          std::to_string(failure.process), std::to_string(failure.block), failure.detail});
  section.add(std::move(table));
  for (const results::Failure& failure : result.failures)
    if (!failure.output_tail.empty()) {
      section.add(Paragraph{fmt::format("The end of the output of {} (process {}):",
                                        results::subject(failure.benchmark, failure.arm), failure.process)});
      section.add(Preformatted{failure.output_tail});
    }
  return section;
}

Section unsupported_section(const Result& result) {
  Section section{"unsupported", "Unsupported pairs"};
  section.folded = true;
  if (result.unsupported.empty()) section.add(Paragraph{"No benchmark of this session was left out by design."});
  Table table{"unsupported", "Not measured, by design", {{"Benchmark", kBenchmark}, {"Reason", kText}}};
  for (const results::Unsupported& pair : result.unsupported) table.rows.push_back({pair.benchmark, pair.reason});
  section.add(std::move(table));
  return section;
}

Section provenance_section(const Result& result, const judge::Picture* picture) {
  const results::Machine& machine = result.machine;
  const results::MachineState& facts = result.facts;
  const results::Session& session = result.session;
  Section section{"provenance", "Provenance"};
  const bool several = picture != nullptr && picture->several();
  if (several) section.add(sessions_table(*picture));
  section.add(Paragraph{several
                            ? "To repeat the session that gives this page its head, with the same sources and pins; "
                              "the report of the others has their own commands:"
                            : "To repeat the session with the same sources and pins:"});
  section.add(Preformatted{repeat_commands(result)});
  section.add(facts_table(
      "machine", "Machine",
      {{"Id", machine.id},
       {"Processor", fmt::format("{}, {}", machine.cpu_model, machine.architecture)},
       {"Cores", fmt::format("{} in {}, {} logical", machine.physical_cores,
                             counted(static_cast<std::size_t>(machine.sockets), "socket"), machine.logical_cores)},
       {"Memory", fmt::format("{} GiB", machine.memory_gib)},
       {"Caches", caches_phrase(result.context.caches)},
       {"Graphics", machine.gpus.empty() ? "none" : fmt::format("{}", fmt::join(machine.gpus, ", "))},
       {"Virtual", machine.is_virtual ? "yes" : "no"},
       {"Kernel", facts.kernel},
       {"Microcode", facts.microcode},
       {"Governor", facts.governor},
       {"Turbo", facts.turbo},
       {"SMT", facts.smt},
       {"Address space randomization", facts.aslr},
       {"Transparent huge pages", facts.transparent_huge_pages},
       {"C library", facts.libc},
       {"Distribution", facts.distribution},
       {"Load before (1, 5, 15 minutes)", load_phrase(facts.load_avg)}}));
  Table built = facts_table("session", "Build and session",
                            {{"Commit", result.source.commit.value_or("none")},
                             {"State of the sources", result.source.state},
                             {"Toolchain", result.build.toolchain},
                             {"Configuration", result.build.config},
                             {"Instruction set", result.build.march},
                             {"Compiler", result.build.compiler},
                             {"Flags", result.build.flags},
                             {"Session", session.id},
                             {"Started", session.started},
                             {"Ended", session.ended},
                             {"State", session.state},
                             {"Seed", std::to_string(session.seed)},
                             {"Mode", session.mode},
                             {"Budget", fmt::format("{} s", number(session.budget_seconds))},
                             {"Blocks", std::to_string(session.blocks)}});
  if (!result.build.fetched.empty()) built.rows.push_back({"Build cache", result.build.fetched});
  section.add(std::move(built));
  Table pins{"pins",
             "Pins: the version of every package, a hash of its artifacts and of its unpack rules",
             {{"Package", kName}, {"Version", kName}}};
  for (const auto& [package, version] : result.pins) pins.rows.push_back({package, version});
  section.add(std::move(pins));
  return section;
}

}  // namespace lab::report
