// One part of the real allocations on one device, and nothing else, so that a crash or a hang costs only this part.
// `probe --allocate` starts it:
//   vulkan_memory_child LOADER DEVICE PART [layers] [quick]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/probe/memory/parts.h"

namespace {

using Run = void (*)(lab::probe::MemoryDevice&);

// In the order of kMemoryParts.
constexpr Run kRuns[] = {lab::probe::run_policy_part, lab::probe::run_allocation_part, lab::probe::run_access_part,
                         lab::probe::run_textures_part, lab::probe::run_limit_part};
static_assert(std::size(kRuns) == lab::probe::kMemoryParts.size());

}  // namespace

int main(int argc, char** argv) {
  using namespace lab;
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const auto part = argc < 4 ? probe::kMemoryParts.end() : std::ranges::find(probe::kMemoryParts, arguments[3]);
  if (part == probe::kMemoryParts.end()) {
    fmt::print(stderr, "usage: {} LOADER DEVICE {} [layers] [quick]\n", argv[0], fmt::join(probe::kMemoryParts, "|"));
    return static_cast<int>(ExitStatus::kUsage);
  }
  const auto has = [&](std::string_view word) {
    return std::ranges::find(arguments.subspan(4), word) != arguments.end();
  };
  const probe::MemoryEvents events;
  const probe::MemoryRequest request{.loader = arguments[1],
                                     .device = static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10)),
                                     .layers = has("layers"),
                                     .quick = has("quick")};
  {
    vulkan::Validation validation(
        [&](std::string message) { events.write({.event = "validation", .text = std::move(message)}); });
    probe::MemoryDevice device(request, events, validation);
    kRuns[part - probe::kMemoryParts.begin()](device);
  }
  events.write({.event = "done"});
  // The driver's exit handlers must not affect the result.
  std::_Exit(EXIT_SUCCESS);
}
