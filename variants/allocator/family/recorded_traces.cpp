#include "variants/allocator/family/recorded_traces.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "variants/common/plans/recording.h"
#include "variants/common/workloads/workload.h"

// The assembler puts the bytes into the executable, which so depends on them wherever it is and whoever starts it.
// clang-format off
#define LAB_RECORDING(name)                                                       \
  asm(".pushsection .rodata.lab_trace_" #name ", \"a\"\n"                         \
      ".globl lab_trace_" #name ", lab_trace_" #name "_end\n"                     \
      ".hidden lab_trace_" #name ", lab_trace_" #name "_end\n"                    \
      "lab_trace_" #name ": .incbin \"variants/allocator/traces/" #name ".trace\"\n" \
      "lab_trace_" #name "_end:\n"                                                \
      ".popsection\n");                                                           \
  extern "C" [[gnu::visibility("hidden")]] const char lab_trace_##name[], lab_trace_##name##_end[]
// clang-format on

LAB_RECORDING(compile);
LAB_RECORDING(python);
LAB_RECORDING(harness);

namespace lab::allocator {

namespace {

struct File {
  const char *name, *title, *begin, *end;
};

const File& file_of(Recorded which) {
  static constexpr File kFiles[] = {
      {"trace_compile", "Replay of a compiler: the first 300,000 requests of cc1plus with a file of 30 lines",
       lab_trace_compile, lab_trace_compile_end},
      {"trace_python", "Replay of Python: 300,000 requests of a program that writes and reads JSON", lab_trace_python,
       lab_trace_python_end},
      {"trace_harness", "Replay of this harness: the first 300,000 requests of a comparison of two results",
       lab_trace_harness, lab_trace_harness_end}};
  return kFiles[static_cast<std::size_t>(which)];
}

}  // namespace

std::string_view recorded_file(Recorded which) {
  const File& file = file_of(which);
  return {file.begin, file.end};
}

ReplayPlan::ReplayPlan(Recorded which) {
  const Expected<Recording> recording = decode(recorded_file(which));
  if (!recording) {  // a broken build, not a broken input
    fmt::print(stderr, "variant: error: {}: {}\n", file_of(which).name, recording.error().what);
    std::abort();
  }
  requests = trace_of(*recording);
  demand = demand_of(requests);
}

template <Recorded kWhich>
bench::Workload RecordedPlan<kWhich>::describe() {
  return make_workload(file_of(kWhich).name, file_of(kWhich).title, {"total"}, allocations_of(recorded_file(kWhich)),
                       "pair");
}
template struct RecordedPlan<Recorded::kCompile>;
template struct RecordedPlan<Recorded::kPython>;
template struct RecordedPlan<Recorded::kHarness>;

}  // namespace lab::allocator
