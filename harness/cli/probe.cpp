#include "harness/probe/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/nearest.h"
#include "harness/base/terminal.h"
#include "harness/base/utc.h"
#include "harness/base/vulkan_driver.h"
#include "harness/cli/commands.h"
#include "harness/cli/real_allocations.h"
#include "harness/judge/column_rules.h"
#include "harness/measure/machine.h"
#include "harness/probe/advise.h"
#include "harness/probe/allocate.h"
#include "harness/probe/column_name.h"
#include "harness/report/advice_text.h"
#include "harness/results/article.h"
#include "harness/results/import_column.h"
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
  spec.generated = place_in_build(build_dir(), "vulkan");
  spec.child = build_dir() / "vulkan_probe_child";
  const std::filesystem::path sweeps = root_dir() / "harness/probe/sweeps";
  spec.sweep_files = {sweeps / "article.json"};
  for (const std::string& file : options.values("--sweep")) spec.sweep_files.emplace_back(file);
  if (spec.sweep_files.size() == 1) spec.sweep_files.push_back(sweeps / "wide.json");
  spec.simulated_devices = root_dir() / "harness/probe/simulated_devices.json";
  spec.shims = build_dir().parent_path() / "simulated-devices";
  spec.driver = options.value("--driver").value_or("all");
  spec.validate = options.has("--validate");
  spec.environment = current_environment();
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

// The folders that --import names; all are read before anything is written.
Expected<std::vector<results::DriverColumn>> import_columns(const Options& options) {
  std::vector<results::DriverColumn> columns;
  for (const std::string& folder : options.values("--import")) {
    Expected<results::DriverColumn> column = results::import_column(folder);
    if (!column) return column.error();
    if (std::ranges::find(columns, column->name, &results::DriverColumn::name) != columns.end())
      return Error{fmt::format("--import: expected folders of different names, found '{}' twice", column->name), "",
                   ExitStatus::kUsage};
    column->probed_at = utc(std::time(nullptr));
    columns.push_back(std::move(*column));
  }
  return columns;
}

Expected<void> refuse_unused(const Options& options) {
  const std::optional<std::string> format = options.value("--format");
  if (options.has("--advise")) {
    if (format && *format != "json")
      return Error{fmt::format("--advise: expected --format json or no --format, found '{}'", *format), "",
                   ExitStatus::kUsage};
    for (const char* other : {"--out", "--sweep", "--import", "--allocate"})
      if (options.has(other))
        return Error{
            fmt::format("--advise writes no column and asks for the program's resources alone: {} has no use", other),
            "", ExitStatus::kUsage};
    if (options.has("--column") && options.has("--driver"))
      return Error{"expected --column or --driver, found both", "", ExitStatus::kUsage};
  } else if (options.has("--column")) {
    return Error{"--column is only for --advise", "probe --advise FILE --column FOLDER", ExitStatus::kUsage};
  }
  return {};
}

// One line on standard error for each contradiction, for each rule of the specification that the column breaks, and for
// each unusual answer. Whether there were contradictions or broken rules.
bool print_wrong_answers(const results::DriverColumn& column) {
  for (const results::Contradiction& c : column.contradictions)
    fmt::print(stderr, "probe: {}: {}: first {}, then {}\n", column.name, c.what, c.first, c.second);
  bool wrong = column.contradicted != 0;
  for (const judge::BrokenRule& rule : judge::broken_rules(column)) {
    wrong = wrong || rule.of_the_specification;
    fmt::print(stderr, "probe: {}: {} that {}: {}, {}{}\n", column.name,
               rule.of_the_specification ? "breaks the rule" : "is unusual: expected", rule.rule, rule.what, rule.found,
               rule.count == 1 ? "" : fmt::format(", and {} more", rule.count - 1));
  }
  return wrong;
}

// The columns for the advice: asked now, or read from a folder of an atlas.
Expected<std::vector<results::DriverColumn>> advised_columns(const Options& options, const probe::Program& program,
                                                             const probe::ProbeSpec& spec) {
  const std::optional<std::string> folder = options.value("--column");
  if (!folder) return probe::ask_for(program, spec);
  const Expected<results::DriverColumn> column = results::load_column(*folder);
  if (!column) return column.error();
  return std::vector{*column};
}

// How the column's driver is asked for exactly the program's resources. A simulated device needs its packages first.
std::string how_to_ask(const results::DriverColumn& column, const std::string& file, const probe::ProbeSpec& spec) {
  if (column.imported)
    return "an imported column has the article's images and buffers alone; without --column, this machine's drivers "
           "are asked";
  std::error_code missing;
  const bool ready = !column.driver.simulated || std::filesystem::exists(spec.shims / "built", missing);
  return fmt::format("{}python3 make.py probe --advise {} --driver {}",
                     ready ? "" : "python3 make.py spm install-group simulated-devices && python3 make.py build && ",
                     file, column.name);
}

// probe --advise: prints the advice for a program, for each driver that `spec` chooses, or for the column of --column;
// as JSON with --format. `spec` begins with the article's sweep. kFailed if a driver failed, gave answers that cannot
// be true, or gets no advice; advice is printed all the same.
Expected<ExitStatus> advise_and_print(const Options& options, const std::string& file, const probe::ProbeSpec& spec) {
  const Expected<probe::Program> program = probe::load_program(file);
  if (!program) return program.error();
  const Expected<probe::Sweep> article = probe::load_sweep(spec.sweep_files.front());
  if (!article) return article.error();
  const Expected<std::vector<results::Article>> articles = results::load_articles(root_dir());
  if (!articles) return articles.error();
  const Expected<std::vector<results::DriverColumn>> columns = advised_columns(options, *program, spec);
  if (!columns) return columns.error();
  if (columns->empty()) fmt::print(stderr, "probe: no Vulkan driver on this machine has a device: no advice\n");

  ExitStatus status = ExitStatus::kOk;
  bool first = true;
  for (const results::DriverColumn& column : *columns) {
    Expected<results::Advice> advice = probe::advise(*program, column, *article);
    if (column.failure || print_wrong_answers(column)) status = ExitStatus::kFailed;
    if (!advice) {
      Error problem = advice.error();
      if (options.has("--column") && problem.hint.empty()) problem.hint = how_to_ask(column, file, spec);
      if (columns->size() == 1 && !column.failure) return problem;
      fmt::print(stderr, "probe: {}: no advice: {}\n", column.name,
                 column.failure ? column.failure->detail : advice.error().what);
      status = ExitStatus::kFailed;
      continue;
    }
    advice->errata = report::advice_errata(*advice, *articles);
    if (options.has("--format"))
      fmt::print("{}", report::to_json(*advice));
    else
      fmt::print("{}{}", first ? "" : "\n", report::to_text(*advice, output_width(STDOUT_FILENO)));
    first = false;
  }
  return status;
}

Expected<ExitStatus> run_probe(const Options& options) {
  const Expected<std::string> format = chosen_format(options);
  if (!format) return format.error();
  if (const auto none = options.refuse_arguments("probe", "probe --driver PREFIX"); !none) return none.error();
  if (const auto unused = refuse_unused(options); !unused) return unused.error();
  if (const std::optional<std::string> file = options.value("--advise"))
    return advise_and_print(options, *file, spec_of(options));
  const Expected<std::filesystem::path> out = chosen_atlas(options);
  if (!out) return out.error();
  const Expected<std::vector<results::DriverColumn>> columns =
      options.has("--import") ? import_columns(options) : probe::probe(spec_of(options));
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
    const bool wrong = print_wrong_answers(column);
    if (column.failure || !column.validation.empty() || wrong) status = ExitStatus::kFailed;
    if (!options.has("--allocate") || !probe::is_allocatable(column)) continue;
    const Expected<ExitStatus> allocated = allocate_and_save(spec_of(options), column, *out / column.name);
    if (!allocated) return allocated.error();
    if (*allocated != ExitStatus::kOk) status = *allocated;
  }
  return status;
}

}  // namespace

Command probe_command() {
  return {
      "probe",
      "[--driver PREFIX|all] [--out DIR] [--format json|csv|io7m] [--advise FILE]",
      "query the memory requirements of images and buffers from every Vulkan driver",
      {{"--driver", "PREFIX|all", "only driver columns with this prefix: lavapipe, radv-22.3 (default: all)"},
       {"--out", "DIR", "write a folder per driver column: column.json, images.csv, buffers.csv"},
       {"--format", "FORMAT", "csv: print the folders; json: print the columns; io7m: also write the article's files"},
       {"--sweep", "FILE", "besides the article's sweep, ask these queries, not harness/probe/sweeps/wide.json's"},
       {"--import", "DIR",
        "ask nothing; add a column from DIR/image-sizes.txt and buffer-sizes.txt (the article's format)"},
       {"--advise", "FILE", "how to allocate memory for the images and buffers of a program (harness/docs/formats.md)"},
       {"--column", "FOLDER", "advise for this column of an atlas; otherwise the drivers of this machine are asked"},
       {"--validate", "", "query with the validation layers; a validation error makes the exit status 1"},
       {"--allocate", "", "also allocate, write and read memory on each device, and time it: adds memory.json"}},
      run_probe};
}

}  // namespace lab::cli
