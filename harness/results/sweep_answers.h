/// A driver's answers to one sweep file: the memory requirements of images and buffers of many kinds. In a column's
/// folder they are two tables, in which every row states the whole query:
///   <sweep>-images.csv    format,type,tiling,usage,flags,mip_levels,array_layers,samples,width,height,depth,
///                         size,alignment,memory_type_bits,dedicated,refused
///   <sweep>-buffers.csv   usage,flags,length,size,alignment,memory_type_bits,dedicated,refused
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::results {

/// The wish of VkMemoryDedicatedRequirements for an allocation of its own.
enum class Dedicated : std::uint8_t { kNo, kPreferred, kRequired };

constexpr std::array<const char*, 3> names_of(Dedicated) {
  return {"", "preferred", "required"};
}

/// The answer to one query. All zero if it was refused.
struct Needs {
  std::uint64_t size = 0, alignment = 0;  ///< bytes
  std::uint32_t memory_type_bits = 0;     ///< bit i: memory type i can hold it
  std::uint16_t refusal = 0;              ///< index into SweepAnswers::refusals; 0: answered
  Dedicated dedicated = Dedicated::kNo;
  bool operator==(const Needs&) const = default;
};

/// What the images of a table have in common. Words are Vulkan's without prefix; several flags are joined with '+'.
struct ImageKind {
  std::string format;                                           ///< "R8G8B8A8_UNORM"
  std::string type;                                             ///< "2d"
  std::string tiling;                                           ///< "optimal"
  std::string usage;                                            ///< "sampled+transfer dst"
  std::string flags;                                            ///< "cube compatible"; often ""
  std::uint32_t mip_levels = 1, array_layers = 1, samples = 1;  ///< mip_levels 0: the full chain
  auto operator<=>(const ImageKind&) const = default;
};

struct ImageAnswer {
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels
  Needs needs;
  bool operator==(const ImageAnswer&) const = default;
};

struct ImageTable {
  ImageKind kind;
  std::vector<ImageAnswer> rows;
  bool operator==(const ImageTable&) const = default;
};

struct BufferKind {
  std::string usage, flags;
  auto operator<=>(const BufferKind&) const = default;
};

struct BufferAnswer {
  std::uint64_t length = 0;  ///< requested bytes
  Needs needs;
  bool operator==(const BufferAnswer&) const = default;
};

struct BufferTable {
  BufferKind kind;
  std::vector<BufferAnswer> rows;
  bool operator==(const BufferTable&) const = default;
};

struct SweepAnswers {
  std::string name;                       ///< the sweep file's, without folder and suffix
  std::vector<std::string> refusals{""};  ///< the distinct reasons; the first is that of an answer: none
  std::vector<ImageTable> images;
  std::vector<BufferTable> buffers;

  std::size_t image_rows() const;
  std::size_t buffer_rows() const;
  bool operator==(const SweepAnswers&) const = default;
};

/// "256x128 R8G8B8A8_UNORM, optimal, sampled", with what differs from a plain image of one mip level behind.
std::string describe(const ImageKind& kind, std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1);

/// "4096 bytes, storage buffer"
std::string describe(const BufferKind& kind, std::uint64_t length);

/// The two tables. A table without rows has its header alone.
std::string images_csv(const SweepAnswers& answers);
std::string buffers_csv(const SweepAnswers& answers);

/// {"name", "images": [{format, ..., refused}], "buffers": [...]}: the rows as objects.
boost::json::object to_json(const SweepAnswers& answers);

/// Reads both tables back. Consecutive rows of one kind are one table. An error names the line and the expected
/// content; `images_name` and `buffers_name` are what it calls the texts.
Expected<SweepAnswers> parse_sweep_answers(std::string name, std::string_view images, std::string_view images_name,
                                           std::string_view buffers, std::string_view buffers_name);

}  // namespace lab::results
