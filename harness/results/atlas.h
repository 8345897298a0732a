/// The atlas: the memory requirements of Vulkan drivers. One driver column (driver x chip) is one folder:
///   column.json   identity, heaps, memory types, limits, refusals, failure
///   asked.json    when it was asked and how long it took: all that differs between two runs of one driver
///   images.csv    width,height,size,alignment,memory_type_bits   (bits decimal)
///   buffers.csv   length,size,alignment
///   <sweep>-images.csv, <sweep>-buffers.csv   the answers to each other sweep (sweep_answers.h)
/// and on request image-sizes.txt, buffer-sizes.txt: the same rows in the format of the article.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/json_struct.h"
#include "harness/results/sweep_answers.h"

namespace lab::results {

/// Memory requirements of an image of this size. If the driver refuses the size: 0 in all of them, and a Refusal.
struct ImageRow {
  std::uint64_t width = 0, height = 0;    ///< texels
  std::uint64_t size = 0, alignment = 0;  ///< bytes
  std::uint32_t memory_type_bits = 0;     ///< bit i: memory type i can hold it
  bool operator==(const ImageRow&) const = default;
};

struct BufferRow {
  std::uint64_t length = 0;               ///< requested bytes
  std::uint64_t size = 0, alignment = 0;  ///< bytes; both 0 if the driver refused
  bool operator==(const BufferRow&) const = default;
};

/// A size that the driver refused to create. Its row stays in the column.
struct Refusal {
  std::string what;    ///< "image 4096x4096" or "buffer 800000000"
  std::string result;  ///< the VkResult's name
  bool operator==(const Refusal&) const = default;
};

struct MemoryHeap {
  std::uint64_t size = 0;          ///< bytes
  std::vector<std::string> flags;  ///< "device local", "multi instance"
  bool operator==(const MemoryHeap&) const = default;
};

struct MemoryType {
  std::uint32_t heap = 0;          ///< index into DriverColumn::heaps
  std::vector<std::string> flags;  ///< "device local", "host visible", "host coherent", "host cached", ...
  bool operator==(const MemoryType&) const = default;
};

/// How every output marks a column with DriverIdentity::simulated.
inline constexpr std::string_view kSimulatedPhrase = "real driver, simulated device";
/// And one with DriverColumn::imported.
inline constexpr std::string_view kImportedPhrase = "imported, not asked";

/// A device that this machine does not have: a shim answers the driver's system calls as the kernel would with it.
struct SimulatedDevice {
  std::string chip;                                ///< as in the column's name: "hd620", "navi10"
  std::string shim;                                ///< "intel_noop_drm_shim"
  std::map<std::string, std::string> environment;  ///< what selects the chip: INTEL_STUB_GPU_DEVICE_ID = 0x5916
  bool operator==(const SimulatedDevice&) const = default;
};

/// The driver: VkPhysicalDeviceProperties, VkPhysicalDeviceDriverProperties, and the driver's files.
struct DriverIdentity {
  std::string short_name;   ///< "lavapipe", "radv", "nvidia", ...
  std::string version;      ///< "22.3.6"
  std::string id;           ///< the VkDriverId's name; "" if the driver reports none
  std::string name, info;   ///< driverName, driverInfo
  std::string conformance;  ///< "1.3.1.1"
  std::string device_name;  ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string device_type;  ///< "cpu", "discrete gpu", "integrated gpu", "virtual gpu", "other"
  std::uint32_t vendor_id = 0, device_id = 0;
  std::string api_version;                           ///< "1.3.230"
  std::uint32_t driver_version = 0;                  ///< as the driver encodes it
  std::string device_uuid, driver_uuid, cache_uuid;  ///< 32 hex digits; "" if the driver reports none
  std::string manifest, library;                     ///< paths; the library as the manifest names it
  bool pinned = false;                               ///< from lib/, not installed on the machine
  std::optional<SimulatedDevice> simulated = {};     ///< none: a device of the machine
  bool operator==(const DriverIdentity&) const = default;
};

/// Why the probe of a driver is incomplete. The column has everything received before the failure.
struct ProbeFailure {
  std::string kind;         ///< "crash", "timeout", "exit", "error" or "unloadable"
  std::string detail;       ///< one sentence: "SIGSEGV while in vkCreateInstance"
  std::string output_tail;  ///< the end of what the driver printed
  bool operator==(const ProbeFailure&) const = default;
};

/// A driver's two answers to one query: of a created object and of its description, or the second time it was asked.
struct Contradiction {
  std::string what;           ///< the query
  std::string first, second;  ///< "4096 bytes at 256, memory types 0x3, of the created object"
  bool operator==(const Contradiction&) const = default;
};

struct DriverColumn {
  std::string name;           ///< the folder's name: "lavapipe-22.3.6", "radv-22.3.6-navi10", "radv-failed"
  std::string probed_at;      ///< time of the probe, UTC: "2026-01-31T23:59:59Z"
  double seconds = 0;         ///< duration of the probe; 0 for a simulated device
  std::uint32_t device = 0;   ///< index among its driver's devices
  boost::json::object probe;  ///< {version, loader, loader_version}
  DriverIdentity driver;
  bool kept = false;              ///< from results/reference, not asked on this machine; not in the files
  bool imported = false;          ///< from somebody's tables (import_column.h), not asked: no identity, types or limits
  std::vector<MemoryHeap> heaps;  ///< empty for a simulated device, whose memory does not exist
  std::vector<MemoryType> memory_types;
  boost::json::object limits;  ///< VkPhysicalDeviceLimits by field name, maxMemoryAllocationSize and more
  std::map<std::string, std::string> environment;  ///< variables that can change a driver's layouts, as they were set
  std::vector<std::string> driconf;                ///< files that can change them, too, if they exist
  std::vector<std::string> entry_points;           ///< the functions that were asked, all with the same answers
  std::vector<ImageRow> images;                    ///< the article's sweep: by width, then height
  std::vector<BufferRow> buffers;                  ///< the article's sweep: by length
  std::vector<std::uint32_t> buffer_memory_type_bits;  ///< the distinct values over all buffers, ascending
  std::vector<Refusal> refused;                        ///< in the article's sweep
  std::vector<SweepAnswers> sweeps;                    ///< the answers to every other sweep
  std::uint64_t contradicted = 0;                      ///< answers that differed from the first to the same query
  std::vector<Contradiction> contradictions;           ///< the first of them
  std::optional<ProbeFailure> failure;
  std::vector<std::string> validation;  ///< messages of the validation layers, if they were enabled

  std::optional<std::uint64_t> limit(std::string_view name) const;  ///< a limit that is a whole number
};

/// kSimulatedPhrase, kImportedPhrase, or "" for a device of the machine.
std::string_view origin_of(const DriverColumn& column);

// The JSON fields of every struct, in file order.
LAB_JSON_STRUCT(ImageRow, width, height, size, alignment, memory_type_bits)
LAB_JSON_STRUCT(BufferRow, length, size, alignment)
LAB_JSON_STRUCT(Refusal, what, result)
LAB_JSON_STRUCT(MemoryHeap, size, flags)
LAB_JSON_STRUCT(MemoryType, heap, flags)
LAB_JSON_STRUCT(ProbeFailure, kind, detail, output_tail)
LAB_JSON_STRUCT(Contradiction, what, first, second)

template <typename Fields>
void fields(Fields& f, SimulatedDevice& device) {
  std::string phrase(kSimulatedPhrase);  // for people who read the file
  f("column", phrase);
  f("chip", device.chip);
  f("shim", device.shim);
  f("environment", device.environment);
}

LAB_JSON_STRUCT(DriverIdentity, short_name, version, id, name, info, conformance, device_name, device_type, vendor_id,
                device_id, api_version, driver_version, (device_uuid), (driver_uuid), (cache_uuid), manifest, library,
                pinned, (simulated))

/// The object of column.json. `rows` adds `images` and `buffers` as arrays of objects, and `sweeps`.
boost::json::object to_json(const DriverColumn& column, bool rows = false);

/// What `probe --allocate` found, in a column's folder (memory_findings.h).
inline constexpr std::string_view kMemoryFile = "memory.json";

/// An atlas that has this folder keeps each table once for all columns.
inline constexpr std::string_view kSharedTables = "tables";

/// Replaces `dir`/<column.name> atomically: a reader sees the old folder or the new one. An error leaves it unchanged.
/// The old folder's memory.json stays, and so does a table in `dir`/tables that no column has any longer.
/// `article_files` adds image-sizes.txt and buffer-sizes.txt.
Expected<void> save_column(const DriverColumn& column, const std::filesystem::path& dir, bool article_files = false);

/// Reads one column's folder. An error names the file, the line and the expected content.
Expected<DriverColumn> load_column(const std::filesystem::path& folder);

/// All columns of an atlas folder, sorted by name. A missing folder is an empty atlas.
Expected<std::vector<DriverColumn>> load_atlas(const std::filesystem::path& dir);

/// An atlas, and those columns of `reference` whose names it does not have, marked as kept; sorted by name.
Expected<std::vector<DriverColumn>> load_atlas(const std::filesystem::path& dir,
                                               const std::filesystem::path& reference);

}  // namespace lab::results
