/// The arms of a session: head, the control (head run a second time), and base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/measure/catalog.h"
#include "harness/measure/session.h"
#include "harness/results/result.h"

namespace lab::measure {

/// SHA-1 of a file's content (32 hex digits of it, as a name-based UUID). Two executables with equal hashes count as
/// the same.
Expected<std::string> content_hash(const std::filesystem::path& file);

/// Links `benchmarks`, which all lie in `build_dir`, in the layouts from `first` on. Returns a sentence if some have
/// only one layout, and why; else "". An error only if interrupted.
Expected<std::string> link_benchmarks(const std::filesystem::path& build_dir, const std::vector<Benchmark*>& benchmarks,
                                      int first, const Runner& run);

/// The layouts that successive processes of a benchmark in an arm run: each time one of those that ran least, drawn by
/// a generator that `seed`, `arm` and the benchmark's name choose.
class LayoutTurns {
 public:
  LayoutTurns(const Benchmark& benchmark, std::string_view arm, std::uint64_t seed);

  CodeLayout next();
  /// The first one. It counts as a turn of it.
  CodeLayout first();

 private:
  std::vector<CodeLayout> layouts_;
  std::vector<int> counts_;
  Random random_;
};

/// The hash of all layouts of a benchmark's build together, or of its only executable; with that of its preloaded
/// library, if it has one.
Expected<std::string> hash_of_layouts(const Benchmark& benchmark);

/// Describes the arm `name` of `benchmarks`: their executables' hashes (of all layouts together, if there are any) and
/// their workloads' versions, with the build, the pins and the commit of `root`, the checkout of `build_dir`.
Expected<results::Arm> describe_arm(std::string_view name, const std::filesystem::path& build_dir,
                                    const std::filesystem::path& root, const std::vector<Benchmark>& benchmarks);

/// Head's benchmarks that run again as the control, one per family: the first by name. Benchmarks that are not parallel
/// are preferred, then those of the reference, if selected, then core ones, so that benchmarks which take turns do not
/// change it. Sorted by name.
std::vector<ArmBenchmark> choose_control(const std::vector<Benchmark>& head);

/// A copy of head for the control's benchmarks, with the same hashes: its layouts are other links of the same build.
results::Arm control_arm(const results::Arm& head, const std::vector<ArmBenchmark>& control);

/// Why this benchmark of head cannot be compared with `found` in `other`, which sentences call `name`; "" if it can.
/// `found`: null if `other` does not have it.
std::string why_not_paired(const Benchmark& head, const Catalog& other, const Benchmark* found, std::string_view name);

/// Which of head's benchmarks are also timed in base.
struct Pairing {
  std::vector<ArmBenchmark> timed;
  std::size_t identical = 0;           ///< benchmarks with equal executables: not timed in base
  std::vector<std::string> sentences;  ///< which other benchmarks are not timed in base, and why
};

/// `arms`: head and base, as described. Base benchmarks must have the same workload version, and their executable must
/// use this build's protocol (those that do not are among `base`'s failures).
Pairing pair_with_base(const std::vector<Benchmark>& head, const results::Arm& head_arm, const Catalog& base,
                       const results::Arm& base_arm);

}  // namespace lab::measure
