// list: every benchmark that can be run. A script may run every entry of --json unchanged, so unsupported benchmarks
// are listed only with --all, with the reason.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>

#include "harness/base/fit.h"
#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/cli/commands.h"
#include "harness/measure/catalog.h"

namespace lab::cli {

namespace {

namespace json = boost::json;

void print_json(const measure::Catalog& catalog, bool all) {
  json::array entries;
  for (const measure::Benchmark& benchmark : catalog.benchmarks) {
    if (!benchmark.unsupported.empty() && !all) continue;
    entries.push_back(json::object{
        {"benchmark", benchmark.name},
        {"reference", benchmark.reference},
        {"core", benchmark.core},
        {"title", benchmark.workload.title},
        {"version", benchmark.workload.version},
        {"parallel", benchmark.workload.parallel},
        {"unsupported", benchmark.unsupported.empty() ? json::value(nullptr) : json::value(benchmark.unsupported)}});
  }
  fmt::print("{}\n", json::serialize(entries));
}

/// Indentation of continuation lines.
constexpr std::size_t kIndent = 4;

void print_text(const measure::Catalog& catalog) {
  bool any_unsupported = false;
  for (const measure::Benchmark& benchmark : catalog.benchmarks) {
    any_unsupported = any_unsupported || !benchmark.unsupported.empty();
    if (benchmark.unsupported.empty()) fmt::print("{}{}\n", benchmark.name, benchmark.reference ? "  (reference)" : "");
  }
  if (!any_unsupported) return;
  fmt::print("\nunsupported:\n");
  for (const measure::Benchmark& benchmark : catalog.benchmarks)
    if (!benchmark.unsupported.empty())
      fmt::print("{}\n", wrapped_after(fmt::format("{}: {}", benchmark.name, benchmark.unsupported),
                                       output_width(STDOUT_FILENO), kIndent));
}

Expected<ExitStatus> list(const Options& options) {
  if (const auto none = options.refuse_arguments("list", "python3 make.py run --filter GLOB"); !none)
    return none.error();
  const Expected<measure::Catalog> catalog =
      measure::load_catalog(build_dir(), [](const ChildSpec& spec) { return run_child(spec); });
  if (!catalog) return catalog.error();
  if (options.has("--json"))
    print_json(*catalog, options.has("--all"));
  else
    print_text(*catalog);
  std::fflush(stdout);
  for (const results::Failure& failure : catalog->failures)
    fmt::print(stderr, "harness: error: {}: {}\n", failure.benchmark, failure.detail);
  if (!catalog->not_built.empty())
    return Error{fmt::format("not built: {}", fmt::join(catalog->not_built, ", ")), "python3 make.py build"};
  return catalog->failures.empty() ? ExitStatus::kOk : ExitStatus::kFailed;
}

}  // namespace

Command list_command() {
  return {"list",
          "[--json [--all]]",
          "list the benchmarks that can be run",
          {{"--json", "", "one array of objects"}, {"--all", "", "with --json: unsupported ones too, with the reason"}},
          list};
}

}  // namespace lab::cli
