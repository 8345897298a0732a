/// A small result for tests: family `shelf` with reference `plain` and variant `quick`, workload `store`.
#pragma once

#include <fmt/format.h>

#include <array>
#include <vector>

#include "harness/results/result.h"

namespace lab::results {

inline Process fixture_process(const std::string& benchmark, int block, double real_time,
                               const std::string& checksum = "00000000000000aa") {
  Process process;
  process.benchmark = benchmark;
  process.repetitions = 3;
  process.real_time = real_time;
  process.cpu_time = real_time * 1.25;
  process.process = block;
  process.block = block;
  process.cpu = 1;
  process.seed = 7;
  process.checksum = checksum;
  process.operations = 10;
  process.wall_seconds = 0.5;
  process.samples = {{"put", {real_time * 6, real_time * 6, real_time * 7}},
                     {"get", {real_time * 4, real_time * 4, 1}}};
  process.counters = {{"metadata_bytes", 128}};
  return process;
}

inline Result fixture_result(int blocks = 0) {
  Result result;
  result.context = {"2026-08-02T23:15:00Z",  "farm",          "harness", 8, 3400, true,
                    {{"Data", 1, 32768, 2}}, {0.1, 0.2, 0.3}, "release"};
  result.machine = {"0123456789ab", "", "Some CPU @ 3.40GHz", "x86_64", 1, 4, 8, 16, false, {"Intel 8086:5916"}};
  result.facts = {"6.1.0", "0xf0",    "powersave",  "on",        "on",
                  "full",  "madvise", "glibc 2.36", "Debian 12", {0.1, 0.2, 0.3}};
  result.build = {"system", "release", "x86-64-v2", "GNU 12.2.0", "-O2"};
  result.pins = {{"benchmark", "ab12"}, {"fmt", "cd34"}};
  result.source = {"1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", false, "clean"};
  result.session = {"20260802T231500Z-1a2b3c4d5e6f",
                    "2026-08-02T23:15:00Z",
                    "2026-08-02T23:17:00Z",
                    7,
                    "quick",
                    120,
                    blocks,
                    1,
                    "complete",
                    {"turbo is on"}};
  result.workloads = {{"shelf", "store", "Put and get", 2, {"put", "get"}, 10, "pair", false}};
  result.variants = {{"shelf", "plain", true, "i", "c", "s", "w", {{"moves", "no"}}},
                     {"shelf", "quick", false, "i", "c", "s", "w", {}}};
  for (int block = 0; block < blocks; ++block) {
    result.processes.push_back(fixture_process("shelf/plain/store", block, 100 + block));
    result.processes.push_back(fixture_process("shelf/quick/store", block, 50 + block));
  }
  result.unsupported = {{"shelf/quick/drop", "it never forgets"}};
  return result;
}

/// A session whose block i is `blocks[i]`: seconds, foreign, stolen.
inline Result disturbed_result(const std::vector<std::array<double, 3>>& blocks) {
  Result result = fixture_result(static_cast<int>(blocks.size()));
  for (const auto& [seconds, foreign, stolen] : blocks)
    result.session.disturbances.push_back(
        {static_cast<int>(result.session.disturbances.size()), seconds, foreign, stolen});
  return result;
}

}  // namespace lab::results
