/// Findings of real allocations on one device: memory.json in the folder of its driver column. `probe --allocate`
/// writes it. A finding that a crash, a hang or a refusal prevented is missing, and its part says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/json_struct.h"
#include "harness/results/atlas.h"

namespace lab::results {

/// One part of the work, in a process of its own.
struct MemoryPart {
  std::string name;                     ///< "policy", "allocation", "access", "limit", "textures"
  double seconds = 0;                   ///< duration of its process
  std::optional<ProbeFailure> failure;  ///< what ended it early
  std::vector<std::string> notes;       ///< sentences: what this device does not offer, so that it was left out
  std::vector<std::string> validation;  ///< messages of the validation layers, without those of the planted violation
  bool operator==(const MemoryPart&) const = default;
};

/// Whether the validation layers can see an error at all: one is made on purpose, and they must report it.
struct PlantedViolation {
  std::string what = {};  ///< "a buffer bound at offset 8 of alignment 16"; "" if nothing was planted
  std::string message;    ///< the layers' message; "" if they missed it
  bool operator==(const PlantedViolation&) const = default;
};

/// Images and buffers in memory from the policy: written, read back and compared, freed in another order.
struct PolicyCheck {
  bool layers = false;  ///< whether the validation layers were there
  PlantedViolation planted;
  std::uint64_t images = 0, buffers = 0;    ///< created, bound and compared
  std::uint64_t compared_bytes = 0;         ///< over all comparisons
  std::vector<std::string> wrong;           ///< resources with other contents than were written, and where
  std::uint64_t device_allocations = 0;     ///< by vkAllocateMemory for them, at most at once
  std::uint64_t most_resources = 0;         ///< in these allocations at once
  std::uint64_t most_resource_bytes = 0;    ///< required by the resources, at most at once
  std::uint64_t most_allocation_bytes = 0;  ///< of the device allocations, at most at once
  std::uint64_t left_allocations = 0;       ///< that the policy still held when every resource was freed
  bool operator==(const PolicyCheck&) const = default;
};

/// maxMemoryAllocationCount, reached on purpose where it is small enough.
struct AllocationCount {
  std::uint64_t reported = 0;          ///< maxMemoryAllocationCount
  bool tried = false;                  ///< whether that many allocations were tried
  std::uint64_t allocation_bytes = 0;  ///< of each
  std::uint64_t succeeded = 0;         ///< allocations that existed at once
  std::string result = {};             ///< VkResult of the first that failed; "" if none did
  std::string stopped = {};            ///< why there was no further one, as a phrase; "" after a failure
  bool operator==(const AllocationCount&) const = default;
};

/// The article's number, from the specification: this many allocations of minimum size can exist at once.
inline constexpr std::uint64_t kGuaranteedAllocations = 80;

/// A texture that a shader sampled.
struct SampledTexture {
  std::string tiling = {};  ///< "optimal", "linear"
  std::optional<std::uint32_t> memory_type = {};
  std::uint64_t width = 0, height = 0;  ///< texels
  std::uint64_t checksum = 0;           ///< of all texels and their positions, as the shader sampled them
  std::uint64_t expected = 0;           ///< the same from what was written
  std::string refused = {};             ///< why this tiling cannot be sampled; "" if it can
  bool operator==(const SampledTexture&) const = default;
};

/// Times of one operation. What is timed is what `what` says.
struct MemoryTiming {
  std::string part = {};                          ///< the part that timed it
  std::string what = {};                          ///< one of the names in formats.md
  std::optional<std::uint32_t> memory_type = {};  ///< index in the column; none: ordinary host memory
  std::uint64_t bytes = 0;                        ///< that one operation allocates or moves
  std::string includes = {};                      ///< a call that this memory type needs in addition; "" for most
  std::vector<double> samples_ns = {};            ///< one for each repetition: nanoseconds per operation
  bool operator==(const MemoryTiming&) const = default;
};

struct MemoryFindings {
  std::string column;       ///< the driver column's name
  std::string measured_at;  ///< UTC
  std::string device_type;  ///< as in the column: "cpu", "discrete gpu", ...
  std::vector<MemoryType> memory_types;
  std::vector<MemoryPart> parts;
  std::optional<PolicyCheck> policy;
  std::optional<AllocationCount> limit;
  std::vector<SampledTexture> textures;
  std::vector<MemoryTiming> timings;
  bool operator==(const MemoryFindings&) const = default;
};

LAB_JSON_STRUCT(MemoryPart, name, seconds, failure, notes, validation)
LAB_JSON_STRUCT(PlantedViolation, what, message)
LAB_JSON_STRUCT(PolicyCheck, layers, planted, images, buffers, compared_bytes, wrong, device_allocations,
                most_resources, most_resource_bytes, most_allocation_bytes, left_allocations)
LAB_JSON_STRUCT(AllocationCount, reported, tried, allocation_bytes, succeeded, result, stopped)
LAB_JSON_STRUCT(SampledTexture, tiling, memory_type, width, height, checksum, expected, refused)
LAB_JSON_STRUCT(MemoryTiming, part, what, memory_type, bytes, includes, samples_ns)

/// The median and the quartiles of a timing's samples, in nanoseconds; all 0 without samples.
struct TimingSummary {
  double median_ns = 0, low_ns = 0, high_ns = 0;
};
TimingSummary summary(const MemoryTiming& timing);

/// Bytes per nanosecond at the median, which is GB/s; none if nothing is moved.
std::optional<double> gigabytes_per_second(const MemoryTiming& timing);

/// What all timings of this device are of: "a CPU driver: this is the CPU's memory"; "" if it is a GPU's.
std::string timing_label(const MemoryFindings& findings);

/// One sentence for each thing that is wrong: a part that failed, wrong contents, a message of the validation layers, a
/// planted violation that they missed, fewer allocations than are guaranteed, a texture with a wrong checksum. Empty if
/// all is well.
std::vector<std::string> complaints(const MemoryFindings& findings);

/// Writes memory.json into a column's folder.
Expected<void> save_memory(const MemoryFindings& findings, const std::filesystem::path& folder);

/// Reads memory.json of a column's folder; none if there is no such file.
Expected<std::optional<MemoryFindings>> load_memory(const std::filesystem::path& folder);

}  // namespace lab::results
