#include "variants/gpu_memory/family/tables.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "atlas_tables_generated.h"

// The assembler puts the files into the executable, which so depends on them wherever it is and whoever starts it.
// clang-format off
#define LAB_TABLE(symbol, table)                                         \
  asm(".pushsection .rodata.lab_table_" #symbol ", \"a\"\n"              \
      ".globl lab_table_" #symbol ", lab_table_" #symbol "_end\n"        \
      ".hidden lab_table_" #symbol ", lab_table_" #symbol "_end\n"       \
      "lab_table_" #symbol ": .incbin \"" LAB_ATLAS_##table "\"\n"       \
      "lab_table_" #symbol "_end:\n"                                     \
      ".popsection\n");                                                  \
  extern "C" [[gnu::visibility("hidden")]] const char lab_table_##symbol[], lab_table_##symbol##_end[]
// clang-format on

LAB_TABLE(lavapipe_images, lavapipe_25_0_7_images);
LAB_TABLE(lavapipe_buffers, lavapipe_25_0_7_buffers);
LAB_TABLE(pinned_images, lavapipe_22_3_6_images);
LAB_TABLE(pinned_buffers, lavapipe_22_3_6_buffers);
LAB_TABLE(hd620_images, anv_25_0_7_hd620_simulated_images);
LAB_TABLE(hd620_buffers, anv_25_0_7_hd620_simulated_buffers);
LAB_TABLE(navi10_images, radv_25_0_7_navi10_simulated_images);
LAB_TABLE(navi10_buffers, radv_25_0_7_navi10_simulated_buffers);
LAB_TABLE(ga102_images, nvk_25_0_7_ga102_simulated_images);
LAB_TABLE(ga102_buffers, nvk_25_0_7_ga102_simulated_buffers);

namespace lab::gpu_memory {

namespace {

[[noreturn]] void malformed(const char* table, std::string_view line) {  // a broken build, not a broken input
  fmt::print(stderr, "variant: error: table of {}: expected comma-separated numbers, found '{}'\n", table, line);
  std::abort();
}

// Calls row(numbers) for each line but the first, with its first `kColumns` numbers.
template <std::size_t kColumns, typename Row>
void for_each_row(const char* table, std::string_view text, Row row) {
  for (bool first = true; !text.empty(); first = false) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (first) continue;
    std::array<std::uint64_t, kColumns> numbers{};
    const char* at = line.data();
    for (std::uint64_t& number : numbers) {
      const auto [end, error] = std::from_chars(at, line.data() + line.size(), number);
      if (error != std::errc{}) malformed(table, line);
      at = end + (end != line.data() + line.size());
    }
    row(numbers);
  }
}

DeviceTable table_of(const char* name, const char* title, std::uint64_t granularity, std::string_view images,
                     std::string_view buffers) {
  DeviceTable table{name, title, granularity, {}, {}};
  for_each_row<4>(name, images, [&](const auto& row) {
    table.images.push_back({static_cast<unsigned>(row[0]), static_cast<unsigned>(row[1]), row[2], row[3]});
  });
  for_each_row<3>(name, buffers, [&](const auto& row) { table.buffers.push_back({row[0], row[1], row[2]}); });
  return table;
}

}  // namespace

const std::array<DeviceTable, 4>& device_tables() {
  static const std::array<DeviceTable, 4> kTables{
      table_of("lavapipe", "lavapipe, the driver on the CPU", 64,
               {lab_table_lavapipe_images, lab_table_lavapipe_images_end},
               {lab_table_lavapipe_buffers, lab_table_lavapipe_buffers_end}),
      table_of("hd620", "ANV on a simulated Intel HD Graphics 620", 1,
               {lab_table_hd620_images, lab_table_hd620_images_end},
               {lab_table_hd620_buffers, lab_table_hd620_buffers_end}),
      table_of("navi10", "RADV on a simulated Navi 10 (AMD Radeon RX 5700)", 1,
               {lab_table_navi10_images, lab_table_navi10_images_end},
               {lab_table_navi10_buffers, lab_table_navi10_buffers_end}),
      table_of("ga102", "NVK on a simulated GA102 (NVIDIA GeForce RTX 3090)", 1024,
               {lab_table_ga102_images, lab_table_ga102_images_end},
               {lab_table_ga102_buffers, lab_table_ga102_buffers_end})};
  return kTables;
}

const DeviceTable& pinned_lavapipe_table() {
  static const DeviceTable kTable = table_of("lavapipe-22.3.6", "lavapipe 22.3.6, the driver on the CPU", 64,
                                             {lab_table_pinned_images, lab_table_pinned_images_end},
                                             {lab_table_pinned_buffers, lab_table_pinned_buffers_end});
  return kTable;
}

}  // namespace lab::gpu_memory
