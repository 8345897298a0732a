// Queries one device of one Vulkan driver and nothing else, so that a crash or hang of the driver affects only this
// process. `probe` starts it:
//   vulkan_probe_child LOADER DRIVER_LIBRARY DEVICE ANSWERS_FILE validate|plain SWEEP...
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/probe/child/queries.h"

namespace {

int number(const char* text) {
  return static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lab;
  if (argc < 7) {
    fmt::print(stderr, "usage: {} LOADER DRIVER_LIBRARY DEVICE ANSWERS_FILE validate|plain SWEEP...\n", argv[0]);
    return static_cast<int>(ExitStatus::kUsage);
  }
  const probe::EventWriter events;
  std::vector<probe::Sweep> sweeps;
  for (int i = 6; i < argc; ++i) sweeps.push_back(probe::load_sweep(argv[i]).value());
  const probe::QueryList queries = probe::query_list(sweeps);
  const auto answers = probe::AnswerTable::open(number(argv[4]), queries.count);
  const probe::QueryRequest request{.loader = argv[1],
                                    .library = argv[2],
                                    .device = static_cast<std::uint32_t>(number(argv[3])),
                                    .validate = std::string(argv[5]) == "validate"};
  const std::uint64_t contradictions = probe::run_queries(request, queries, answers.value(), events);
  events.write({.event = "done", .number = contradictions});
  // The driver's exit handlers must not affect the result.
  std::_Exit(EXIT_SUCCESS);
}
