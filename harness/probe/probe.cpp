#include "harness/probe/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/nearest.h"
#include "harness/base/printable.h"
#include "harness/probe/column_name.h"
#include "harness/probe/driver_query.h"
#include "harness/probe/simulated_devices.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

using results::DriverColumn;

namespace {

bool chosen(const std::string& name, const std::string& prefix) {
  return prefix == "all" || name.starts_with(prefix);
}

// Whether this driver's columns can have names with `prefix`, as far as its library's name, its package's version and
// its simulated chip show.
bool may_be_chosen(const Manifest& manifest, const std::string& prefix) {
  const std::string expected = expected_driver(manifest.library);
  const std::string known = manifest.version.empty() ? expected : fmt::format("{}-{}", expected, manifest.version);
  if (expected.empty() || chosen(known, prefix)) return true;
  if (!prefix.starts_with(known)) return false;
  // The driver reports its version; the chip is known: "anv-22.3.6-hd620-noccs-simulated".
  const std::size_t version_end = prefix.find('-', expected.size() + 1);
  if (!manifest.simulated || version_end == std::string::npos) return true;
  const std::string& chip = manifest.simulated->chip;
  const std::string rest = prefix.substr(version_end + 1);
  return chip.starts_with(rest) || rest.starts_with(chip + "-");
}

// Each driver's process reads the files again, and the answers to a sweep are in files with its name.
std::optional<Error> unusable_sweep(const std::filesystem::path& file, std::set<std::string>& names) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    return Error{fmt::format("--sweep '{}': expected a regular file, which is read more than once", file.string()), "",
                 ExitStatus::kUsage};
  const std::string name = file.stem();
  if (name != printable(name))
    return Error{fmt::format("--sweep '{}': expected a name in printable UTF-8", printable(file.string())), "",
                 ExitStatus::kUsage};
  if (!names.insert(name).second)
    return Error{fmt::format("--sweep: expected files with different names, found '{}' twice", name), "",
                 ExitStatus::kUsage};
  return std::nullopt;
}

Expected<QuerySpec> query_spec(const ProbeSpec& spec) {
  QuerySpec query{.child = spec.child,
                  .loader = loader_library(spec.lib),
                  .sweep_files = spec.sweep_files,
                  .sweeps = {},
                  .environment = spec.environment,
                  .silence = spec.silence,
                  .home = spec.lib.parent_path(),
                  .validation_layers = {}};
  std::set<std::string> names;
  for (const std::filesystem::path& file : spec.sweep_files) {
    if (const std::optional<Error> unusable = unusable_sweep(file, names)) return *unusable;
    Expected<Sweep> sweep = load_sweep(file);
    if (!sweep) return sweep.error();
    query.sweeps.push_back(std::move(*sweep));
  }
  if (::access(query.child.c_str(), X_OK) != 0)
    return Error{fmt::format("no probe executable: expected '{}'", query.child.string()), "python3 make.py build"};
  if (spec.validate) {
    const Expected<std::filesystem::path> layers = validation_layers(spec.lib, spec.generated / "layers");
    if (!layers) return layers.error();
    query.validation_layers = *layers;
  }
  return query;
}

// The simulated devices of a driver are one line.
std::string describe(const Manifest& manifest) {
  if (manifest.simulated) return fmt::format("{} on simulated devices", manifest.library);
  return manifest.pinned ? manifest.library : manifest.file.string();
}

std::string describe(const DriverColumn& c) {
  if (c.failure) return fmt::format("{}: {}", c.failure->kind, c.failure->detail);
  std::size_t images = c.images.size(), buffers = c.buffers.size();
  for (const results::SweepAnswers& answers : c.sweeps) {
    images += answers.image_rows();
    buffers += answers.buffer_rows();
  }
  const std::string contradicted =
      c.contradicted == 0 ? "" : fmt::format("; contradictory answers: {}", c.contradicted);
  const std::string time = c.driver.simulated ? "" : fmt::format(" in {:.2f} s", c.seconds);
  return fmt::format("{} images and {} buffers{}{}", images, buffers, time, contradicted);
}

Error unknown_driver(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string near = nearest_name(wanted, names);
  return Error{fmt::format("no driver is called '{}'", wanted),
               !near.empty()   ? fmt::format("did you mean '{}'?", near)
               : names.empty() ? "there is no driver on this machine"
                               : fmt::format("one of {}", fmt::join(names, ", ")),
               ExitStatus::kUsage};
}

}  // namespace

Expected<std::vector<Manifest>> all_manifests(const ProbeSpec& spec) {
  Expected<std::vector<Manifest>> manifests = pinned_manifests(spec.lib, spec.generated / "drivers");
  if (!manifests) return manifests;
  if (!spec.simulated_devices.empty()) {
    Expected<std::vector<Manifest>> simulated = simulated_manifests({.devices_file = spec.simulated_devices,
                                                                     .lib = spec.lib,
                                                                     .shims = spec.shims,
                                                                     .generated = spec.generated / "drivers",
                                                                     .on_progress = spec.on_progress});
    if (!simulated) return simulated;
    std::ranges::move(*simulated, std::back_inserter(*manifests));
  }
  for (Manifest& own : find_manifests(spec.environment, spec.root)) manifests->push_back(std::move(own));
  return manifests;
}

void name_columns(std::vector<DriverColumn>& columns) {
  std::map<std::string, bool> taken;  // name -> by a pinned driver
  for (DriverColumn& c : columns) {
    std::string base =
        c.driver.short_name.empty() ? failed_column_name(c.driver) : column_name(c.driver, c.environment);
    if (const auto holder = taken.find(base); holder != taken.end() && holder->second && !c.driver.pinned)
      base += "-host";
    c.name = base;
    for (int i = 2; taken.contains(c.name); ++i) c.name = fmt::format("{}-{}", base, i);
    taken.emplace(c.name, c.driver.pinned);
  }
}

Expected<std::vector<DriverColumn>> probe(const ProbeSpec& spec) {
  const Expected<QuerySpec> query = query_spec(spec);
  if (!query) return query.error();
  const Expected<std::vector<Manifest>> manifests = all_manifests(spec);
  if (!manifests) return manifests.error();
  std::vector<DriverColumn> columns;
  std::vector<std::string> names;  // all valid names
  std::string querying;
  for (const Manifest& manifest : *manifests) {
    if (!may_be_chosen(manifest, spec.driver)) {
      const std::string name = expected_driver(manifest.library);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      continue;
    }
    const std::string what = describe(manifest);
    if (spec.on_progress && what != querying) spec.on_progress(fmt::format("querying {}", what));
    querying = what;
    Expected<DriverReply> reply = query_driver(manifest, *query);
    if (!reply) return reply.error();
    if (spec.on_progress && !reply->note.empty())
      spec.on_progress(fmt::format("{}: {}", manifest.file.filename().string(), reply->note));
    std::ranges::move(reply->columns, std::back_inserter(columns));
  }
  name_columns(columns);
  for (const DriverColumn& c : columns) {
    names.push_back(c.name);
    if (spec.on_progress) spec.on_progress(fmt::format("{}: {}", c.name, describe(c)));
  }
  std::erase_if(columns, [&](const DriverColumn& c) { return !chosen(c.name, spec.driver); });
  if (columns.empty() && spec.driver != "all") return unknown_driver(spec.driver, names);
  return columns;
}

}  // namespace lab::probe
