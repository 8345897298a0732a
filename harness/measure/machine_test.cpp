#include "harness/measure/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/measure/fake_build.h"
#include "harness/measure/system_files.h"

namespace lab::measure {

namespace {

std::string processor(int number, int socket, int core, const std::string& flags = "fpu sse2") {
  return fmt::format(
      "processor\t: {}\nmodel name\t: Some CPU @ 3.40GHz\nmicrocode\t: 0xf0\ncpu MHz\t\t: 1200.{:03}\nphysical id\t: "
      "{}\n"
      "core id\t\t: {}\nflags\t\t: {}\n\n",
      number, number, socket, core, flags);
}

/// Two sockets of two cores with two logical ones each, a frequency governor, turbo, one GPU.
class Workstation : public ScratchFolder {
 public:
  explicit Workstation(const std::string& flags = "fpu sse2") {
    std::string info;
    for (int i = 0; i < 8; ++i) info += processor(i, i % 4 / 2, i % 2, flags);
    write("proc/cpuinfo", info);
    write("proc/meminfo", "MemTotal:       16123456 kB\nMemFree:         123 kB\n");
    write("proc/loadavg", "3.25 1.50 0.75 2/345 6789\n");
    write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    write("proc/sys/kernel/randomize_va_space", "2\n");
    write("etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    for (int i = 0; i < 8; ++i) {
      const std::string cpu = fmt::format("sys/devices/system/cpu/cpu{}/", i);
      write(cpu + "cpufreq/scaling_governor", "powersave\n");
      write(cpu + "cpufreq/cpuinfo_max_freq", "3400000\n");
      write(cpu + "topology/core_cpus_list", fmt::format("{},{}\n", i % 4, i % 4 + 4));
    }
    write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    write("sys/devices/system/cpu/smt/active", "1\n");
    write("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    write("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    write("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
    write("sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_map", "11\n");
    write("sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
    write("sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
    write("sys/bus/pci/devices/0000:00:02.0/device", "0x5916\n");
    write("sys/bus/pci/devices/0000:00:1f.0/class", "0x060100\n");
    write("sys/class/drm/card0/device/vendor", "0x8086\n");
    write("sys/class/drm/card0-HDMI-A-1/status", "connected\n");
  }
};

results::Result head_of(const std::filesystem::path& root) {
  results::Result head;
  head.machine = read_machine(root, "");
  head.facts = read_facts(root);
  head.build.config = "release";
  return head;
}

}  // namespace

TEST(Machine, is_read_from_the_kernels_files) {
  const Workstation workstation;
  const results::Machine machine = read_machine(workstation.path(), "");
  EXPECT_EQ(machine.cpu_model, "Some CPU @ 3.40GHz");
  EXPECT_EQ(machine.sockets, 2);
  EXPECT_EQ(machine.physical_cores, 4);
  EXPECT_EQ(machine.logical_cores, 8);
  EXPECT_EQ(machine.memory_gib, 16);
  EXPECT_FALSE(machine.is_virtual);
  EXPECT_EQ(machine.gpus, std::vector<std::string>{"Intel 8086:5916"});
  EXPECT_EQ(machine.id.size(), 12u);
  EXPECT_EQ(machine.name, "");
  const results::MachineState facts = read_facts(workstation.path());
  EXPECT_EQ(facts.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(facts.microcode, "0xf0");
  EXPECT_EQ(facts.governor, "powersave");
  EXPECT_EQ(facts.turbo, "on");
  EXPECT_EQ(facts.smt, "on");
  EXPECT_EQ(facts.aslr, "full");
  EXPECT_EQ(facts.transparent_huge_pages, "always");
  EXPECT_EQ(facts.distribution, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.load_avg, (std::vector<double>{3.25, 1.5, 0.75}));
  const results::BenchmarkContext context = read_context(workstation.path(), "2026-08-02T23:15:00Z", "release");
  EXPECT_EQ(context.num_cpus, 8);
  EXPECT_EQ(context.mhz_per_cpu, 3400);
  EXPECT_TRUE(context.cpu_scaling_enabled);
  ASSERT_EQ(context.caches.size(), 1u);
  EXPECT_EQ(context.caches[0].size, 32 * 1024);
  EXPECT_EQ(context.caches[0].num_sharing, 2);
}

TEST(Machine, has_a_hash_of_the_systems_id_that_does_not_show_the_id) {
  const auto installation = [](std::string_view id) {
    const Workstation workstation;
    std::ofstream(workstation.path() / "etc/machine-id") << id;
    return read_machine(workstation.path(), "").installation;
  };
  const std::string one = installation("0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(one.size(), 16u);
  EXPECT_EQ(one, installation("0123456789abcdef0123456789abcdef\n"));
  EXPECT_NE(one, installation("1123456789abcdef0123456789abcdef\n"));
  EXPECT_EQ(std::string("0123456789abcdef0123456789abcdef").find(one), std::string::npos);
  EXPECT_EQ(installation("uninitialized\n"), "");
}

TEST(Machine, is_unknown_without_the_kernels_files) {
  const ScratchFolder empty;
  const results::Machine machine = read_machine(empty.path(), "");
  EXPECT_EQ(machine.cpu_model, "unknown");
  EXPECT_EQ(machine.logical_cores, 0);
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_EQ(machine.id.size(), 12u);
  const results::MachineState facts = read_facts(empty.path());
  for (const std::string& fact : {facts.kernel, facts.microcode, facts.governor, facts.turbo, facts.smt, facts.aslr,
                                  facts.transparent_huge_pages, facts.distribution})
    EXPECT_EQ(fact, "unknown");
  EXPECT_EQ(facts.load_avg, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(read_context(empty.path(), "", "debug").library_build_type, "debug");
}

TEST(Machine, has_the_build_id_of_its_c_library) {
  const std::string build = libc_build();
  ASSERT_EQ(build.size(), 12u);
  EXPECT_EQ(read_facts("/").libc_build, build);
  std::string bytes;
  for (std::size_t i = 0; i < build.size(); i += 2)
    bytes += static_cast<char>(std::stoi(build.substr(i, 2), nullptr, 16));
  std::string libc;
  for (const std::string& line : read_lines("/proc/self/maps"))
    if (line.ends_with("/libc.so.6")) libc = line.substr(line.find('/'));
  EXPECT_NE(read_file(libc)->find(bytes), std::string::npos) << libc;
}

TEST(Machine, keeps_its_id_when_an_unstable_fact_changes) {
  const Workstation before;
  const Workstation after;
  after.write("proc/sys/kernel/osrelease", "7.0.0\n");
  after.write("proc/loadavg", "0.00 0.00 0.00 1/1 1\n");
  after.write("proc/meminfo", "MemTotal:       16012345 kB\n");
  after.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  after.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(read_machine(before.path(), "").id, read_machine(after.path(), "").id);
  EXPECT_EQ(read_facts(after.path()).governor, "performance,powersave");
  EXPECT_EQ(read_facts(after.path()).turbo, "off");
}

TEST(Machine, has_another_id_when_a_stable_fact_changes) {
  const Workstation workstation;
  const results::Machine machine = read_machine(workstation.path(), "");
  const auto changed = [&](auto change) {
    results::Machine other = machine;
    change(other);
    return machine_id(other) != machine.id;
  };
  EXPECT_TRUE(changed([](results::Machine& m) { m.cpu_model += "X"; }));
  EXPECT_TRUE(changed([](results::Machine& m) { ++m.physical_cores; }));
  EXPECT_TRUE(changed([](results::Machine& m) { ++m.memory_gib; }));
  EXPECT_TRUE(changed([](results::Machine& m) { m.architecture = "aarch64"; }));
  EXPECT_TRUE(changed([](results::Machine& m) { m.gpus.push_back("NVIDIA 10de:2335"); }));
  EXPECT_TRUE(changed([](results::Machine& m) { m.is_virtual = true; }));
  EXPECT_FALSE(changed([](results::Machine& m) { m.logical_cores = 4; }));
}

TEST(Machine, has_the_given_name_made_fit_for_a_folder) {
  const ScratchFolder empty;
  EXPECT_EQ(read_machine(empty.path(), "farm-3").id, "farm-3");
  EXPECT_EQ(read_machine(empty.path(), "the farm/3").id, "the-farm-3");
  EXPECT_EQ(read_machine(empty.path(), "../../etc").id, "-..-etc");
  for (const auto& [given, accepted] : {std::pair{"nightly", false}, {".published", false}, {"nightly-1", true}}) {
    ::setenv("LAB_MACHINE", given, 1);
    EXPECT_EQ(this_machine().has_value(), accepted) << given;
  }
  ::setenv("SLURMD_NODENAME", "node7", 1);
  EXPECT_EQ(this_machine()->id, "nightly-1");
  ::unsetenv("LAB_MACHINE");
  EXPECT_EQ(this_machine()->id, "node7");
  ::unsetenv("SLURMD_NODENAME");
  EXPECT_EQ(read_machine(empty.path(), "..").id, read_machine(empty.path(), "").id);
}

TEST(Machine, is_virtual_if_the_processor_or_the_kernel_reports_it) {
  EXPECT_TRUE(read_machine(Workstation("fpu hypervisor sse2").path(), "").is_virtual);
  const Workstation xen;
  xen.write("sys/hypervisor/type", "xen\n");
  EXPECT_TRUE(read_machine(xen.path(), "").is_virtual);
}

TEST(Machine, counts_logical_cores_if_cpuinfo_has_no_physical_ones) {
  const ScratchFolder arm;
  arm.write("proc/cpuinfo", "processor\t: 0\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU part\t: 0xd0c\n");
  const results::Machine machine = read_machine(arm.path(), "");
  EXPECT_EQ(machine.cpu_model, "0xd0c");
  EXPECT_EQ(machine.physical_cores, 2);
  EXPECT_EQ(machine.sockets, 1);
}

TEST(Unusual, gives_each_source_of_noise_with_advice) {
  const Workstation workstation("hypervisor");
  const std::vector<std::string> unusual = find_unusual(head_of(workstation.path()), 4);
  // Not the load average: after a build it is the build's. What runs meanwhile is measured (find_disturbances).
  const std::vector<std::string> beginnings{"the CPU frequency governor is 'powersave': sudo cpupower",
                                            "turbo is on",
                                            "SMT is on",
                                            "address space randomization is full",
                                            "transparent huge pages are 'always'",
                                            "this is a virtual machine",
                                            "only 4 of 8 logical cores may be used"};
  ASSERT_EQ(unusual.size(), beginnings.size());
  for (std::size_t i = 0; i < unusual.size(); ++i) EXPECT_EQ(unusual[i].find(beginnings[i]), 0u) << unusual[i];
}

TEST(Unusual, is_empty_on_a_quiet_or_unknown_machine) {
  const ScratchFolder empty;
  EXPECT_TRUE(find_unusual(head_of(empty.path()), 8).empty());
  results::Result debug = head_of(empty.path());
  debug.build.config = "asan";
  ASSERT_EQ(find_unusual(debug, 8).size(), 1u);
}

TEST(ChooseCpu, prefers_a_fast_core_other_than_that_of_cpu_0) {
  const Workstation workstation;
  EXPECT_EQ(choose_cpu(workstation.path(), {0, 1, 2, 3, 4, 5, 6, 7}), 1);
  EXPECT_EQ(choose_cpu(workstation.path(), {0, 4}), 4);
  EXPECT_EQ(choose_cpu(workstation.path(), {0, 4, 6}), 6);
  EXPECT_EQ(choose_cpu(workstation.path(), {0}), 0);
  EXPECT_EQ(choose_cpu(workstation.path(), {}), std::nullopt);
  workstation.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "5000000\n");
  workstation.write("sys/devices/system/cpu/cpu5/cpufreq/cpuinfo_max_freq", "5000000\n");
  EXPECT_EQ(choose_cpu(workstation.path(), {0, 1, 2, 3, 4, 5}), 5);
  const ScratchFolder empty;
  EXPECT_EQ(choose_cpu(empty.path(), {0, 1}), 1);
}

TEST(Machine, here_has_a_cpu_to_pin_to) {
  const std::vector<int> allowed = allowed_cpus();
  ASSERT_FALSE(allowed.empty());
  EXPECT_TRUE(choose_cpu("/", allowed));
  EXPECT_GT(read_machine("/", "").logical_cores, 0);
  EXPECT_GT(read_machine("/", "").memory_gib, 0);
}

namespace {

using Sentences = std::vector<std::string>;

TEST(Environment, gives_each_variable_that_a_rule_names_with_the_reason_of_the_first_one) {
  const std::vector<EnvironmentRule> rules{{"POOL_*", "may change a pool"}, {"POOL_SIZE", "is never reached"}};
  EXPECT_EQ(find_set_variables({"HOME=/", "POOL_SIZE=3", "POOL_=", "XPOOL_A=1", "NOTHING"}, rules),
            (Sentences{"POOL_SIZE is set and may change a pool: unset POOL_SIZE",
                       "POOL_ is set and may change a pool: unset POOL_"}));
}

TEST(Environment, gives_what_changes_every_program_without_any_rule) {
  EXPECT_EQ(find_set_variables({"LD_PRELOAD=/x.so", "GLIBC_TUNABLES=glibc.malloc.check=1", "MALLOC_X=1"}, {}),
            (Sentences{"LD_PRELOAD is set and may replace functions of a variant: unset LD_PRELOAD",
                       "GLIBC_TUNABLES is set and may change the C library: unset GLIBC_TUNABLES"}));
}

TEST(Environment, is_that_of_this_process) {
  ::setenv("LAB_ENVIRONMENT_TEST", "a=b", 1);
  const std::vector<std::string> entries = environment_variables();
  EXPECT_EQ(std::count(entries.begin(), entries.end(), "LAB_ENVIRONMENT_TEST=a=b"), 1);
}

}  // namespace

}  // namespace lab::measure
