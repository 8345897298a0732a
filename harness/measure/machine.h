/// The machine's identity and state. Every reader has the root of the file system as a parameter, so that tests supply
/// their own /proc, /sys and /etc; unreadable values are "unknown", 0 or empty, never an error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/result.h"

namespace lab::measure {

/// `given_name`: the id that the user gives the machine, or "". It names a folder, so characters other than letters,
/// digits, '.', '_' and '-' become '-'.
results::Machine read_machine(const std::filesystem::path& root, std::string_view given_name);

/// This machine, named by LAB_MACHINE, or by SLURMD_NODENAME in a job of Slurm; an error if that is the name of a
/// folder that belongs to no machine.
Expected<results::Machine> this_machine();

/// The beginning of the build id of the C library of this process, which the variants share; "" if it has none. The
/// library's version does not change when a distribution patches it.
std::string libc_build();

results::MachineState read_facts(const std::filesystem::path& root);

/// `date` is RFC 3339; `build_type` is the configuration of the build.
results::BenchmarkContext read_context(const std::filesystem::path& root, std::string_view date,
                                       std::string_view build_type);

/// Twelve hex digits of a hash over the stable facts: CPU model, physical cores, memory to the GiB, architecture, GPUs,
/// virtual or not. Kernel, governor and frequency do not change it.
std::string machine_id(const results::Machine& machine);

/// What makes this machine unfit or noisy before a session: one sentence each, with advice. Changes nothing.
/// `allowed_cpus`: number of CPUs that this process may use.
std::vector<std::string> find_unusual(const results::Result& head, std::size_t allowed_cpus);

/// The CPUs this process may run on, ascending.
std::vector<int> allowed_cpus();

/// The CPU for a single-threaded process: one of the fastest cores in `allowed`, if possible neither CPU 0 (it serves
/// most interrupts) nor its sibling. None if `allowed` is empty.
std::optional<int> choose_cpu(const std::filesystem::path& root, const std::vector<int>& allowed);

/// From a family's family.json: {"variables": "MALLOC_*", "why": "may change the C library's heap"}.
struct EnvironmentRule {
  std::string variables;  ///< a shell pattern of names
  std::string why;        ///< what they do, as the end of the sentence "X is set and ..."

  bool operator==(const EnvironmentRule&) const = default;
};

/// The environment of this process: "NAME=value".
std::vector<std::string> environment_variables();

/// One sentence with advice for each variable in `environment` that one of `rules` names, or that changes every
/// program.
std::vector<std::string> find_set_variables(const std::vector<std::string>& environment,
                                            const std::vector<EnvironmentRule>& rules);

}  // namespace lab::measure
