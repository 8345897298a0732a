/// What machine this is and what state it is in. Every reader takes the root of the file system, so that tests bring
/// their own /proc, /sys and /etc; what cannot be read there is "unknown", 0 or empty, never an error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::measure {

/// `given_name`: the id that the user gives the machine, or "". Anything but letters, digits, '.', '_' and '-' in it
/// becomes '-', because it names a folder.
results::Machine read_machine(const std::filesystem::path& root, std::string_view given_name);

/// The one we run on, by the name that LAB_MACHINE gives it; an error where its results would lie in a folder that is
/// no machine's.
Expected<results::Machine> this_machine();

/// The beginning of the build id of the C library that this process runs in, as the variants do; "" where it has none.
/// Its version stays the same when a distribution patches it.
std::string libc_build();

results::Facts read_facts(const std::filesystem::path& root);

/// `date` is RFC 3339; `build_type` the configuration of the build.
results::Context read_context(const std::filesystem::path& root, std::string_view date, std::string_view build_type);

/// Twelve hex digits of a hash over the stable facts alone: CPU model, physical cores, memory to the GiB, architecture,
/// GPUs, virtual or not. What a kernel, a governor or a frequency changes is not in it.
std::string machine_id(const results::Machine& machine);

/// What makes this machine unfit or noisy before a session, a sentence each with what to do about it. Nothing is
/// changed. `environment`: "NAME=value" of this process; `allowed_cpus`: how many CPUs we may use.
std::vector<std::string> find_unusual(const results::Result& head, const std::vector<std::string>& environment,
                                      std::size_t allowed_cpus);

/// The CPUs this process may run on, ascending.
std::vector<int> allowed_cpus();

/// Where to pin a single-threaded process: among `allowed` one of the fastest cores, not CPU 0 (it serves most
/// interrupts) nor its sibling, where there is another. None where `allowed` is empty.
std::optional<int> choose_cpu(const std::filesystem::path& root, const std::vector<int>& allowed);

/// Of this process, for find_unusual.
std::vector<std::string> environment();

}  // namespace lab::measure
