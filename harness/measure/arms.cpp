#include "harness/measure/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <tuple>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/hash.h"
#include "harness/base/parallel.h"
#include "harness/measure/provenance.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

/// The layouts of one executable: of several benchmarks.
struct Linked {
  fs::path executable;
  std::string variant;
  bool can = false;  ///< the build kept its link command
  Expected<std::vector<CodeLayout>> layouts = std::vector<CodeLayout>{};
};

Expected<std::string> hash_of_executables(const Benchmark& benchmark) {
  if (benchmark.layouts.empty()) return content_hash(benchmark.executable);
  std::string all;
  for (const CodeLayout& layout : benchmark.layouts) {
    const Expected<std::string> content = layout.hash.empty() ? content_hash(layout.executable) : layout.hash;
    if (!content) return content.error();
    all += *content;
  }
  return content_name(all);
}

}  // namespace

Expected<std::string> content_hash(const fs::path& file) {
  const Expected<std::string> content = read_file(file);
  if (!content) return content.error();
  return content_name(*content);
}

Expected<std::string> link_benchmarks(const fs::path& build_dir, const std::vector<Benchmark*>& benchmarks, int first,
                                      const Runner& run) {
  std::vector<Linked> linked;
  for (const Benchmark* benchmark : benchmarks)
    if (std::ranges::find(linked, benchmark->executable, &Linked::executable) == linked.end())
      linked.push_back(
          {benchmark->executable, variant_of(benchmark->name), can_link_layouts(build_dir, benchmark->executable)});
  std::atomic<bool> interrupted = false;
  in_parallel(linked.size(), [&](std::size_t i) {
    if (!linked[i].can || interrupted) return;
    linked[i].layouts = link_layouts(build_dir, linked[i].executable, first, run);
    if (!linked[i].layouts && linked[i].layouts.error().status == ExitStatus::kInterrupted) interrupted = true;
  });
  std::vector<std::string> not_kept, problems;
  for (const Linked& one : linked) {
    if (!one.can) not_kept.push_back(one.variant);
    if (one.layouts) continue;
    if (one.layouts.error().status == ExitStatus::kInterrupted) return one.layouts.error();
    problems.push_back(one.layouts.error().what);
  }
  for (Benchmark* benchmark : benchmarks)
    if (const auto one = std::ranges::find(linked, benchmark->executable, &Linked::executable); one->layouts)
      benchmark->layouts = *one->layouts;
  if (!not_kept.empty())
    problems.push_back(
        fmt::format("the build of {} kept no link command; the pinned toolchain's does", first_names(not_kept)));
  if (problems.empty()) return "";
  return fmt::format("only one layout of code and data was measured, so what looks like a change may be its layout: {}",
                     fmt::join(problems, "; "));
}

LayoutTurns::LayoutTurns(const Benchmark& benchmark, std::string_view arm, std::uint64_t seed)
    : layouts_(benchmark.layouts), random_(Random(seed).next() ^ seed_of(fmt::format("{} {}", arm, benchmark.name))) {
  if (layouts_.empty()) layouts_.push_back({0, benchmark.executable});
  counts_.resize(layouts_.size());
}

CodeLayout LayoutTurns::next() {
  const int least = *std::ranges::min_element(counts_);
  std::uint64_t place = random_.below(static_cast<std::uint64_t>(std::ranges::count(counts_, least)));
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] == least && place-- == 0) {
      ++counts_[i];
      return layouts_[i];
    }
  return layouts_.front();
}

CodeLayout LayoutTurns::first() {
  ++counts_.front();
  return layouts_.front();
}

Expected<std::string> hash_of_layouts(const Benchmark& benchmark) {
  Expected<std::string> hash = hash_of_executables(benchmark);
  if (hash && benchmark.malloc) return benchmark.malloc->hash_with(*hash);
  return hash;
}

Expected<results::Arm> describe_arm(std::string_view name, const fs::path& build_dir, const fs::path& root,
                                    const std::vector<Benchmark>& benchmarks) {
  const Expected<results::Build> build = read_build(build_dir);
  if (!build) return build.error();
  results::Arm arm{std::string(name), *build, read_pins(root), read_source(root), {}, {}};
  for (const Benchmark& benchmark : benchmarks) {
    arm.versions[workload_of(benchmark)] = benchmark.workload.version;
    std::string& hash = arm.executables[variant_of(benchmark.name)];
    if (!hash.empty()) continue;
    const Expected<std::string> content = hash_of_layouts(benchmark);
    if (!content) return content.error();
    hash = *content;
  }
  return arm;
}

std::vector<ArmBenchmark> choose_control(const std::vector<Benchmark>& head) {
  const auto rank = [](const Benchmark& one) {
    return std::tuple(one.workload.parallel, !one.reference, !one.core, one.name);
  };
  std::map<std::string, const Benchmark*> chosen;
  for (const Benchmark& benchmark : head) {
    const Benchmark*& best = chosen[benchmark.workload.family];
    if (best == nullptr || rank(benchmark) < rank(*best)) best = &benchmark;
  }
  std::vector<ArmBenchmark> control;
  for (const auto& [family, benchmark] : chosen) control.push_back({std::string(results::kControl), *benchmark});
  return control;
}

results::Arm control_arm(const results::Arm& head, const std::vector<ArmBenchmark>& control) {
  results::Arm arm{std::string(results::kControl), head.build, head.pins, head.source, {}, {}};
  for (const ArmBenchmark& one : control) {
    const std::string variant = variant_of(one.benchmark.name), workload = workload_of(one.benchmark);
    arm.executables[variant] = head.executables.at(variant);
    arm.versions[workload] = head.versions.at(workload);
  }
  return arm;
}

std::string why_not_paired(const Benchmark& head, const Catalog& other, const Benchmark* found, std::string_view name) {
  const std::string variant = variant_of(head.name);
  for (const results::Failure& failure : other.failures)
    if (failure.benchmark == variant) return failure.detail;
  if (std::find(other.not_built.begin(), other.not_built.end(), variant) != other.not_built.end())
    return fmt::format("{} is not built in {}", variant, name);
  if (found == nullptr) return fmt::format("{} does not have it", name);
  if (!found->unsupported.empty()) return fmt::format("{} does not support it: {}", name, found->unsupported);
  if (!same_work(found->workload, head.workload))
    return fmt::format("workload {} has version {} in head and {} in {}", workload_of(head), head.workload.version,
                       found->workload.version, name);
  return "";
}

Pairing pair_with_base(const std::vector<Benchmark>& head, const results::Arm& head_arm, const Catalog& base,
                       const results::Arm& base_arm) {
  Pairing pairing;
  std::map<std::string, std::vector<std::string>> without;  // by reason
  for (const Benchmark& benchmark : head) {
    const auto found = std::find_if(base.benchmarks.begin(), base.benchmarks.end(),
                                    [&](const Benchmark& other) { return other.name == benchmark.name; });
    const Benchmark* other = found == base.benchmarks.end() ? nullptr : &*found;
    if (const std::string reason = why_not_paired(benchmark, base, other, "base"); !reason.empty()) {
      without[reason].push_back(benchmark.name);
      continue;
    }
    const std::string variant = variant_of(benchmark.name);
    if (head_arm.executables.at(variant) == base_arm.executables.at(variant)) {
      ++pairing.identical;
      continue;
    }
    pairing.timed.push_back({std::string(results::kBase), *other});
    // Head decides what is a reference, whatever base declares.
    pairing.timed.back().benchmark.reference = benchmark.reference;
  }
  for (const auto& [reason, benchmarks] : without)
    pairing.sentences.push_back(fmt::format("not compared with base: {}: {}", first_names(benchmarks), reason));
  return pairing;
}

}  // namespace lab::measure
