// Queries one Vulkan driver and nothing else, so that a crash or hang of the driver affects only this process. `probe`
// starts it:
//   vulkan_probe_child LOADER DRIVER_LIBRARY SWEEPS_FILE FIRST_DEVICE [validate]
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "harness/base/files.h"
#include "harness/probe/child/queries.h"

int main(int argc, char** argv) {
  using namespace lab;
  if (argc < 5) {
    fmt::print(stderr, "usage: {} LOADER DRIVER_LIBRARY SWEEPS_FILE FIRST_DEVICE [validate]\n", argv[0]);
    return static_cast<int>(ExitStatus::kUsage);
  }
  const probe::EventWriter events;
  const auto sweeps = read_file(argv[3]).value();
  const probe::QueryRequest request{.loader = argv[1],
                                    .library = argv[2],
                                    .sweeps = probe::parse_sweeps(sweeps).value(),
                                    .first = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)),
                                    .validate = argc > 5};
  probe::run_queries(request, events);
  events.write({.event = "done"});
  // The driver's exit handlers must not affect the result.
  std::_Exit(EXIT_SUCCESS);
}
