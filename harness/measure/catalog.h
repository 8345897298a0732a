/// The benchmarks that can be run: every variant of the build with the workloads it offers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error_fwd.h"
#include "harness/measure/code_layouts.h"
#include "harness/measure/machine.h"
#include "harness/measure/malloc_library.h"
#include "harness/measure/variant_output.h"

namespace lab::measure {

struct Benchmark {
  std::string name;  ///< family/variant/workload
  std::filesystem::path executable;
  bool reference = false;
  results::WorkloadInfo workload;
  std::string unsupported;  ///< why the variant does not support it; "" if it does
  bool core = true;         ///< one of its family's core workloads, which every session without a filter measures
  std::vector<CodeLayout> layouts = {};  ///< of which each process draws one; none: `executable` is the only one
  std::shared_ptr<const MallocLibrary> malloc = {};  ///< preloaded in each process; null: none
};

/// "family/variant" of a benchmark's name.
std::string variant_of(const std::string& benchmark);

/// "family/workload".
std::string workload_of(const Benchmark& benchmark);

/// Whether times of both workloads are comparable.
bool same_work(const results::WorkloadInfo& a, const results::WorkloadInfo& b);

/// The settings of one process, equal for all that are compared.
struct ProcessSpec {
  std::uint64_t seed = 1;
  double seconds = 0;       ///< measuring time
  std::optional<int> cpu;   ///< for workloads that are not parallel
  unsigned threads = 1;     ///< for workloads that are parallel
  bool exact = false;       ///< also collects instructions and similar metrics, which cost a few repetitions
  std::string device = {};  ///< for workloads of a device; "": none
  std::filesystem::path reference = {};  ///< file of the reference's answers, for workloads with a tolerance; "": none
};

/// The child that does `verb` ("--run", "--answer", "--exhibit") with the benchmark's workload; the caller adds further
/// options.
ChildSpec workload_process(const Benchmark& benchmark, const std::string& verb, const ProcessSpec& spec);

/// The child that measures `benchmark` (harness/bench/protocol.h); the caller sets its timeout.
ChildSpec measuring_process(const Benchmark& benchmark, const ProcessSpec& spec);

struct Catalog {
  std::vector<results::VariantCard> variants;                       ///< sorted by name
  std::vector<Benchmark> benchmarks;                                ///< sorted by name, unsupported ones included
  std::vector<results::Failure> failures;                           ///< variants whose --describe failed
  std::vector<std::string> not_built;                               ///< "family/variant"
  std::map<std::string, std::vector<EnvironmentRule>> environment;  ///< by family
  std::vector<std::string> preloaded = {};                          ///< "family/variant" of a malloc library, sorted
};

/// From a family's family.json: under which of its variants a library can be preloaded.
struct PreloadHosts {
  std::string malloc;  ///< the variant that calls malloc and free; "": none
};

/// A variant in <build folder>/variants.json, built or not.
struct ListedVariant {
  std::string family;
  std::string variant;
  bool reference = false;
  std::string executable;                             ///< relative to the build folder
  std::vector<EnvironmentRule> environment = {};      ///< of its family
  std::optional<std::vector<std::string>> core = {};  ///< names of workloads; none: all are core
  PreloadHosts preload = {};                          ///< of its family

  std::string name() const { return family + "/" + variant; }
  bool hosts_malloc() const { return preload.malloc == variant; }
  /// Names of the variants that its executable is: its own, then one with each of these libraries, if it is the host.
  std::vector<std::string> names(const MallocLibraries& mallocs) const;
};

Expected<std::vector<ListedVariant>> read_variants(const std::filesystem::path& build_dir);

/// The listed variants in which `filters` (none: all) may select a benchmark. They must be built before `select` can
/// decide. `references`: adds the reference variants of their families, whose answers count as correct. A filter that
/// may select one of `mallocs` needs the variant under which it is preloaded.
std::vector<std::string> variants_for(const std::vector<ListedVariant>& listed, const std::vector<std::string>& filters,
                                      bool references, const MallocLibraries& mallocs = {});

/// Reads <build folder>/variants.json and runs every executable with --describe. A missing or failing executable is
/// recorded in the catalog. An error if the list is unreadable, or if it names a core workload that no variant of the
/// family offers.
///
/// Each of `mallocs` is one more variant of every family that names a host for it: that executable with the library
/// preloaded. One that replaces no malloc, or with which the executable does not even start, is a failure.
Expected<Catalog> load_catalog(const std::filesystem::path& build_dir, const Runner& run,
                               const MallocLibraries& mallocs = {});

/// The part of a catalog that a session runs.
struct BenchmarkSelection {
  std::vector<Benchmark> benchmarks;
  std::vector<Benchmark> checks;  ///< references of selected workloads that were not selected themselves
  std::vector<results::Unsupported> unsupported;
  std::vector<results::Failure> failures;
  std::vector<results::WorkloadInfo> workloads;
  std::vector<results::VariantCard> variants;
  std::vector<EnvironmentRule> environment;  ///< of the families of `benchmarks`
};

/// The benchmarks that match any of `filters` (shell patterns over the whole name, its family, or family/variant, with
/// ":metric" at the end or without; none: all). An error (kUsage) with the nearest name if a filter matches nothing,
/// with the reason if all matches are unsupported, and with the known metrics if no match has the metric. Other errors
/// if a variant that could match is not built, or there is no variant. An error (kUsage) too if no filter selects a
/// preloaded library.
Expected<BenchmarkSelection> select(const Catalog& catalog, const std::vector<std::string>& filters);

/// The part of `selection` with the benchmarks in `names`. Variants that failed stay.
BenchmarkSelection part_of(BenchmarkSelection selection, const std::set<std::string>& names);

}  // namespace lab::measure
