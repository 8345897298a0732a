#include "harness/probe/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/nearest.h"
#include "harness/probe/column_name.h"
#include "harness/probe/driver_query.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

using results::DriverColumn;

namespace {

bool chosen(const std::string& name, const std::string& prefix) {
  return prefix == "all" || name.starts_with(prefix);
}

// Whether this driver's columns can have names with `prefix`, as far as its library's name shows.
bool may_be_chosen(const Manifest& manifest, const std::string& prefix) {
  const std::string expected = expected_driver(manifest.library);
  return expected.empty() || chosen(expected, prefix) || prefix.starts_with(expected);
}

Expected<QuerySpec> query_spec(const ProbeSpec& spec) {
  const Expected<std::string> text = read_file(spec.sweeps_file);
  if (!text) return text.error();
  Expected<Sweeps> sweeps = parse_sweeps(*text);
  if (!sweeps) return in_context(fmt::format("reading '{}'", spec.sweeps_file.string()), sweeps.error());
  QuerySpec query{.child = spec.child,
                  .loader = loader_library(spec.lib),
                  .sweeps_file = spec.sweeps_file,
                  .sweep_parameters = std::move(sweeps->parameters),
                  .environment = spec.environment,
                  .silence = spec.silence,
                  .home = spec.lib.parent_path(),
                  .validation_layers = {}};
  if (::access(query.child.c_str(), X_OK) != 0)
    return Error{fmt::format("no probe executable: expected '{}'", query.child.string()), "python3 make.py build"};
  if (spec.validate) {
    const Expected<std::filesystem::path> layers = validation_layers(spec.lib, spec.generated / "layers");
    if (!layers) return layers.error();
    query.validation_layers = *layers;
  }
  return query;
}

Expected<std::vector<Manifest>> all_manifests(const ProbeSpec& spec) {
  Expected<std::vector<Manifest>> manifests = pinned_manifests(spec.lib, spec.generated / "drivers");
  if (!manifests) return manifests;
  for (Manifest& own : find_manifests(spec.environment, spec.root)) manifests->push_back(std::move(own));
  return manifests;
}

std::string describe(const DriverColumn& c) {
  if (c.failure) return fmt::format("{}: {}", c.failure->kind, c.failure->detail);
  const std::string refused = c.refused.empty() ? "" : fmt::format(" ({} sizes refused)", c.refused.size());
  return fmt::format("{} images and {} buffers{} in {:.2f} s", c.images.size(), c.buffers.size(), refused, c.seconds);
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

void name_columns(std::vector<DriverColumn>& columns) {
  std::map<std::string, bool> taken;  // name -> by a pinned driver
  for (DriverColumn& c : columns) {
    std::string base = c.driver.device_name.empty() ? failed_column_name(c.driver) : column_name(c.driver);
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
  for (const Manifest& manifest : *manifests) {
    if (!may_be_chosen(manifest, spec.driver)) {
      names.push_back(expected_driver(manifest.library));
      continue;
    }
    if (spec.on_progress)
      spec.on_progress(fmt::format("querying {}", manifest.pinned ? manifest.library : manifest.file.string()));
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
