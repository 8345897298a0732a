#include "harness/measure/machine.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/layout.h"
#include "harness/base/own_loader.h"
#include "harness/measure/system_files.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnknown = "unknown";

std::string known(std::string text) {
  return text.empty() ? std::string(kUnknown) : text;
}

/// "key : value" lines, one map for each blank-line separated paragraph.
std::vector<std::map<std::string, std::string>> read_paragraphs(const fs::path& path) {
  std::vector<std::map<std::string, std::string>> paragraphs(1);
  for (const std::string& line : read_lines(path)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (!paragraphs.back().empty()) paragraphs.emplace_back();
    } else {
      paragraphs.back()[boost::trim_copy(line.substr(0, colon))] = boost::trim_copy(line.substr(colon + 1));
    }
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

struct CpuInfo {
  std::string model;
  std::string microcode;
  std::string flags;
  int sockets = 0;
  int physical_cores = 0;
  int logical_cores = 0;
  double mhz = 0;
};

CpuInfo read_cpu_info(const fs::path& root) {
  CpuInfo info;
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  for (const auto& paragraph : read_paragraphs(root / "proc/cpuinfo")) {
    const auto value = [&](const char* key) {
      const auto found = paragraph.find(key);
      return found == paragraph.end() ? std::string() : found->second;
    };
    if (value("processor").empty()) continue;
    ++info.logical_cores;
    if (info.model.empty()) info.model = value("model name").empty() ? value("CPU part") : value("model name");
    if (info.microcode.empty()) info.microcode = value("microcode");
    if (info.flags.empty()) info.flags = value("flags");
    if (info.mhz == 0) info.mhz = read_number<double>(value("cpu MHz")).value_or(0);
    if (value("physical id").empty()) continue;
    sockets.insert(value("physical id"));
    cores.emplace(value("physical id"), value("core id"));
  }
  // If cpuinfo has neither (ARM), every logical core counts as a physical core.
  info.sockets = sockets.empty() ? std::min(info.logical_cores, 1) : static_cast<int>(sockets.size());
  info.physical_cores = cores.empty() ? info.logical_cores : static_cast<int>(cores.size());
  return info;
}

int memory_gib(const fs::path& root) {
  for (const auto& paragraph : read_paragraphs(root / "proc/meminfo")) {
    const auto total = paragraph.find("MemTotal");
    if (total == paragraph.end()) continue;
    const std::optional<double> kib = read_number<double>(total->second.substr(0, total->second.find(' ')));
    // Rounded up: the kernel reserves a little, and how much depends on its version.
    if (kib) return static_cast<int>(std::ceil(*kib / (1024 * 1024)));
  }
  return 0;
}

std::string vendor_name(const std::string& id) {
  static const std::map<std::string, std::string> names{{"8086", "Intel"},      {"1002", "AMD"},    {"10de", "NVIDIA"},
                                                        {"1af4", "virtio"},     {"1234", "QEMU"},   {"15ad", "VMware"},
                                                        {"80ee", "VirtualBox"}, {"1a03", "ASPEED"}, {"102b", "Matrox"}};
  const auto found = names.find(id);
  return found == names.end() ? "PCI" : found->second;
}

/// Display controllers on the PCI bus (class 03), then GPUs that are no PCI devices, by their driver.
std::vector<std::string> read_gpus(const fs::path& root) {
  const auto without_0x = [](const std::string& text) { return text.starts_with("0x") ? text.substr(2) : text; };
  std::vector<std::string> gpus;
  for (const fs::path& device : entries(root / "sys/bus/pci/devices", "")) {
    if (!read_trimmed(device / "class").starts_with("0x03")) continue;
    const std::string vendor = without_0x(read_trimmed(device / "vendor"));
    gpus.push_back(fmt::format("{} {}:{}", vendor_name(vendor), vendor, without_0x(read_trimmed(device / "device"))));
  }
  for (const fs::path& card : entries(root / "sys/class/drm", "card")) {
    const std::string name = card.filename().string();
    if (name.find('-') != std::string::npos || fs::exists(card / "device/vendor")) continue;
    for (const std::string& line : read_lines(card / "device/uevent"))
      if (line.starts_with("DRIVER=")) gpus.push_back(line.substr(7));
  }
  std::sort(gpus.begin(), gpus.end());
  return gpus;
}

std::string read_governors(const fs::path& root) {
  std::set<std::string> governors;
  for (const fs::path& cpu : entries(root / "sys/devices/system/cpu", "cpu"))
    if (const std::string governor = read_trimmed(cpu / "cpufreq/scaling_governor"); !governor.empty())
      governors.insert(governor);
  return fmt::format("{}", fmt::join(governors, ","));
}

std::string read_turbo(const fs::path& cpus) {
  const std::string off = read_trimmed(cpus / "intel_pstate/no_turbo");
  if (!off.empty()) return off == "0" ? "on" : "off";
  const std::string on = read_trimmed(cpus / "cpufreq/boost");
  if (!on.empty()) return on == "1" ? "on" : "off";
  return "";
}

std::string read_smt(const fs::path& root) {
  const std::string active = read_trimmed(root / "sys/devices/system/cpu/smt/active");
  if (!active.empty()) return active == "1" ? "on" : "off";
  const CpuInfo info = read_cpu_info(root);
  if (info.logical_cores == 0) return "";
  return info.logical_cores > info.physical_cores ? "on" : "off";
}

std::string read_aslr(const fs::path& root) {
  const std::string level = read_trimmed(root / "proc/sys/kernel/randomize_va_space");
  return level == "0" ? "off" : level == "1" ? "partial" : level == "2" ? "full" : "";
}

/// The selected value in brackets: "always [madvise] never".
std::string read_huge_pages(const fs::path& root) {
  const std::string text = read_trimmed(root / "sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  return open == std::string::npos || close < open ? "" : text.substr(open + 1, close - open - 1);
}

std::string read_distribution(const fs::path& root) {
  for (const std::string& line : read_lines(root / "etc/os-release"))
    if (line.starts_with("PRETTY_NAME=")) return boost::trim_copy_if(line.substr(12), boost::is_any_of("\" "));
  return "";
}

std::vector<double> read_load(const fs::path& root) {
  const std::vector<std::string> words = words_of(read_trimmed(root / "proc/loadavg"));
  std::vector<double> load;
  for (std::size_t i = 0; i < 3; ++i) load.push_back(i < words.size() ? read_number<double>(words[i]).value_or(0) : 0);
  return load;
}

int count_bits(const std::string& hex_map) {
  int bits = 0;
  for (const char c : hex_map)
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0)
      bits += __builtin_popcount(static_cast<unsigned>(std::stoi(std::string(1, c), nullptr, 16)));
  return bits;
}

std::vector<results::CpuCache> read_caches(const fs::path& root) {
  std::vector<results::CpuCache> caches;
  for (const fs::path& index : entries(root / "sys/devices/system/cpu/cpu0/cache", "index")) {
    std::string size = read_trimmed(index / "size");
    std::int64_t unit = 1;
    if (size.ends_with('K')) unit = 1024;
    if (size.ends_with('M')) unit = 1024 * 1024;
    if (unit > 1) size.pop_back();
    caches.push_back({read_trimmed(index / "type"), read_number<int>(read_trimmed(index / "level")).value_or(0),
                      unit * read_number<std::int64_t>(size).value_or(0),
                      count_bits(read_trimmed(index / "shared_cpu_map"))});
  }
  return caches;
}

std::string folder_name(std::string_view given) {
  std::string name;
  for (const char c : given)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' ? c : '-';
  // A folder name must not be hidden or lead out of results/.
  while (name.starts_with('.')) name.erase(0, 1);
  return name;
}

}  // namespace

std::string machine_id(const results::Machine& machine) {
  const std::string facts =
      fmt::format("{}|{}|{}|{}|{}|{}", machine.cpu_model, machine.physical_cores, machine.memory_gib,
                  machine.architecture, fmt::join(machine.gpus, ","), machine.is_virtual ? "virtual" : "physical");
  return content_name(facts).substr(0, 12);
}

results::Machine read_machine(const fs::path& root, std::string_view given_name) {
  const CpuInfo info = read_cpu_info(root);
  utsname system{};
  ::uname(&system);
  results::Machine machine;
  machine.name = folder_name(given_name);
  machine.cpu_model = known(info.model);
  machine.architecture = system.machine;
  machine.sockets = info.sockets;
  machine.physical_cores = info.physical_cores;
  machine.logical_cores = info.logical_cores;
  machine.memory_gib = memory_gib(root);
  machine.is_virtual = (" " + info.flags + " ").find(" hypervisor ") != std::string::npos ||
                       !read_trimmed(root / "sys/hypervisor/type").empty();
  machine.gpus = read_gpus(root);
  machine.id = machine.name.empty() ? machine_id(machine) : machine.name;
  return machine;
}

Expected<results::Machine> this_machine() {
  const char* name = std::getenv("LAB_MACHINE");
  // A node of a cluster has a name there, also where its hardware is that of many.
  if (name == nullptr || *name == '\0') name = std::getenv("SLURMD_NODENAME");
  results::Machine machine = read_machine("/", name == nullptr ? "" : name);
  if (std::find(kNotMachines.begin(), kNotMachines.end(), machine.id) != kNotMachines.end())
    return Error{
        fmt::format("LAB_MACHINE: expected a machine's name, found '{}', which is a reserved folder name", machine.id),
        "another name, or none: unset LAB_MACHINE", ExitStatus::kUsage};
  return machine;
}

std::string libc_build() {
  std::string build;
  const auto look = [](dl_phdr_info* info, std::size_t, void* found) -> int {
    if (fs::path(info->dlpi_name).filename() != "libc.so.6") return 0;
    // Notes: name and content, each padded to whole words, after a header of three words.
    const auto padded = [](ElfW(Word) size) { return (std::size_t{size} + 3) / 4 * 4; };
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
      const char* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
      const char* const end = at + info->dlpi_phdr[i].p_memsz;
      ElfW(Nhdr) note;
      for (; at + sizeof note <= end; at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz)) {
        std::memcpy(&note, at, sizeof note);
        if (note.n_type != NT_GNU_BUILD_ID) continue;
        const std::string_view id(at + sizeof note + padded(note.n_namesz), note.n_descsz);
        for (const char byte : id.substr(0, 6))
          *static_cast<std::string*>(found) += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        return 1;
      }
    }
    return 1;
  };
  ::dl_iterate_phdr(look, &build);
  return build;
}

results::MachineState read_facts(const fs::path& root) {
  return {known(read_trimmed(root / "proc/sys/kernel/osrelease")),
          known(read_cpu_info(root).microcode),
          known(read_governors(root)),
          known(read_turbo(root / "sys/devices/system/cpu")),
          known(read_smt(root)),
          known(read_aslr(root)),
          known(read_huge_pages(root)),
          fmt::format("glibc {}", ::gnu_get_libc_version()),
          known(read_distribution(root)),
          read_load(root),
          libc_build()};
}

results::BenchmarkContext read_context(const fs::path& root, std::string_view date, std::string_view build_type) {
  const CpuInfo info = read_cpu_info(root);
  const std::optional<double> most_khz =
      read_number<double>(read_trimmed(root / "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return {std::string(date),
          host,
          own_executable().filename().string(),
          info.logical_cores,
          static_cast<int>(std::lround(most_khz ? *most_khz / 1000 : info.mhz)),
          read_governors(root) != "performance" && !read_governors(root).empty(),
          read_caches(root),
          read_load(root),
          build_type == "release" ? "release" : "debug"};
}

std::vector<std::string> find_unusual(const results::Result& head, std::size_t allowed_cpus) {
  const results::MachineState& facts = head.facts;
  const results::Machine& machine = head.machine;
  const std::string& config = head.build.config;
  const struct {
    bool holds;
    std::string sentence;
  } rows[]{
      {!config.empty() && config != "release",
       fmt::format("the build is '{}', whose times say nothing about a release: python3 make.py build", config)},
      {facts.governor != kUnknown && facts.governor != "performance",
       fmt::format("the CPU frequency governor is '{}': sudo cpupower frequency-set -g performance", facts.governor)},
      {facts.turbo == "on",
       "turbo is on, so the clock depends on temperature and on busy neighbours: echo 1 | sudo tee "
       "/sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"},
      {facts.smt == "on",
       "SMT is on, so two logical cores share one: echo off | sudo tee /sys/devices/system/cpu/smt/control"},
      {facts.aslr == "full" || facts.aslr == "partial",
       fmt::format("address space randomization is {}, so each process has another memory layout: keep it on; with "
                   "setarch -R every process would share one layout",
                   facts.aslr)},
      {facts.transparent_huge_pages == "always",
       "transparent huge pages are 'always', so large blocks depend on free huge pages: echo madvise | sudo tee "
       "/sys/kernel/mm/transparent_hugepage/enabled"},
      {std::getenv(kLoaderVariable) != nullptr,
       fmt::format("the machine's C library is older than the bundle's, which all programs used: times of malloc and "
                   "of mathematics are those of {}",
                   facts.libc)},
      {machine.is_virtual,
       "this is a virtual machine, so the load of other guests is invisible: trust ratios more than times, or "
       "measure on a physical machine"},
      {static_cast<int>(allowed_cpus) < machine.logical_cores,
       fmt::format(
           "only {} of {} logical cores may be used (taskset, cpuset or container): parallel workloads use those",
           allowed_cpus, machine.logical_cores)}};
  std::vector<std::string> unusual;
  for (const auto& row : rows)
    if (row.holds) unusual.push_back(row.sentence);
  return unusual;
}

std::vector<int> allowed_cpus() {
  std::vector<int> allowed;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) allowed.push_back(cpu);
  return allowed;
}

std::optional<int> choose_cpu(const fs::path& root, const std::vector<int>& allowed) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  const std::string core_of_0 = read_trimmed(cpus / "cpu0/topology/core_cpus_list");
  std::optional<int> best;
  std::tuple<double, bool, bool> best_rank;
  for (const int cpu : allowed) {
    const fs::path folder = cpus / fmt::format("cpu{}", cpu);
    const double most_khz = read_number<double>(read_trimmed(folder / "cpufreq/cpuinfo_max_freq")).value_or(0);
    const bool beside_0 = !core_of_0.empty() && read_trimmed(folder / "topology/core_cpus_list") == core_of_0;
    const std::tuple rank{most_khz, cpu != 0, !beside_0};
    if (best && rank <= best_rank) continue;
    best = cpu;
    best_rank = rank;
  }
  return best;
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::vector<std::string> find_set_variables(const std::vector<std::string>& environment,
                                            const std::vector<EnvironmentRule>& rules) {
  std::vector<EnvironmentRule> all{{"LD_PRELOAD", "may replace functions of a variant"},
                                   {"GLIBC_TUNABLES", "may change the C library"}};
  all.insert(all.end(), rules.begin(), rules.end());
  std::vector<std::string> sentences;
  for (const std::string& entry : environment) {
    const std::string name = entry.substr(0, entry.find('='));
    const auto rule = std::find_if(all.begin(), all.end(), [&](const EnvironmentRule& one) {
      return ::fnmatch(one.variables.c_str(), name.c_str(), 0) == 0;
    });
    if (rule != all.end()) sentences.push_back(fmt::format("{} is set and {}: unset {}", name, rule->why, name));
  }
  return sentences;
}

}  // namespace lab::measure
