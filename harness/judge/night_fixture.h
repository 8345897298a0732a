/// Synthetic nights for tests and the simulation: results as a farm machine writes them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/base/utc.h"
#include "harness/results/result_fixture.h"

namespace lab::judge {

/// The content of one night's result.
struct FixtureNight {
  int number = 0;             ///< from 0: determines the day and the commit
  int processes = 1;          ///< of each benchmark
  std::size_t samples = 1;    ///< in each of a process's three phases
  std::vector<double> times;  ///< ns per operation, one per benchmark: "shelf/v<i>/store"
};

inline std::string fixture_commit(int night) {
  return fmt::format("{:08x}{:032x}", night, 0);
}

/// The night's start in RFC 3339; night 0 is 2026-08-01, 23:00.
inline std::string fixture_started(int night) {
  constexpr std::time_t kFirst = 1'785'625'200;
  return utc(kFirst + 86'400 * std::time_t{night});
}

inline results::Result fixture_night(const FixtureNight& night) {
  results::Result result = results::fixture_result();
  result.build.config = "release";
  result.source = {fixture_commit(night.number), false, "clean"};
  result.session.started = fixture_started(night.number);
  result.session.id = fmt::format("{:06}", night.number);
  result.unsupported.clear();
  for (int block = 0; block < night.processes; ++block) {
    for (std::size_t i = 0; i < night.times.size(); ++i) {
      results::Process process = results::fixture_process(fmt::format("shelf/v{:03}/store", i), block, night.times[i]);
      process.samples.clear();
      for (const char* phase : {"add", "sort", "submit"}) {
        std::vector<double>& samples = process.samples[phase];
        for (std::size_t k = 0; k < night.samples; ++k)
          samples.push_back(1'000'000 + static_cast<double>((k * 7919 + i * 104'729) % 999'983));
      }
      result.processes.push_back(std::move(process));
    }
  }
  return result;
}

/// The file name of the night's result.
inline std::string fixture_file(int night) {
  return fmt::format("{:06}.json", night);
}

}  // namespace lab::judge
