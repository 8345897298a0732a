/// What a program will use, read from the file of `probe --advise`:
///
///   {"schema": 1, "heap_parts": 62, "largest_resource": 64000000, "heap_bytes": 8000000000,
///    "images":  [{"name": "albedo", "format": "VK_FORMAT_BC7_SRGB_BLOCK", "usage": ["sampled", "transfer dst"],
///                 "width": 2048, "height": 2048, "mip_levels": "full", "count": 200}],
///    "buffers": [{"name": "vertices", "usage": ["vertex buffer"], "length": 1000000, "count": 50}]}
///
/// formats.md lists all fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/advice.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

/// What the entries of both kinds have.
struct ProgramUse {
  std::string name;
  std::uint64_t count = 1;
  std::vector<std::string> memory;  ///< flags that the memory type must have: "host visible"
};

struct ProgramImage {
  ProgramUse use;
  ImageKind kind;
  Extent size;
};

struct ProgramBuffer {
  ProgramUse use;
  BufferKind kind;
  std::uint64_t length = 0;  ///< bytes
};

struct Program {
  AdviceOptions options;
  std::vector<ProgramImage> images;
  std::vector<ProgramBuffer> buffers;
};

/// Resources of one file. Each is placed in a simulation.
inline constexpr std::uint64_t kMostResources = 1'000'000;

/// One sentence on the first error: which field, what was expected, what was found.
Expected<Program> parse_program(std::string_view text);

/// Reads a file. An error names it.
Expected<Program> load_program(const std::string& file);

/// A sweep file that asks for exactly these resources.
std::string sweep_text(const Program& program);

}  // namespace lab::probe
