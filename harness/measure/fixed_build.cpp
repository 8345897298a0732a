#include "harness/measure/fixed_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/measure/arms.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "fixed.json";

struct KeptLayout {
  int number = 0;
  std::string file;  ///< relative to the folder
};
LAB_JSON_STRUCT(KeptLayout, number, file)

struct KeptExecutable {
  std::string variant;  ///< "family/variant"
  std::string hash;     ///< hash_of_layouts()
  std::vector<KeptLayout> layouts;
  std::vector<std::string> benchmarks;  ///< those of it that are timed
};
LAB_JSON_STRUCT(KeptExecutable, variant, hash, layouts, benchmarks)

/// Where the fixed build came from.
struct Origin {
  std::optional<std::string> commit;
  std::map<std::string, std::string> pins;
  std::vector<KeptExecutable> executables;
};
LAB_JSON_STRUCT(Origin, commit, pins, executables)

Expected<void> copy_to(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::create_directories(to.parent_path(), problem);
  // A link, as a test's build has, would follow the file that it names.
  if (!problem) fs::copy_file(fs::canonical(from, problem), to, problem);
  if (problem) return file_error("copying", from, problem.value());
  return {};
}

/// The entry of a variant in a fixed build's variants.json.
json::object entry_of(const Benchmark& benchmark, const std::string& executable) {
  const std::string& family = benchmark.workload.family;
  return {{"family", family},
          {"variant", variant_of(benchmark.name).substr(family.size() + 1)},
          {"reference", benchmark.reference},
          {"executable", executable}};
}

/// Copies a benchmark's executable and its layouts below `folder`.
Expected<KeptExecutable> copy_executable(const Benchmark& benchmark, const results::Arm& head, const fs::path& folder) {
  const std::string variant = variant_of(benchmark.name), path = "variants/" + variant;
  KeptExecutable kept{variant, head.executables.at(variant), {}, {}};
  if (const Expected<void> copied = copy_to(benchmark.executable, folder / path); !copied) return copied.error();
  for (const CodeLayout& layout : benchmark.layouts) {
    kept.layouts.push_back({layout.number, fmt::format("layouts/{}.{}", variant, layout.number)});
    if (const Expected<void> copied = copy_to(layout.executable, folder / kept.layouts.back().file); !copied)
      return copied.error();
  }
  return kept;
}

Expected<void> fill(const fs::path& folder, const fs::path& build_dir, const results::Arm& head,
                    const std::vector<Benchmark>& chosen) {
  Origin origin{head.source.commit, head.pins, {}};
  json::array listed;
  for (const Benchmark& benchmark : chosen) {
    auto kept = std::ranges::find(origin.executables, variant_of(benchmark.name), &KeptExecutable::variant);
    if (kept == origin.executables.end()) {
      Expected<KeptExecutable> copied = copy_executable(benchmark, head, folder);
      if (!copied) return copied.error();
      kept = origin.executables.insert(kept, std::move(*copied));
      listed.push_back(entry_of(benchmark, "variants/" + kept->variant));
    }
    kept->benchmarks.push_back(benchmark.name);
  }
  if (const Expected<void> copied = copy_to(build_dir / "build_info.json", folder / "build_info.json"); !copied)
    return copied.error();
  if (const Expected<void> written = write_file(folder / "variants.json", json::serialize(listed) + "\n"); !written)
    return written.error();
  return write_file(folder / kFile, json::serialize(to_json(origin)) + "\n");
}

/// Why a benchmark of the fixed build is not timed; "" if it is. Sets its layouts.
std::string why_not_timed(const KeptExecutable& kept, const std::string& name, const fs::path& folder,
                          const Benchmark& head, Catalog& catalog) {
  const auto found = std::ranges::find(catalog.benchmarks, name, &Benchmark::name);
  Benchmark* benchmark = found == catalog.benchmarks.end() ? nullptr : &*found;
  if (std::string why = why_not_paired(head, catalog, benchmark, "the fixed build"); !why.empty()) return why;
  benchmark->reference = head.reference;
  benchmark->layouts.clear();
  for (const KeptLayout& layout : kept.layouts) benchmark->layouts.push_back({layout.number, folder / layout.file});
  const Expected<std::string> hash = hash_of_layouts(*benchmark);
  if (!hash) return hash.error().what;
  return *hash == kept.hash ? "" : fmt::format("expected an executable {}, found {}", kept.hash, *hash);
}

Expected<FixedBuild> read(const fs::path& folder, const std::vector<Benchmark>& head, const Runner& run) {
  const Expected<Origin> origin = read_json_file<Origin>(folder / kFile);
  if (!origin) return origin.error();
  Expected<Catalog> catalog = load_catalog(folder, run);
  if (!catalog) return catalog.error();
  FixedBuild fixed;
  fixed.exists = true;
  std::vector<Benchmark> timed;
  std::map<std::string, std::vector<std::string>> without;  // by reason
  for (const KeptExecutable& kept : origin->executables)
    for (const std::string& name : kept.benchmarks) {
      const auto of_head = std::ranges::find(head, name, &Benchmark::name);
      if (of_head == head.end()) continue;  // not selected tonight
      if (const std::string why = why_not_timed(kept, name, folder, *of_head, *catalog); !why.empty()) {
        without[why].push_back(name);
        ++fixed.refused;
      } else {
        timed.push_back(*std::ranges::find(catalog->benchmarks, name, &Benchmark::name));
      }
    }
  Expected<results::Arm> arm = describe_arm(results::kFixed, folder, folder, timed);
  if (!arm) return arm.error();
  fixed.arm = std::move(*arm);
  fixed.arm.pins = origin->pins;
  fixed.arm.source = {origin->commit, false, origin->commit ? "clean" : "no git"};
  for (Benchmark& benchmark : timed) fixed.timed.push_back({std::string(results::kFixed), std::move(benchmark)});
  for (const auto& [why, names] : without)
    fixed.sentences.push_back(fmt::format("not timed in the fixed build: {}: {}", first_names(names), why));
  return fixed;
}

}  // namespace

std::vector<Benchmark> choose_fixed(const std::vector<Benchmark>& head) {
  std::vector<Benchmark> chosen;
  std::set<std::string> variants;
  for (const ArmBenchmark& one : choose_control(head)) {
    chosen.push_back(one.benchmark);
    variants.insert(variant_of(one.benchmark.name));
  }
  for (const Benchmark& benchmark : head)
    if (chosen.size() < kFewestFixed && benchmark.core && !benchmark.workload.parallel && !benchmark.malloc &&
        variants.insert(variant_of(benchmark.name)).second)
      chosen.push_back(benchmark);
  return chosen;
}

FixedBuild read_fixed(const fs::path& folder, const std::vector<Benchmark>& head, const Runner& run) {
  std::error_code none;
  if (!fs::exists(folder, none)) return {};
  Expected<FixedBuild> fixed = read(folder, head, run);
  if (fixed) return std::move(*fixed);
  FixedBuild unread;
  unread.sentences.push_back("the fixed build is not timed: " + fixed.error().what);
  return unread;
}

Expected<void> keep_fixed(const fs::path& folder, const fs::path& build_dir, const results::Arm& head,
                          const std::vector<Benchmark>& chosen) {
  const fs::path made = fmt::format("{}.{}", folder.string(), ::getpid());
  std::error_code problem;
  fs::remove_all(made, problem);
  fs::create_directories(made, problem);
  if (problem) return file_error("making", made, problem.value());
  Expected<void> done = fill(made, build_dir, head, chosen);
  if (done) {
    fs::remove_all(folder, problem);
    if (!problem) fs::rename(made, folder, problem);
    if (problem) done = file_error("replacing", folder, problem.value());
  }
  if (!done) fs::remove_all(made, problem);
  return done;
}

}  // namespace lab::measure
