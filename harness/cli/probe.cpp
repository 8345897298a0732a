#include "harness/probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/nearest.h"
#include "harness/cli/commands.h"
#include "harness/measure/machine.h"
#include "harness/probe/column_name.h"
#include "harness/results/journal.h"

namespace lab::cli {

namespace {

const std::vector<std::string> kFormats{"csv", "json", "io7m"};

// --out, or the atlas in this machine's results folder.
Expected<std::filesystem::path> chosen_atlas(const Options& options) {
  if (const std::optional<std::string> out = options.value("--out")) return *out;
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  return results::machine_folder(root_dir(), *machine) / "atlas";
}

Expected<std::string> chosen_format(const Options& options) {
  std::string format = options.value("--format").value_or(kFormats.front());
  if (std::ranges::find(kFormats, format) != kFormats.end()) return format;
  const std::string near = nearest_name(format, kFormats);
  return Error{fmt::format("--format: expected one of {}, found '{}'", fmt::join(kFormats, ", "), format),
               near.empty() ? "" : fmt::format("did you mean '{}'?", near), ExitStatus::kUsage};
}

probe::ProbeSpec spec_of(const Options& options) {
  probe::ProbeSpec spec;
  spec.lib = lib_dir();
  spec.generated = build_dir() / "vulkan";
  spec.child = build_dir() / "vulkan_probe_child";
  spec.sweeps_file = options.value("--sweep").value_or(root_dir() / "harness/probe/sweeps.json");
  spec.driver = options.value("--driver").value_or("all");
  spec.validate = options.has("--validate");
  spec.environment = probe::current_environment();
  spec.on_progress = [](const std::string& line) { fmt::print(stderr, "probe: {}\n", line); };
  return spec;
}

Expected<void> save(const results::DriverColumn& column, const std::filesystem::path& out, bool article_files) {
  const Expected<void> saved = results::save_column(column, out, article_files);
  // The driver answers now, so its failed column is obsolete.
  std::error_code ignored;
  if (saved && !column.failure) std::filesystem::remove_all(out / probe::failed_column_name(column.driver), ignored);
  return saved;
}

Expected<ExitStatus> run_probe(const Options& options) {
  const Expected<std::string> format = chosen_format(options);
  if (!format) return format.error();
  if (const auto none = options.refuse_arguments("probe", "probe --driver PREFIX"); !none) return none.error();
  const Expected<std::filesystem::path> out = chosen_atlas(options);
  if (!out) return out.error();
  const Expected<std::vector<results::DriverColumn>> columns = probe::probe(spec_of(options));
  if (!columns) return columns.error();
  if (columns->empty())
    fmt::print(stderr, "probe: no Vulkan driver on this machine has a device; nothing was written\n");

  ExitStatus status = ExitStatus::kOk;
  for (const results::DriverColumn& column : *columns) {
    if (const Expected<void> saved = save(column, *out, *format == "io7m"); !saved) return saved.error();
    fmt::print("{}\n",
               *format == "json" ? boost::json::serialize(to_json(column, true)) : (*out / column.name).string());
    for (const std::string& complaint : column.validation)
      fmt::print(stderr, "probe: {}: {}\n", column.name, complaint);
    if (column.failure || !column.validation.empty()) status = ExitStatus::kFailed;
  }
  return status;
}

}  // namespace

Command probe_command() {
  return {
      "probe",
      "[--driver PREFIX|all] [--out DIR] [--format json|csv|io7m]",
      "query the memory requirements of images and buffers from every Vulkan driver",
      {{"--driver", "PREFIX|all", "only driver columns with this prefix: lavapipe, radv-22.3 (default: all)"},
       {"--out", "DIR", "write a folder per driver column: column.json, images.csv, buffers.csv"},
       {"--format", "FORMAT", "csv: print the folders; json: print the columns; io7m: also write the article's files"},
       {"--sweep", "FILE", "query other sizes than those of harness/probe/sweeps.json"},
       {"--validate", "", "query with the validation layers; a validation error makes the exit status 1"}},
      run_probe};
}

}  // namespace lab::cli
