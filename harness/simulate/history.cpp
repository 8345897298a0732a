// Time to read a long history: simulated results on disk, read by the code that reads real ones. The files were just
// written, so they are in the page cache.
#include "harness/judge/history.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/temporary_folder.h"
#include "harness/base/utc.h"
#include "harness/judge/night_fixture.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBenchmarks = 35;

/// Writes results of simulated nights. Returns the bytes written.
std::uintmax_t write_nights(const fs::path& folder, int first, int count, int processes, std::size_t samples,
                            NormalRandom& random) {
  std::uintmax_t bytes = 0;
  fs::create_directories(folder / "farm");
  for (int number = first; number < first + count; ++number) {
    judge::FixtureNight night{number, processes, samples, {}};
    for (std::size_t i = 0; i < kBenchmarks; ++i) night.times.push_back(100 * std::exp(0.02 * random.normal()));
    results::Result result = judge::fixture_night(night);
    constexpr std::time_t kFirst = 1'500'000'000, kApart = 6 * 3600;  // ten thousand lie within seven years of the past
    result.session.started = utc(kFirst + kApart * number);
    const std::string text = results::serialize(result);
    std::ofstream(folder / "farm" / judge::fixture_file(number), std::ios::binary) << text;
    bytes += text.size();
  }
  return bytes;
}

/// Seconds to open the history of `folder` and to compute every benchmark's findings; negative on failure.
double seconds_to_open(const fs::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  Expected<results::Store> store =
      results::Store::open(folder, judge::store_rules(), [](const results::StoreProgress&) {});
  if (!store || !store->skipped()->empty()) return -1;
  const Expected<std::vector<results::SeriesKey>> list = store->series();
  if (!list) return -1;
  for (const results::SeriesKey& series : *list)
    if (!store->findings(series)) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void simulate_history(const SimulationSettings& settings, const ResultSink& report) {
  NormalRandom random(settings.seed);
  {
    // 350 processes with three phases of about 90 samples have the size of a real --quick session.
    const TemporaryFolder folder = TemporaryFolder::create().value();
    const int count = static_cast<int>(settings.trials(256));
    const auto bytes = static_cast<double>(write_nights(folder.path(), 0, count, 10, 90, random));
    const auto trials = static_cast<std::uint64_t>(count);
    report({fmt::format("reading results of {:.0f} kB", bytes / 1e3 / count),
            bytes / 1e6 / seconds_to_open(folder.path()), Goal::kAtLeast, 200, trials, "MB/s"});
  }
  const TemporaryFolder folder = TemporaryFolder::create().value();
  const int count = static_cast<int>(settings.trials(10'000));
  const auto trials = static_cast<std::uint64_t>(count);
  write_nights(folder.path(), 0, count, 1, 1, random);
  report({"reading small results", seconds_to_open(folder.path()), Goal::kNone, 0, trials, "s"});
  report({"opening the history once indexed", seconds_to_open(folder.path()), Goal::kAtMost, 0.3, trials, "s"});
  write_nights(folder.path(), count, 1, 1, 1, random);
  report({"opening it with one new result", seconds_to_open(folder.path()), Goal::kNone, 0, trials + 1, "s"});
}

}  // namespace lab::simulate
