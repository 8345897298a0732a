#include "harness/simulate/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/result_fixture.h"
#include "harness/stats/quantile.h"

namespace lab::simulate {

namespace {

constexpr int kLinks = 4;
constexpr double kWithin = 0.01;  ///< noise of a repetition
constexpr int kRepetitions = 15;  ///< per process; their median is its time
constexpr double kDrift = 0.03;   ///< from the session's first process to its last

/// Of a block without other work, and the share of blocks in a run that are its last.
constexpr double kIdle = 0.02, kRunEnds = 1.0 / 3;
constexpr double kBlockSeconds = 10;

/// CPUs in use by other work in each block. A session repeats disturbed blocks, at most half as many as it planned.
std::vector<double> used_cpus(NormalRandom& random, const SessionParameters& parameters) {
  const OtherWork& work = parameters.work;
  std::vector<double> used;
  bool busy = work.cpus > 0 && (!work.in_bursts || random.uniform() < 0.5);
  int repeated = 0;
  while (static_cast<int>(used.size()) < parameters.processes + repeated) {
    used.push_back(busy ? std::min(kSimulatedCpus, (work.in_bursts ? 2 : 1) * work.cpus) : kIdle);
    if (busy && repeated < parameters.processes / 2) ++repeated;
    if (work.in_bursts && random.uniform() < kRunEnds) busy = !busy;
  }
  return used;
}

/// What other work slows a process down by, if it uses so many CPUs.
double slowdown(NormalRandom& random, const OtherWork& work, double cpus) {
  if (work.cpus <= 0 || random.uniform() >= cpus / kSimulatedCpus) return 1;
  return std::exp(-work.slowdown * std::log(1 - random.uniform()));
}

/// One process: the median of its repetitions around its own level.
double process_time(NormalRandom& random, double level, double between) {
  const double own = level * std::exp(between * random.normal());
  std::vector<double> repetitions(kRepetitions);
  for (double& time : repetitions) time = own * std::exp(kWithin * random.normal());
  return stats::median(repetitions);
}

}  // namespace

results::Result session(NormalRandom& random, const SessionParameters& parameters, bool both_arms) {
  results::Result result = results::fixture_result();
  const int rows = parameters.rows;
  std::vector<double> own_level(static_cast<std::size_t>(rows));
  for (double& level : own_level) level = std::exp(parameters.level + parameters.own_level * random.normal());
  // By arm (base, head, control), row and link.
  std::vector<double> of_link(static_cast<std::size_t>(3 * rows * kLinks));
  for (double& level : of_link) level = parameters.links > 0 ? std::exp(parameters.links * random.normal()) : 1;
  const auto link = [&](results::Process& process, std::size_t arm, int row) {
    if (parameters.links <= 0) return;
    const int number = process.block % kLinks;
    process.layout = number + 1;
    process.real_time *=
        of_link[(arm * own_level.size() + static_cast<std::size_t>(row)) * kLinks + static_cast<std::size_t>(number)];
  };
  std::vector<int> order(own_level.size());
  std::iota(order.begin(), order.end(), 0);
  const int arms = both_arms ? 2 : 1;
  const std::vector<double> used = used_cpus(random, parameters);
  const int blocks = static_cast<int>(used.size());
  const double last = arms * rows * blocks - 1;
  int run = 0;
  for (int block = 0; block < blocks; ++block) {
    const double cpus = used[static_cast<std::size_t>(block)];
    result.session.disturbances.push_back({block, kBlockSeconds, cpus * kBlockSeconds, 0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const int row : order)
      for (int place = 0; place < arms; ++place) {
        const bool head = !both_arms || (place == 0) == (block % 2 == 1);
        const double change = head && row >= parameters.changed_from ? 1 + parameters.change : 1;
        const double level = 100 * own_level[static_cast<std::size_t>(row)] * change * (1 + kDrift * run++ / last);
        results::Process process = results::fixture_process(fmt::format("shelf/v{}/store", row), block, 1);
        process.real_time = process_time(random, level * slowdown(random, parameters.work, cpus), parameters.between);
        process.arm = head ? results::kHead : results::kBase;
        link(process, head ? 1 : 0, row);
        result.processes.push_back(process);
        if (row % 10 != 0 || !head || !both_arms) continue;
        process.real_time = process_time(random, level * slowdown(random, parameters.work, cpus), parameters.between);
        process.arm = results::kControl;
        link(process, 2, row);
        result.processes.push_back(process);
      }
  }
  return result;
}

int row_of(const std::string& benchmark) {
  return std::stoi(benchmark.substr(std::string_view("shelf/v").size()));
}

}  // namespace lab::simulate
