#include "harness/measure/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/base/files.h"
#include "harness/base/glob.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/nearest.h"
#include "harness/base/printable.h"
#include "harness/results/metrics.h"

namespace lab::measure {

namespace fs = std::filesystem;

LAB_JSON_STRUCT(EnvironmentRule, variables, why)

LAB_JSON_STRUCT(PreloadHosts, (malloc))

LAB_JSON_STRUCT(ListedVariant, family, variant, reference, executable, (core), (environment), (preload))

namespace {

constexpr double kDescribeSeconds = 20;

void add(const ListedVariant& built, const Description& description, const fs::path& executable,
         const std::shared_ptr<const MallocLibrary>& malloc, Catalog& catalog) {
  results::VariantCard variant = description.variant;
  variant.reference = built.reference && malloc == nullptr;
  if (malloc != nullptr)
    variant.traits["preloaded"] = fmt::format("{}, content {}", malloc->file().filename().string(), malloc->hash());
  for (const Description::Offer& offer : description.offers) {
    const std::string& workload = offer.workload.name;
    const bool core = !built.core || std::find(built.core->begin(), built.core->end(), workload) != built.core->end();
    catalog.benchmarks.push_back({results::benchmark_name(built.family, variant.name, workload),
                                  executable,
                                  variant.reference,
                                  offer.workload,
                                  offer.unsupported,
                                  core,
                                  {},
                                  malloc});
  }
  catalog.variants.push_back(std::move(variant));
}

/// What the dynamic loader said of a preloaded library in `output`; "" if it said nothing. It goes on without one that
/// it cannot open, and ends the process if a symbol or another library is missing.
std::string loader_complaint(const std::string& output) {
  constexpr std::string_view kIgnored = "cannot be preloaded (",
                             kMissing = "error while loading shared libraries: ", kUnresolved = "symbol lookup error: ";
  if (const std::size_t at = output.find(kIgnored); at != std::string::npos) {
    const std::size_t begin = at + kIgnored.size();
    return output.substr(begin, output.find("): ignored", begin) - begin);
  }
  for (const std::string_view beginning : {kMissing, kUnresolved})
    if (const std::size_t at = output.find(beginning); at != std::string::npos) {
      const std::size_t begin = at + beginning.size();
      return output.substr(begin, output.find('\n', begin) - begin);
    }
  return "";
}

/// Why the executable cannot be the variant with the library; "" if it can be.
std::string why_not_preloaded(const MallocLibrary& library, const ChildSpec& spec, const ChildOutcome& outcome) {
  const bool well = outcome.end == ChildEnd::kExited && outcome.code == 0;
  if (const std::string complaint = loader_complaint(outcome.error_tail); !complaint.empty())
    return fmt::format("expected a library that the dynamic loader can preload, found: {}", printable(complaint));
  if (well) return "";
  return fmt::format("expected a program to start and end with {} as its malloc, found: {}",
                     library.file().filename().string(), describe_end(spec, outcome));
}

/// `malloc`: to preload; null: none.
void describe(const ListedVariant& built, const fs::path& build_dir, const Runner& run,
              const std::shared_ptr<const MallocLibrary>& malloc, Catalog& catalog) {
  const std::string variant = malloc == nullptr ? built.variant : malloc->name();
  const std::string name = built.family + "/" + variant;
  const fs::path executable = build_dir / built.executable;
  if (!fs::exists(executable)) {
    catalog.not_built.push_back(name);
    return;
  }
  ChildSpec spec;
  spec.command = {executable.string(), "--describe"};
  spec.timeout_seconds = kDescribeSeconds;
  const auto fail_with = [&](std::string kind, std::string detail, std::string tail = "") {
    catalog.failures.push_back({name, 0, 0, std::move(kind), std::move(detail), std::move(tail)});
  };
  if (malloc != nullptr) {
    if (std::string why = malloc->why_no_malloc(); !why.empty())
      return fail_with(std::string(results::kNotConforming), std::move(why));
    spec.environment = malloc->environment();
    // So that a symbol that nobody defines is found here, and not by the first process that calls it.
    spec.environment.push_back("LD_BIND_NOW=1");
  }
  const ChildOutcome outcome = run(spec);
  const auto fail = [&](std::string kind, const std::string& detail) {
    fail_with(std::move(kind), "--describe: " + detail, outcome.error_tail);
  };
  if (malloc != nullptr)
    if (std::string why = why_not_preloaded(*malloc, spec, outcome); !why.empty())
      return fail_with(outcome.end == ChildEnd::kTimedOut ? "timeout" : "crash", std::move(why), outcome.error_tail);
  if (outcome.end == ChildEnd::kTimedOut) return fail("timeout", describe_end(spec, outcome));
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) return fail("crash", describe_end(spec, outcome));
  const Expected<Description> description = parse_description(outcome.output);
  if (!description) return fail("protocol", description.error().what);
  if (description->variant.family != built.family || description->variant.name != variant)
    return fail("protocol",
                fmt::format("expected {}, found {}/{}", name, description->variant.family, description->variant.name));
  add(built, *description, executable, malloc, catalog);
}

/// The workloads that the variants of `family` offer; none if one of them could not be asked.
std::optional<std::vector<std::string>> offered_workloads(const Catalog& catalog, const std::string& family) {
  const auto is_of_family = [&](const std::string& variant) { return variant.starts_with(family + "/"); };
  if (std::any_of(catalog.not_built.begin(), catalog.not_built.end(), is_of_family) ||
      std::any_of(catalog.failures.begin(), catalog.failures.end(),
                  [&](const results::Failure& failure) { return is_of_family(failure.benchmark); }))
    return std::nullopt;
  std::vector<std::string> names;
  for (const Benchmark& benchmark : catalog.benchmarks)
    if (benchmark.workload.family == family) names.push_back(benchmark.workload.name);
  return names;
}

/// An error if a core workload of this variant's family is offered by none of its variants.
Expected<void> check_core(const Catalog& catalog, const ListedVariant& listed) {
  const auto offered = offered_workloads(catalog, listed.family);
  if (!listed.core || !offered) return {};
  for (const std::string& name : *listed.core) {
    if (std::find(offered->begin(), offered->end(), name) != offered->end()) continue;
    const std::string near = nearest_name(name, *offered);
    return Error{fmt::format("variants/{}/family.json: core: expected names of workloads, found '{}', which no variant "
                             "offers",
                             listed.family, name),
                 near.empty() ? "python3 make.py list" : fmt::format("did you mean '{}'?", near)};
  }
  return {};
}

/// Every name that a filter may match: benchmarks, variants and families, including those not built.
std::vector<std::string> names_in(const Catalog& catalog) {
  std::set<std::string> names;
  for (const Benchmark& benchmark : catalog.benchmarks) names.insert(benchmark.name);
  for (const results::VariantCard& variant : catalog.variants) {
    names.insert(variant.family);
    names.insert(variant.family + "/" + variant.name);
  }
  for (const std::string& variant : catalog.not_built) {
    names.insert(variant);
    names.insert(variant.substr(0, variant.find('/')));
  }
  return {names.begin(), names.end()};
}

/// Whether a filter, of which ":metric" at the end does not count, matches a benchmark's or a variant's name.
bool matches(const std::string& filter, const std::string& name) {
  return glob_matches(std::string(results::without_metric(filter)), name);
}

bool any_matches(const std::vector<std::string>& filters, const std::string& name) {
  return std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) { return matches(filter, name); });
}

/// An error if no benchmark that the filter matches has its metric.
Expected<void> check_metric(const Catalog& catalog, const std::string& filter) {
  const std::string metric(results::benchmark_parts(filter).metric);
  std::vector<std::string> known;
  for (const Benchmark& benchmark : catalog.benchmarks) {
    if (!matches(filter, benchmark.name)) continue;
    if (metric.empty() || results::find_metric(benchmark.workload, metric)) return {};
    for (const results::Metric& each : results::metrics_of(benchmark.workload)) known.push_back(each.name);
  }
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return Error{fmt::format("no benchmark of '{}' has a metric '{}'", results::without_metric(filter), metric),
               fmt::format("one of {}", fmt::join(known, ", ")), ExitStatus::kUsage};
}

/// Whether a benchmark of a variant that could not be described would match; it is assumed to have its family's
/// workloads.
bool could_match(const Catalog& catalog, const std::string& variant, const std::vector<std::string>& filters) {
  if (filters.empty() || any_matches(filters, variant)) return true;
  const std::string family = variant.substr(0, variant.find('/'));
  return std::any_of(catalog.benchmarks.begin(), catalog.benchmarks.end(), [&](const Benchmark& known) {
    return known.workload.family == family && any_matches(filters, variant + "/" + known.workload.name);
  });
}

/// The names of preloaded libraries contain an '@', which no name in a build does.
std::string hint_for(const Catalog& catalog, const std::string& filter) {
  if (filter.find('@') != std::string::npos && catalog.preloaded.empty())
    return "--malloc FILE: the library of that name";
  const std::string near = nearest_name(filter, names_in(catalog));
  return near.empty() ? "python3 make.py list" : fmt::format("did you mean '{}'?", near);
}

Expected<void> check_filter(const Catalog& catalog, const std::string& filter) {
  const Benchmark* unsupported = nullptr;
  for (const Benchmark& benchmark : catalog.benchmarks) {
    if (!matches(filter, benchmark.name)) continue;
    if (benchmark.unsupported.empty()) return check_metric(catalog, filter);
    unsupported = &benchmark;
  }
  for (const results::Failure& failure : catalog.failures)
    if (could_match(catalog, failure.benchmark, {filter})) return {};
  if (unsupported != nullptr)
    return Error{fmt::format("{} is unsupported: {}", unsupported->name, unsupported->unsupported),
                 "python3 make.py list", ExitStatus::kUsage};
  return Error{fmt::format("no benchmark matches '{}'", filter), hint_for(catalog, filter), ExitStatus::kUsage};
}

/// An error if the filters leave out a library that somebody asked to measure.
Expected<void> check_preloaded(const Catalog& catalog, const std::vector<std::string>& filters) {
  for (const std::string& variant : catalog.preloaded)
    if (!could_match(catalog, variant, filters))
      return Error{fmt::format("no filter selects {}, which --malloc names", variant),
                   fmt::format("--filter '{}*'", variant.substr(0, variant.find('@') + 1)), ExitStatus::kUsage};
  return {};
}

}  // namespace

std::string variant_of(const std::string& benchmark) {
  return benchmark.substr(0, benchmark.rfind('/'));
}

std::string workload_of(const Benchmark& benchmark) {
  return benchmark.workload.family + "/" + benchmark.workload.name;
}

bool same_work(const results::WorkloadInfo& a, const results::WorkloadInfo& b) {
  return a.version == b.version && a.phases == b.phases && a.operations == b.operations;
}

ChildSpec workload_process(const Benchmark& benchmark, const std::string& verb, const ProcessSpec& spec) {
  ChildSpec child;
  child.command = {benchmark.executable.string(), verb, benchmark.workload.name, "--seed", std::to_string(spec.seed)};
  if (benchmark.malloc != nullptr) child.environment = benchmark.malloc->environment();
  if (benchmark.workload.parallel)
    child.command.insert(child.command.end(), {"--threads", std::to_string(spec.threads)});
  else
    child.cpu = spec.cpu;
  if (!spec.device.empty()) child.command.insert(child.command.end(), {"--device", spec.device});
  return child;
}

ChildSpec measuring_process(const Benchmark& benchmark, const ProcessSpec& spec) {
  ChildSpec child = workload_process(benchmark, "--run", spec);
  child.command.insert(child.command.end(), {"--seconds", fmt::format("{:.6g}", spec.seconds)});
  if (!spec.reference.empty()) child.command.insert(child.command.end(), {"--reference", spec.reference.string()});
  child.environment.emplace_back(spec.exact ? "LAB_EXACT=1" : "LAB_EXACT");  // overrides our own environment
  return child;
}

Expected<std::vector<ListedVariant>> read_variants(const fs::path& build_dir) {
  const fs::path path = build_dir / "variants.json";
  const Expected<std::string> text = read_file(path);
  if (!text) return Error{text.error().what, "python3 make.py build"};
  const Expected<json::value> value = parse_json(*text, fmt::format("'{}'", path.string()));
  if (!value) return Error{value.error().what, "python3 make.py build"};
  Expected<std::vector<ListedVariant>> listed = from_json<std::vector<ListedVariant>>(*value);
  if (!listed) return in_context(fmt::format("'{}'", path.string()), listed.error());
  return listed;
}

std::vector<std::string> ListedVariant::names(const MallocLibraries& mallocs) const {
  std::vector<std::string> names{name()};
  if (hosts_malloc())
    for (const auto& malloc : mallocs) names.push_back(family + "/" + malloc->name());
  return names;
}

std::vector<std::string> variants_for(const std::vector<ListedVariant>& listed, const std::vector<std::string>& filters,
                                      bool references, const MallocLibraries& mallocs) {
  std::set<std::string> families;
  std::vector<std::string> names;
  const auto wanted = [&](const ListedVariant& variant) {
    return filters.empty() || std::ranges::any_of(variant.names(mallocs), [&](const std::string& name) {
             return std::ranges::any_of(filters, [&](const std::string& filter) {
               return glob_may_match_below(std::string(results::without_metric(filter)), name);
             });
           });
  };
  for (const ListedVariant& variant : listed)
    if (wanted(variant)) families.insert(variant.family);
  for (const ListedVariant& variant : listed)
    if (wanted(variant) || (references && variant.reference && families.contains(variant.family)))
      names.push_back(variant.name());
  return names;
}

Expected<Catalog> load_catalog(const fs::path& build_dir, const Runner& run, const MallocLibraries& mallocs) {
  const Expected<std::vector<ListedVariant>> listed = read_variants(build_dir);
  if (!listed) return listed.error();
  Catalog catalog;
  for (const ListedVariant& one : *listed) {
    describe(one, build_dir, run, nullptr, catalog);
    if (one.hosts_malloc())
      for (const auto& malloc : mallocs) {
        describe(one, build_dir, run, malloc, catalog);
        catalog.preloaded.push_back(one.family + "/" + malloc->name());
      }
    catalog.environment[one.family] = one.environment;
  }
  for (const ListedVariant& one : *listed)
    if (const Expected<void> checked = check_core(catalog, one); !checked) return checked.error();
  std::sort(catalog.variants.begin(), catalog.variants.end(),
            [](const auto& a, const auto& b) { return std::tie(a.family, a.name) < std::tie(b.family, b.name); });
  std::sort(catalog.benchmarks.begin(), catalog.benchmarks.end(),
            [](const Benchmark& a, const Benchmark& b) { return a.name < b.name; });
  return catalog;
}

Expected<BenchmarkSelection> select(const Catalog& catalog, const std::vector<std::string>& filters) {
  for (const std::string& variant : catalog.not_built)
    if (could_match(catalog, variant, filters))
      return Error{fmt::format("{} is not built", variant), "python3 make.py build"};
  for (const std::string& filter : filters)
    if (const Expected<void> checked = check_filter(catalog, filter); !checked) return checked.error();
  if (const Expected<void> checked = check_preloaded(catalog, filters); !checked) return checked.error();

  BenchmarkSelection selection;
  std::set<std::string> workloads;
  std::set<std::string> variants;
  std::set<std::string> families;
  const auto selected = [&](const std::string& name) { return filters.empty() || any_matches(filters, name); };
  for (const Benchmark& benchmark : catalog.benchmarks) {
    if (!selected(benchmark.name)) continue;
    variants.insert(variant_of(benchmark.name));
    if (!benchmark.unsupported.empty()) {
      selection.unsupported.push_back({benchmark.name, benchmark.unsupported});
      continue;
    }
    selection.benchmarks.push_back(benchmark);
    families.insert(benchmark.workload.family);
    if (workloads.insert(workload_of(benchmark)).second) selection.workloads.push_back(benchmark.workload);
  }
  for (const Benchmark& benchmark : catalog.benchmarks) {
    if (!benchmark.reference || !benchmark.unsupported.empty() || !workloads.contains(workload_of(benchmark)) ||
        selected(benchmark.name))
      continue;
    selection.checks.push_back(benchmark);
    variants.insert(variant_of(benchmark.name));
  }
  for (const results::VariantCard& variant : catalog.variants)
    if (variants.contains(variant.family + "/" + variant.name)) selection.variants.push_back(variant);
  for (const auto& [family, rules] : catalog.environment)
    if (families.contains(family))
      selection.environment.insert(selection.environment.end(), rules.begin(), rules.end());
  for (const results::Failure& failure : catalog.failures)
    if (could_match(catalog, failure.benchmark, filters)) selection.failures.push_back(failure);
  if (selection.benchmarks.empty() && selection.failures.empty())
    return Error{"nothing to run: this build has no variants", "python3 make.py build"};
  return selection;
}

BenchmarkSelection part_of(BenchmarkSelection selection, const std::set<std::string>& names) {
  std::erase_if(selection.benchmarks, [&](const Benchmark& benchmark) { return !names.contains(benchmark.name); });
  std::set<std::string> workloads, variants;
  for (const Benchmark& benchmark : selection.benchmarks) {
    workloads.insert(workload_of(benchmark));
    variants.insert(variant_of(benchmark.name));
  }
  std::erase_if(selection.workloads, [&](const results::WorkloadInfo& workload) {
    return !workloads.contains(workload.family + "/" + workload.name);
  });
  std::erase_if(selection.unsupported, [&](const results::Unsupported& one) {
    const results::BenchmarkParts parts = results::benchmark_parts(one.benchmark);
    return !workloads.contains(fmt::format("{}/{}", parts.family, parts.workload));
  });
  std::erase_if(selection.checks, [&](const Benchmark& one) { return !workloads.contains(workload_of(one)); });
  for (const Benchmark& check : selection.checks) variants.insert(variant_of(check.name));
  std::erase_if(selection.variants, [&](const results::VariantCard& variant) {
    return !variants.contains(variant.family + "/" + variant.name);
  });
  return selection;
}

}  // namespace lab::measure
