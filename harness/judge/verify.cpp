#include "harness/judge/verify.h"

#include <fmt/format.h>

#include <set>

namespace lab::judge {

namespace {

std::string workload_of(std::string_view benchmark) {
  const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
  return fmt::format("{}/{}", parts.family, parts.workload);
}

const bench::Tolerance* tolerance_of(const results::Result& result, std::string_view benchmark) {
  const results::WorkloadInfo* const workload = results::find_workload(result, benchmark);
  return workload == nullptr || !workload->tolerance ? nullptr : &*workload->tolerance;
}

/// What is wrong with the answer of a process, whose distance from the reference's it reports itself; "" if nothing is.
std::string beyond(const bench::Tolerance& tolerance, const results::Process& process) {
  const auto found = process.counters.find(bench::kErrorMetric);
  if (found == process.counters.end()) return "the reference gave no answer to compare with";
  if (found->second <= tolerance.most) return "";
  return fmt::format("expected an answer within {} of the reference's, found one at {}", tolerance.most, found->second);
}

bool by_reference(const results::Result& result, std::string_view benchmark) {
  const results::VariantCard* variant = results::find_variant(result, benchmark);
  return variant != nullptr && variant->reference;
}

/// The reference's checksum by "family/workload", if it gave one.
std::map<std::string, std::string> reference_answers(const results::Result& result) {
  std::map<std::string, std::string> answers;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && by_reference(result, process.benchmark))
      answers.emplace(workload_of(process.benchmark), process.checksum);
  for (const results::ReferenceChecksum& answer : result.answers)
    answers.emplace(workload_of(answer.benchmark), answer.checksum);
  return answers;
}

/// The checksum that more variants gave than any other, or "". A variant with several checksums has no vote.
std::string majority(const std::map<std::string, std::set<std::string>>& checksums_by_benchmark) {
  std::map<std::string, int> votes;
  for (const auto& [benchmark, checksums] : checksums_by_benchmark)
    if (checksums.size() == 1) ++votes[*checksums.begin()];
  std::string best;
  int most = 0;
  for (const auto& [checksum, count] : votes) {
    if (count == most) best.clear();
    if (count > most) {
      best = checksum;
      most = count;
    }
  }
  return best;
}

/// How a checksum differs from the expected one; "" if it does not.
std::string other_checksum(const std::map<std::string, std::string>& answers, const results::Process& process) {
  const auto found = answers.find(workload_of(process.benchmark));
  // If head has no numbers, the other arms cannot be checked or compared.
  if (found == answers.end() || process.checksum == found->second) return "";
  const std::string expected = found->second.empty() ? "the reference gave no checksum and no two variants agree;"
                                                     : fmt::format("expected checksum {},", found->second);
  return fmt::format("{} found {}", expected, process.checksum);
}

}  // namespace

std::map<std::string, std::string> expected_answers(const results::Result& result) {
  std::map<std::string, std::string> answers = reference_answers(result);
  std::map<std::string, std::map<std::string, std::set<std::string>>> given;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && tolerance_of(result, process.benchmark) == nullptr)
      given[workload_of(process.benchmark)][process.benchmark].insert(process.checksum);
  for (const auto& [workload, by_benchmark] : given)
    if (!answers.contains(workload)) answers[workload] = majority(by_benchmark);
  return answers;
}

std::size_t verify(results::Result& result) {
  using ArmBenchmark = std::pair<std::string, std::string>;  // a benchmark in an arm
  const std::map<std::string, std::string> answers = expected_answers(result);
  std::map<ArmBenchmark, results::Failure> wrong;
  for (const results::Process& process : result.processes) {
    const ArmBenchmark measured{process.benchmark, process.arm};
    if (wrong.contains(measured)) continue;
    const bench::Tolerance* const tolerance = tolerance_of(result, process.benchmark);
    const std::string problem = tolerance != nullptr ? beyond(*tolerance, process) : other_checksum(answers, process);
    if (problem.empty()) continue;
    wrong[measured] = {
        process.benchmark, process.process, process.block, std::string(results::kWrongAnswer), problem, "",
        process.arm};
  }
  // Benchmarks that detected it themselves already have a failure.
  std::set<ArmBenchmark> dropped;
  for (const results::Failure& failure : result.failures)
    if (failure.kind == results::kWrongAnswer) dropped.emplace(failure.benchmark, failure.arm);
  const std::size_t before = result.failures.size();
  for (auto& [measured, failure] : wrong)
    if (dropped.insert(measured).second) result.failures.push_back(std::move(failure));
  std::erase_if(result.processes, [&](const results::Process& process) {
    return dropped.contains({process.benchmark, process.arm});
  });
  return result.failures.size() - before;
}

std::vector<std::string> without_reference(const results::Result& result) {
  const std::map<std::string, std::string> known = reference_answers(result);
  std::set<std::string> without;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && tolerance_of(result, process.benchmark) == nullptr &&
        !known.contains(workload_of(process.benchmark)))
      without.insert(workload_of(process.benchmark));
  for (const results::Unsupported& unsupported : result.unsupported)
    if (by_reference(result, unsupported.benchmark)) without.erase(workload_of(unsupported.benchmark));
  return {without.begin(), without.end()};
}

}  // namespace lab::judge
