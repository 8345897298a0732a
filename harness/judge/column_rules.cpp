#include "harness/judge/column_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "harness/results/texel_blocks.h"

namespace lab::judge {

namespace {

using results::BufferAnswer;
using results::BufferKind;
using results::BufferTable;
using results::DriverColumn;
using results::ImageAnswer;
using results::ImageKind;
using results::ImageTable;
using results::Needs;

enum class Rule {
  kAlignment,
  kSomeType,
  kExistingTypes,
  kHostVisible,
  kSameTypes,
  kOffsetAlignment,
  kPackedSize,
  kMonotone,
};

struct RuleText {
  const char* text;
  bool of_the_specification;
};

constexpr std::array<RuleText, 8> kRules{{
    {"the alignment is a power of two", true},
    {"at least one memory type can hold it", true},
    {"only existing memory types can hold it", true},
    {"host-visible memory can hold a linear image and a buffer", true},
    {"the memory types are the same for the same tiling and flags", true},
    {"a buffer's alignment is a multiple of the least offset alignment", true},
    {"the size is at least that of the packed texels or bytes", false},
    {"a wider or higher image of one kind is not smaller", false},
}};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find('+', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool is_depth_or_stencil(std::string_view format) {
  return format.starts_with('D') || format.starts_with("S8") || format.starts_with("X8_D24");
}

class RuleCheck {
 public:
  explicit RuleCheck(const DriverColumn& column) : column_(column) {}

  std::vector<BrokenRule> run() {
    for (const auto& sweep : column_.sweeps) {
      for (const ImageTable& table : sweep.images) check_images(table);
      for (const BufferTable& table : sweep.buffers) check_buffers(table);
    }
    std::vector<BrokenRule> found;
    for (auto& [rule, broken] : broken_) found.push_back(std::move(broken));
    return found;
  }

  void run_article() {
    ImageTable images{{"R8G8B8A8_UNORM", "2d", "optimal", "sampled", "", 1, 1, 1}, {}};
    for (const results::ImageRow& row : column_.images)
      images.rows.push_back({static_cast<std::uint32_t>(row.width), static_cast<std::uint32_t>(row.height), 1,
                             asked(row.size, row.alignment, row.memory_type_bits)});
    check_images(images);
    // The article's tables of buffers have no memory types.
    const std::vector<std::uint32_t>& bits = column_.buffer_memory_type_bits;
    BufferTable buffers{{"storage buffer", ""}, {}};
    for (const results::BufferRow& row : column_.buffers)
      buffers.rows.push_back({row.length, asked(row.size, row.alignment, bits.empty() ? 0 : bits.front())});
    if (bits.size() > 1)
      broke(
          Rule::kSameTypes, [] { return std::string("storage buffers of different sizes"); },
          fmt::format("{} sets of memory types", bits.size()));
    check_buffers(buffers);
  }

 private:
  // A row of the article's tables: all zero if it was refused.
  static Needs asked(std::uint64_t size, std::uint64_t alignment, std::uint32_t bits) {
    Needs needs{size, alignment, bits};
    if (size == 0 && alignment == 0) needs.refusal = 1;
    return needs;
  }

  // `what` describes the query in words, which takes longer than all checks and is needed for the first alone.
  template <typename What>
  void broke(Rule rule, const What& what, std::string found) {
    const RuleText& text = kRules[static_cast<std::size_t>(rule)];
    const auto [at, is_new] = broken_.try_emplace(rule);
    if (is_new) at->second = {text.text, text.of_the_specification, 0, what(), std::move(found)};
    ++at->second.count;
  }

  template <typename What>
  void check_types(const Needs& needs, const What& what, bool host_visible) {
    if (column_.memory_types.empty()) return;
    const std::uint32_t bits = needs.memory_type_bits;
    if (bits == 0) return broke(Rule::kSomeType, what, "memory type bits 0");
    if (const std::size_t types = column_.memory_types.size(); types < 32 && bits >> types != 0)
      broke(Rule::kExistingTypes, what, fmt::format("memory type bits {:#x} of {} types", bits, types));
    if (!host_visible) return;
    for (std::size_t i = 0; i < column_.memory_types.size(); ++i)
      if ((bits >> i & 1) != 0 && std::ranges::count(column_.memory_types[i].flags, "host visible") > 0) return;
    broke(Rule::kHostVisible, what, fmt::format("memory type bits {:#x}", bits));
  }

  template <typename What>
  void check_common(const Needs& needs, const What& what, std::optional<std::uint64_t> packed) {
    if (!std::has_single_bit(needs.alignment))
      broke(Rule::kAlignment, what, fmt::format("alignment {}", needs.alignment));
    if (packed && needs.size < *packed)
      broke(Rule::kPackedSize, what, fmt::format("{} bytes of {}", needs.size, *packed));
  }

  // `known` are the memory types of the first answer with the same tiling and flags.
  template <typename What>
  void check_same_types(std::optional<std::uint32_t>& known, const Needs& needs, const What& what) {
    if (column_.memory_types.empty()) return;
    if (!known) known = needs.memory_type_bits;
    if (*known != needs.memory_type_bits)
      broke(Rule::kSameTypes, what,
            fmt::format("memory type bits {:#x}, elsewhere {:#x}", needs.memory_type_bits, *known));
  }

  void check_images(const ImageTable& table) {
    const ImageKind& kind = table.kind;
    const bool sparse = has_word(kind.flags, "sparse binding");
    const ImageTypes types{kind.tiling, sparse, has_word(kind.flags, "protected"),
                           has_word(kind.usage, "transient attachment"),
                           is_depth_or_stencil(kind.format) ? kind.format : ""};
    const std::optional<results::TexelBlock> block = results::texel_block(kind.format);
    std::optional<std::uint32_t>& known = image_types_[types];
    for (const ImageAnswer& row : table.rows) {
      if (row.needs.refusal != 0) continue;
      const auto what = [&] { return describe(kind, row.width, row.height, row.depth); };
      std::optional<std::uint64_t> packed;
      if (block) packed = results::packed_bytes(*block, kind, row.width, row.height, row.depth);
      check_common(row.needs, what, packed);
      check_types(row.needs, what, kind.tiling == "linear" && !sparse);
      check_same_types(known, row.needs, what);
    }
    check_monotone(table, [](const ImageAnswer& row) { return std::tuple(row.height, row.depth, row.width); });
    check_monotone(table, [](const ImageAnswer& row) { return std::tuple(row.width, row.depth, row.height); });
  }

  // Among rows that differ in the last element of `key` alone, sizes must not fall.
  template <typename MakeKey>
  void check_monotone(const ImageTable& table, const MakeKey& key) {
    std::vector<const ImageAnswer*> rows;
    for (const ImageAnswer& row : table.rows)
      if (row.needs.refusal == 0) rows.push_back(&row);
    std::ranges::stable_sort(rows, {}, [&](const ImageAnswer* row) { return key(*row); });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const ImageAnswer &before = *rows[i - 1], &row = *rows[i];
      const auto a = key(before), b = key(row);
      if (std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b) && row.needs.size < before.needs.size)
        broke(
            Rule::kMonotone, [&] { return describe(table.kind, row.width, row.height, row.depth); },
            fmt::format("{} bytes, and {} of {}x{}", row.needs.size, before.needs.size, before.width, before.height));
    }
  }

  void check_buffers(const BufferTable& table) {
    const BufferKind& kind = table.kind;
    const bool plain = !has_word(kind.flags, "sparse binding") && !has_word(kind.flags, "protected");
    std::optional<std::uint32_t>& known = buffer_types_[std::pair(kind.usage, kind.flags)];
    for (const BufferAnswer& row : table.rows) {
      if (row.needs.refusal != 0) continue;
      const auto what = [&] { return describe(kind, row.length); };
      check_common(row.needs, what, row.length);
      check_types(row.needs, what, plain);
      check_same_types(known, row.needs, what);
      for (const auto& [usage, limit] : {std::pair("uniform buffer", "minUniformBufferOffsetAlignment"),
                                         {"storage buffer", "minStorageBufferOffsetAlignment"},
                                         {"uniform texel buffer", "minTexelBufferOffsetAlignment"},
                                         {"storage texel buffer", "minTexelBufferOffsetAlignment"}}) {
        const std::uint64_t least = has_word(kind.usage, usage) ? column_.limit(limit).value_or(0) : 0;
        if (least != 0 && row.needs.alignment % least != 0)
          broke(Rule::kOffsetAlignment, what, fmt::format("alignment {}, {} {}", row.needs.alignment, limit, least));
      }
    }
  }

  // What may change the memory types of an image; the format does only for depth and stencil.
  using ImageTypes = std::tuple<std::string, bool, bool, bool, std::string>;

  const DriverColumn& column_;
  std::map<Rule, BrokenRule> broken_;
  std::map<ImageTypes, std::optional<std::uint32_t>> image_types_;
  std::map<std::pair<std::string, std::string>, std::optional<std::uint32_t>> buffer_types_;
};

}  // namespace

std::vector<BrokenRule> broken_rules(const DriverColumn& column) {
  RuleCheck check(column);
  check.run_article();
  return check.run();
}

}  // namespace lab::judge
