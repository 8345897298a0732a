#include "variants/gpu_memory/family/dump.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "harness/base/child.h"
#include "harness/base/scratch_folder.h"
#include "variants/gpu_memory/family/dumped_state.h"
#include "variants/gpu_memory/family/vma_range.h"

namespace lab::gpu_memory {
namespace {

namespace json = boost::json;
using designs::ResourceKind;

constexpr std::uint64_t kKiB = 1024;

/// Two allocations with parts of every kind, one of which says where it is free, a dedicated one, and an empty type.
DumpedMemory example() {
  DumpedMemory memory;
  memory.device = "Example \"GPU\"";
  memory.api_version = "1.3.0";
  memory.device_type = 2;
  memory.max_allocations = 4096;
  memory.granularity = kKiB;
  memory.non_coherent_atom = 64;
  memory.heaps = {{8'000'000, 0x1}, {1'000'000, 0x0}};
  DumpedMemoryType local{.heap = 0, .flags = 0x1, .allocation_bytes = 1184 * kKiB, .allocations = {}};
  local.allocations.push_back({.id = 7,
                               .bytes = 1184 * kKiB,
                               .alignment = 4 * kKiB,
                               .ranges = {{0, 10 * kKiB, 10 * kKiB, true, ResourceKind::kOptimalImage, 0x4},
                                          {10 * kKiB, 6 * kKiB, 0, false, std::nullopt, 0},
                                          {16 * kKiB, 184 * kKiB, 183 * kKiB, true, ResourceKind::kBuffer, 0x80},
                                          {584 * kKiB, 100 * kKiB, 100 * kKiB, true, ResourceKind::kLinearImage, 0}}});
  local.allocations.push_back({.id = 8,
                               .bytes = 592 * kKiB,
                               .dedicated = true,
                               .ranges = {{0, 500 * kKiB, 500 * kKiB, true, ResourceKind::kOptimalImage, 0x20}}});
  local.allocations.push_back({.id = 9, .bytes = 1000, .ranges = {{0, 1000, 1000, true, std::nullopt, 0}}});
  memory.types.push_back(std::move(local));
  memory.types.push_back({.heap = 1, .flags = 0x106, .allocation_bytes = 500'000, .allocations = {}});
  return memory;
}

TEST(Dump, is_the_document_that_vma_writes_and_figures_of_ours) {
  constexpr std::string_view kExpected = R"({
    "General": {
      "API": "Vulkan",
      "apiVersion": "1.3.0",
      "GPU": "Example \"GPU\"",
      "deviceType": 2,
      "maxMemoryAllocationCount": 4096,
      "bufferImageGranularity": 1024,
      "nonCoherentAtomSize": 64,
      "memoryHeapCount": 2,
      "memoryTypeCount": 2,
      "Losses": {
        "Heap 0": {"ExternalFragmentation": 4.3820224719101124E-1, "AlignmentGapBytes": 2048, "RoundingBytes": 95232},
        "Heap 1": {"ExternalFragmentation": 0E0, "AlignmentGapBytes": 0, "RoundingBytes": 0},
        "Total": {"ExternalFragmentation": 4.3820224719101124E-1, "AlignmentGapBytes": 2048, "RoundingBytes": 95232}
      }
    },
    "Total": {
      "BlockCount": 3,
      "BlockBytes": 1819624,
      "AllocationCount": 5,
      "AllocationBytes": 908264,
      "UnusedRangeCount": 3,
      "AllocationSizeMin": 1000,
      "AllocationSizeMax": 606208,
      "UnusedRangeSizeMin": 6144,
      "UnusedRangeSizeMax": 512000
    },
    "MemoryInfo": {
      "Heap 0": {
        "Flags": ["DEVICE_LOCAL"],
        "Size": 8000000,
        "Budget": {"BudgetBytes": 6400000, "UsageBytes": 1819624},
        "Stats": {
          "BlockCount": 3,
          "BlockBytes": 1819624,
          "AllocationCount": 5,
          "AllocationBytes": 908264,
          "UnusedRangeCount": 3,
          "AllocationSizeMin": 1000,
          "AllocationSizeMax": 606208,
          "UnusedRangeSizeMin": 6144,
          "UnusedRangeSizeMax": 512000
        },
        "MemoryPools": {
          "Type 0": {
            "Flags": ["DEVICE_LOCAL"],
            "Stats": {
              "BlockCount": 3,
              "BlockBytes": 1819624,
              "AllocationCount": 5,
              "AllocationBytes": 908264,
              "UnusedRangeCount": 3,
              "AllocationSizeMin": 1000,
              "AllocationSizeMax": 606208,
              "UnusedRangeSizeMin": 6144,
              "UnusedRangeSizeMax": 512000
            }
          }
        }
      },
      "Heap 1": {
        "Flags": [],
        "Size": 1000000,
        "Budget": {"BudgetBytes": 800000, "UsageBytes": 0},
        "Stats": {
          "BlockCount": 0,
          "BlockBytes": 0,
          "AllocationCount": 0,
          "AllocationBytes": 0,
          "UnusedRangeCount": 0
        },
        "MemoryPools": {
          "Type 1": {
            "Flags": ["HOST_VISIBLE", "HOST_COHERENT", "0x100"],
            "Stats": {
              "BlockCount": 0,
              "BlockBytes": 0,
              "AllocationCount": 0,
              "AllocationBytes": 0,
              "UnusedRangeCount": 0
            }
          }
        }
      }
    },
    "DefaultPools": {
      "Type 0": {
        "PreferredBlockSize": 1212416,
        "Blocks": {
          "7": {
            "MapRefCount": 0,
            "TotalBytes": 1212416,
            "UnusedBytes": 911360,
            "Allocations": 3,
            "UnusedRanges": 3,
            "Suballocations": [
              {"Offset": 0, "Type": "IMAGE_OPTIMAL", "Size": 10240, "Usage": 4},
              {"Offset": 10240, "Type": "FREE", "Size": 6144},
              {"Offset": 16384, "Type": "BUFFER", "Size": 188416, "Usage": 128, "CustomData": "0x2dc00"},
              {"Offset": 204800, "Type": "FREE", "Size": 393216},
              {"Offset": 598016, "Type": "IMAGE_LINEAR", "Size": 102400, "Usage": 0},
              {"Offset": 700416, "Type": "FREE", "Size": 512000}
            ],
            "Losses": {"ExternalFragmentation": 4.3820224719101124E-1, "AlignmentGapBytes": 2048, "RoundingBytes": 1024}
          },
          "9": {
            "MapRefCount": 0,
            "TotalBytes": 1000,
            "UnusedBytes": 0,
            "Allocations": 1,
            "UnusedRanges": 0,
            "Suballocations": [{"Offset": 0, "Type": "UNKNOWN", "Size": 1000, "Usage": 0}],
            "Losses": {"ExternalFragmentation": 0E0, "AlignmentGapBytes": 0, "RoundingBytes": 0}
          }
        },
        "DedicatedAllocations": [
          {"Type": "IMAGE_OPTIMAL", "Size": 606208, "Usage": 32, "CustomData": "0x7d000"}
        ],
        "Losses": {"ExternalFragmentation": 4.3820224719101124E-1, "AlignmentGapBytes": 2048, "RoundingBytes": 95232}
      },
      "Type 1": {
        "PreferredBlockSize": 500000,
        "Blocks": {},
        "DedicatedAllocations": [],
        "Losses": {"ExternalFragmentation": 0E0, "AlignmentGapBytes": 0, "RoundingBytes": 0}
      }
    },
    "CustomPools": {}
  })";
  EXPECT_EQ(json::serialize(dump(example())), json::serialize(json::parse(kExpected)));
}

TEST(Dump, has_the_figures_that_vma_has_of_the_same_parts) {
  VmaRange range(1'000'000, 256, VmaStrategy::kDefault);
  std::vector<designs::Suballocation> parts;
  for (std::uint64_t i = 1; i <= 60; ++i) parts.push_back(range.allocate(i * 100, 1));
  for (std::size_t i = 0; i < parts.size(); i += 3) range.free(parts[i]);
  DumpedMemory memory;
  memory.heaps = {{2'000'000, 0}};
  DumpedAllocation allocation{.id = 0, .bytes = range.capacity(), .alignment = 256, .ranges = {}};
  range.for_each([&](const designs::OffsetRange& each) {
    allocation.ranges.push_back({each.offset, each.bytes, each.requested, each.used, std::nullopt, 0});
  });
  memory.types = {{.heap = 0, .flags = 0, .allocation_bytes = range.capacity(), .allocations = {allocation}}};

  const json::object ours = dump(memory);
  const json::value own = json::parse(range.own_map());
  EXPECT_EQ(ours.at("Total"), own.at("Stats"));
  const json::object& block = ours.at("DefaultPools").at("Type 0").at("Blocks").at("0").as_object();
  for (const char* name : {"TotalBytes", "UnusedBytes", "Allocations", "UnusedRanges"})
    EXPECT_EQ(block.at(name), own.at("Details").at(name)) << name;
  // Of the parts, VMA knows no kind in a virtual block.
  const json::array &listed = block.at("Suballocations").as_array(),
                    &expected = own.at("Details").at("Suballocations").as_array();
  ASSERT_EQ(listed.size(), expected.size());
  for (std::size_t i = 0; i < listed.size(); ++i)
    for (const char* name : {"Offset", "Size"}) EXPECT_EQ(listed[i].at(name), expected[i].at(name)) << i;
}

bool matches(const std::string& text, const std::string& pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

/// JSON Schema, as much of it as VMA's schema uses; an unknown keyword fails.
class Schema {
 public:
  explicit Schema(const std::string& path) {
    std::ifstream file(path);
    root_ = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }

  /// "": `value` is valid; else where it is not and why.
  std::string why_invalid(const json::value& value) const { return check(value, root_.as_object(), "$"); }

 private:
  std::string check(const json::value& value, const json::object& schema, const std::string& at) const {
    for (const auto& [keyword, rule] : schema)
      if (const std::string why = check(value, keyword, rule, schema, at); !why.empty()) return why;
    return "";
  }

  std::string check(const json::value& value, std::string_view keyword, const json::value& rule,
                    const json::object& schema, const std::string& at) const {
    if (keyword == "$id" || keyword == "$schema" || keyword == "$defs") return "";
    if (keyword == "$ref") {
      constexpr std::string_view kPlace = "#/$defs/";
      return check(value, root_.at("$defs").at(std::string_view(rule.as_string()).substr(kPlace.size())).as_object(),
                   at);
    }
    if (keyword == "type") {
      const std::string_view type = rule.as_string();
      const bool fits = type == "object"    ? value.is_object()
                        : type == "array"   ? value.is_array()
                        : type == "string"  ? value.is_string()
                        : type == "integer" ? value.is_int64() || value.is_uint64()
                                            : false;
      return fits ? "" : fmt::format("{}: no {}", at, type);
    }
    if (keyword == "enum") {
      const json::array& values = rule.as_array();
      return std::ranges::find(values, value) != values.end() ? "" : at + ": not in enum";
    }
    if (keyword == "pattern") {
      const std::string text(value.as_string()), pattern(rule.as_string());
      return matches(text, pattern) ? "" : at + ": not as the pattern";
    }
    if (keyword == "items") {
      for (const json::value& each : value.as_array())
        if (const std::string why = check(each, rule.as_object(), at + "[]"); !why.empty()) return why;
      return "";
    }
    return check_members(value.as_object(), keyword, rule, schema, at);
  }

  std::string check_members(const json::object& object, std::string_view keyword, const json::value& rule,
                            const json::object& schema, const std::string& at) const {
    if (keyword == "required") {
      for (const json::value& name : rule.as_array())
        if (!object.contains(name.as_string())) return fmt::format("{}: no {}", at, std::string_view(name.as_string()));
      return "";
    }
    for (const auto& [key, value] : object) {
      const std::string name(key), inside = at + "." + name;
      const json::value* const properties = schema.if_contains("properties");
      const json::value* const own = properties ? properties->as_object().if_contains(name) : nullptr;
      std::string why;
      if (keyword == "properties") {
        if (own) why = check(value, own->as_object(), inside);
      } else if (keyword == "propertyNames") {
        why = check(json::value(name), rule.as_object(), inside);
      } else if (keyword == "additionalProperties") {
        if (own) continue;
        why = rule.is_object() ? check(value, rule.as_object(), inside) : rule.as_bool() ? "" : inside + ": unknown";
      } else {
        why = fmt::format("the schema has '{}'", keyword);
      }
      if (!why.empty()) return why;
    }
    return "";
  }

  json::value root_;
};

TEST(Dump, keeps_the_schema_of_vma) {
  const Schema schema(LAB_VMA_TOOLS "/GpuMemDump.schema.json");
  EXPECT_EQ(schema.why_invalid(dump(example())), "");
  EXPECT_EQ(schema.why_invalid(dump({})), "");
  const Subject subject = subject_of<Pools<designs::BestFit, kByAlignment>>();
  for (const DeviceTable& table : device_tables()) {
    const json::object state = dump(state_after(subject, streaming(1, table), table.title));
    EXPECT_EQ(schema.why_invalid(state), "") << table.name;
    EXPECT_EQ(state.at("Total").at("AllocationCount"), 808) << table.name;
  }

  json::value wrong = dump(example());
  wrong.at("MemoryInfo").at("Heap 0").as_object()["Losses"] = json::object();
  EXPECT_EQ(schema.why_invalid(wrong), "$.MemoryInfo.Heap 0.Losses: unknown");
  wrong = dump(example());
  wrong.at("Total").at("BlockCount") = 0.5;
  EXPECT_EQ(schema.why_invalid(wrong), "$.Total.BlockCount: no integer");
  wrong = dump(example());
  wrong.at("DefaultPools").at("Type 0").at("Blocks").at("7").at("Suballocations").as_array()[2].at("CustomData") =
      "a b";
  EXPECT_EQ(schema.why_invalid(wrong),
            "$.DefaultPools.Type 0.Blocks.7.Suballocations[].CustomData: not as the pattern");
  wrong = dump(example());
  wrong.at("DefaultPools").at("Type 0").at("DedicatedAllocations").as_array()[0].as_object().erase("Size");
  EXPECT_EQ(schema.why_invalid(wrong), "$.DefaultPools.Type 0.DedicatedAllocations[]: no Size");
  wrong = dump(example());
  wrong.at("General").at("API") = "Metal";
  EXPECT_EQ(schema.why_invalid(wrong), "$.General.API: not in enum");
}

/// A module PIL that writes what is drawn instead of a picture, for a machine that has only Python.
constexpr std::string_view kDrawing = R"(
class Image:
    lines = []
    def new(mode, size, color):
        return Image()
    def save(self, path):
        open(path, "w").write("".join(line + "\n" for line in Image.lines))

class ImageFont:
    def truetype(name):
        raise OSError
    def load_default():
        return None

class ImageDraw:
    def Draw(image):
        return ImageDraw()
    def line(self, *_, fill):
        pass
    def rectangle(self, place, fill, outline):
        Image.lines.append(f"  {place[0]} to {place[2]} of {fill[:3]}")
    def text(self, place, text, fill, font):
        if place[0] == 8:
            Image.lines.append(text)
    def textlength(self, text, font):
        return 0
)";

/// What VMA's tool draws of the document.
std::string drawn(const json::object& document) {
  const ScratchFolder folder;
  folder.write("PIL/__init__.py", kDrawing);
  folder.write("dump.json", json::serialize(document));
  const std::string picture = (folder.path() / "picture").string();
  ChildSpec spec;
  spec.command = {"python3", LAB_VMA_TOOLS "/GpuMemDumpVis.py", "-o", picture, (folder.path() / "dump.json").string()};
  spec.environment = {"PYTHONPATH=" + folder.path().string(), "PYTHONDONTWRITEBYTECODE=1"};
  const ChildOutcome outcome = run_child(spec);
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) return outcome.output + outcome.error_tail;
  std::ifstream file(picture);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The largest allocation is 1184 KiB, and the picture is 1184 pixels wide, from pixel 8.
TEST(Dump, is_drawn_by_the_tool_of_vma) {
  EXPECT_EQ(drawn(dump(example())),
            "Memory pool Type 0\n"
            "Default pool block 7\n"
            "  8 to 1192 of (220, 220, 220)\n"
            "  8 to 18 of (0, 255, 255)\n"      // a sampled image
            "  24 to 208 of (255, 148, 148)\n"  // a vertex buffer
            "  592 to 692 of (0, 255, 0)\n"     // a linear image
            "Default pool block 9\n"
            "  8 to 8 of (220, 220, 220)\n"
            "Dedicated allocation 0\n"
            "  8 to 600 of (246, 128, 255)\n");  // a depth buffer
}

}  // namespace
}  // namespace lab::gpu_memory
