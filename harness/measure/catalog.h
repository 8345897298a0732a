/// What can be run: every variant that the build made, asked what it offers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/answer.h"

namespace lab::measure {

/// Runs one child; the seam for tests.

struct Benchmark {
  std::string name;  ///< family/variant/workload
  std::filesystem::path executable;
  bool reference = false;
  results::Workload workload;
  std::string unsupported;  ///< why the variant cannot do it; "" where it can
};

/// "family/variant" of a benchmark's name.
std::string variant_of(const std::string& benchmark);

/// What one process is asked for, the same for all that are compared.
struct ProcessSpec {
  std::uint64_t seed = 1;
  double seconds = 0;      ///< of measuring
  std::optional<int> cpu;  ///< for workloads that are not parallel
  unsigned threads = 1;    ///< for those that are
  bool exact = false;      ///< to find instructions and the like too, which take a few repetitions
};

/// The child that measures `benchmark` (harness/bench/protocol.h); its timeout is the caller's to set.
ChildSpec measuring_process(const Benchmark& benchmark, const ProcessSpec& spec);

struct Catalog {
  std::vector<results::Variant> variants;  ///< sorted by name
  std::vector<Benchmark> benchmarks;       ///< sorted by name, unsupported ones included
  std::vector<results::Failure> failures;  ///< variants that could not say what they offer
  std::vector<std::string> not_built;      ///< "family/variant"
};

/// A variant that <build folder>/variants.json lists, built or not.
struct ListedVariant {
  std::string family;
  std::string variant;
  bool reference = false;
  std::string executable;  ///< relative to the build folder

  std::string name() const { return family + "/" + variant; }
};

Expected<std::vector<ListedVariant>> read_variants(const std::filesystem::path& build_dir);

/// The listed variants of which `filters` (none is all) may select a benchmark: what must be built before `select` can
/// say more. `references`: with those of their families, whose answers are the right ones.
std::vector<std::string> variants_for(const std::vector<ListedVariant>& listed, const std::vector<std::string>& filters,
                                      bool references);

/// Reads <build folder>/variants.json and asks every executable to --describe itself. An executable that is missing or
/// fails is a fact of the catalog; only a list that cannot be read is an error.
Expected<Catalog> load_catalog(const std::filesystem::path& build_dir, const Runner& run);

/// What of a catalog a session runs.
struct Selection {
  std::vector<Benchmark> benchmarks;
  std::vector<Benchmark> checks;  ///< references of selected workloads that were not selected themselves
  std::vector<results::Unsupported> unsupported;
  std::vector<results::Failure> failures;
  std::vector<results::Workload> workloads;
  std::vector<results::Variant> variants;
};

/// The benchmarks that match any of `filters` (shell patterns over the whole name, its family, or family/variant; none
/// is all). An error (kUsage) with the nearest name where a filter matches nothing; one with the reason where all that
/// match is unsupported; others where a variant that could match
/// is not built, or there is none at all.
Expected<Selection> select(const Catalog& catalog, const std::vector<std::string>& filters);

}  // namespace lab::measure
