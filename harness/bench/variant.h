/// The parts of a variant executable: a Variant describes itself and offers workloads; variant_main runs them. A family
/// includes this, a variant's source file only task.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/bench/description.h"
#include "harness/bench/task.h"

namespace lab::bench {

/// Version of the protocol between `run` and a variant executable (see protocol.h); old executables keep theirs.
inline constexpr int kProtocol = 3;

class ExhibitFiles;

/// A workload and how to run it.
struct Workload : WorkloadInfo {
  std::string unsupported = {};  ///< why this variant does not support it; "" if it does
  std::function<std::unique_ptr<Task>(const Case&)> prepare = {};  ///< empty where unsupported
  bool repeatable = true;  ///< no clock, address or other thread changes which instructions run
  /// Writes every file of WorkloadInfo::exhibits (exhibits.h). Does the same work each time.
  std::function<void(const Case&, ExhibitFiles&)> exhibit = {};
};

/// A promise of a family, which its variants must keep.
struct ConformanceCheck {
  std::string name;                            ///< a true sentence about a correct variant; unique in the variant
  std::function<std::string()> what_is_wrong;  ///< "" if the check passes
  bool decides = true;  ///< false: a failure is only remarked, because no workload depends on the promise
};

/// A card with the variant's names; its family adds the traits.
VariantCard variant_card(const char* family, const char* name, const Card& card);

/// A variant's card, which its source file writes, and what its family's make_variant() adds.
struct Variant : VariantCard {
  std::vector<Workload> workloads = {};
  std::vector<ConformanceCheck> conformance = {};
  /// Does what the bytes of `input` say and checks every result; "" or what is wrong. For every input: a fuzzer chooses
  /// them. Empty: the family has no such check.
  std::function<std::string(std::span<const std::uint8_t> input)> fuzz = {};
};

/// Keeps a variant until the process ends, for this_variant().
Variant& keep(Variant&& variant);

/// `--describe`, `--run WORKLOAD`, `--answer WORKLOAD`, `--exhibit WORKLOAD`, `--conformance [CHECK]` with the options
/// of protocol.h, or Google Benchmark's own flags. Returns the exit status: 0, 1 if a check failed, 2 for wrong usage.
int variant_main(int argc, char** argv, const Variant& variant);

}  // namespace lab::bench
