#include "harness/measure/conditions.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/scratch_folder.h"

namespace lab::measure {

namespace {

/// Seconds as the kernel counts them.
long ticks(double seconds) {
  return static_cast<long>(seconds * static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

/// Two CPUs that have been up for 1000 s each, one busy process, a core of two logical ones.
struct Host : ScratchFolder {
  void write_cpus(double busy_0, double busy_1, double stolen) const {
    const double busy = busy_0 + busy_1;
    write("proc/stat", "cpu  " + std::to_string(ticks(busy)) + " 0 0 " + std::to_string(ticks(2000 - busy - stolen)) +
                           " 0 0 0 " + std::to_string(ticks(stolen)) + " 0 0\n" + "cpu0 " +
                           std::to_string(ticks(busy_0)) + " 0 0 0 0 0 0 0 0 0\ncpu1 " + std::to_string(ticks(busy_1)) +
                           " 0 0 0 0 0 0 0 0 0\nintr 5\n");
  }
  void write_counters(int throttles, int swapped, int changes, double compiler) const {
    write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", std::to_string(throttles) + "\n");
    write("sys/devices/system/cpu/cpu1/cpufreq/stats/total_trans", std::to_string(changes) + "\n");
    write("sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1\n");
    write("proc/vmstat", "pgfault 5\npswpin 0\npswpout " + std::to_string(swapped) + "\n");
    write("proc/77/stat", "77 (c) plus) R 1 1 1 0 -1 0 0 0 0 0 " + std::to_string(ticks(compiler)) + " 0 0 0 20 0\n");
  }
};

std::vector<std::string> disturbances(const Conditions& before, const Conditions& after) {
  return find_disturbances(before, after, 100, 1, {0});
}

}  // namespace

TEST(Conditions, give_each_disturbance_with_advice) {
  const Host host;
  host.write_cpus(100, 100, 0);
  host.write_counters(2, 1000, 5, 3);
  Conditions before = read_conditions(host.path());
  host.write_cpus(140, 190, 10);
  host.write_counters(5, 26'000, 45, 43);
  Conditions after = read_conditions(host.path());
  before.use.own = 10;
  after.use.own = 100;
  // 2000 s in all before; 130 s busy since, 90 of them ours.
  after.all_seconds = before.all_seconds + 200;
  const std::vector<std::string> expected{
      "other processes used 40 % of a CPU during the session (most by 'c) plus', 40 s): stop them, or measure when "
      "they "
      "are done",
      "the host withheld 5.0 % of the CPUs' time during the session: measure on a machine whose CPUs are not shared",
      "the processor throttled itself 3 times during the session: cool it, or turn turbo off",
      "the clock of CPU 1 changed 40 times during the session: sudo cpupower frequency-set -g performance",
      "100 MB were swapped during the session: stop what needs the memory",
      "CPU 0 was 40 % busy during the session and shares a core with CPU 1, where processes are pinned: keep it free, "
      "or echo off | sudo tee /sys/devices/system/cpu/smt/control"};
  EXPECT_EQ(disturbances(before, after), expected);
}

TEST(Conditions, are_empty_on_a_quiet_machine_and_without_kernel_counters) {
  const Host host;
  host.write_cpus(100, 100, 0);
  host.write_counters(2, 1000, 5, 3);
  const Conditions before = read_conditions(host.path());
  EXPECT_EQ(disturbances(before, before), std::vector<std::string>{});
  const ScratchFolder empty;
  const Conditions nothing = read_conditions(empty.path());
  EXPECT_EQ(disturbances(nothing, nothing), std::vector<std::string>{});
  EXPECT_TRUE(siblings_of(empty.path(), 1).empty());
}

TEST(CpuUse, of_others_in_a_block_is_busy_time_minus_our_own) {
  const Host host;
  host.write_cpus(100, 100, 5);
  CpuUse before = read_cpu_use(host.path());
  host.write_cpus(104, 109, 5.5);
  CpuUse after = read_cpu_use(host.path());
  before.own = 20;
  after.own = 29;
  const results::Disturbance found = disturbance_between(before, after, 3, 10);
  EXPECT_EQ(found.block, 3);
  EXPECT_EQ(found.seconds, 10);
  EXPECT_NEAR(found.foreign, 4, 1e-9);
  EXPECT_NEAR(found.stolen, 0.5, 1e-9);
  after.own = 50;  // the kernel's ticks were late
  EXPECT_EQ(disturbance_between(before, after, 3, 10).foreign, 0);
}

TEST(CpuUse, counts_our_ended_children_as_our_own) {
  const CpuUse before = read_cpu_use("/");
  const pid_t child = ::fork();
  if (child == 0) {
    rusage used{};
    do ::getrusage(RUSAGE_SELF, &used);
    while (used.ru_utime.tv_sec == 0 && used.ru_utime.tv_usec + used.ru_stime.tv_usec < 100'000);
    ::_exit(0);
  }
  const double running = read_cpu_use("/").own;
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(read_cpu_use("/").own - running, 0.1);
  EXPECT_GE(running, before.own);
}

TEST(Conditions, include_the_siblings_of_a_core) {
  const Host host;
  host.write_counters(0, 0, 0, 0);
  EXPECT_EQ(siblings_of(host.path(), 1), std::vector<int>{0});
  host.write("sys/devices/system/cpu/cpu2/topology/core_cpus_list", "2,6\n");
  EXPECT_EQ(siblings_of(host.path(), 2), std::vector<int>{6});
}

}  // namespace lab::measure
