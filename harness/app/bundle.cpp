#include "harness/app/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/glob.h"
#include "harness/base/json_fields.h"
#include "harness/base/own_loader.h"
#include "harness/base/parallel.h"
#include "harness/base/usage_error.h"
#include "harness/base/vulkan_driver.h"
#include "harness/bundle/archive.h"
#include "harness/bundle/manifest.h"
#include "harness/measure/arms.h"
#include "harness/measure/catalog.h"
#include "harness/measure/code_layouts.h"
#include "harness/measure/provenance.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAgain = "python3 make.py bundle FILE";

/// The C library of the sysroot that everything is linked with, as OLDEST_LIBC in harness/make/toolchain.py.
constexpr const char* kLibc = "2.36";
constexpr const char* kSysrootLibc = "usr/x86_64-linux-gnu/lib";

/// Where the bundle has the build, whatever the checkout calls it: the launcher starts the harness there.
const fs::path kBuild = "build/pinned-release";

/// Packages of lib/ that programs open at run time: drivers and their libraries, the shader compiler, what draws a
/// report's charts.
constexpr std::array kPackages{"glslang", "lavapipe",  "runtime",   "vulkan-loader", "vulkan-validationlayers",
                               "vega",    "vega-lite", "vega-embed"};

/// Folders of the checkout whose data is read at run time.
constexpr std::array kData{"harness/probe/sweeps", "results/published", "results/reference", "variants"};
constexpr std::array kDataFiles{"harness/probe/simulated_devices.json", "packages.json"};

/// Sources and documents in those folders.
constexpr std::array kNoData{".c", ".cpp", ".h", ".cmake", ".md", ".py", ".pyc"};

/// In the build folder, programs that nobody starts in a bundle.
constexpr std::array kNotStarted{"simulate"};

/// A file of the bundle, and where it is now.
struct Source {
  fs::path from;
  bundle::BundledFile file;
  std::optional<std::string> content = {};  ///< instead of that file's

  Expected<std::string> read() const { return content ? Expected<std::string>(*content) : read_file(from); }
};

bool is_elf(const fs::path& path) {
  std::array<char, 4> start{};
  std::FILE* const file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return false;
  const bool is = std::fread(start.data(), 1, start.size(), file) == start.size() &&
                  std::string_view(start.data(), start.size()) == "\177ELF";
  std::fclose(file);
  return is;
}

/// Adds what is in `folder`, recursively, as `inside`, if `wanted`.
Expected<void> add_folder(std::vector<Source>& sources, const fs::path& folder, const fs::path& inside,
                          const std::function<bool(const fs::path&)>& wanted) {
  std::error_code problem;
  const fs::path real = fs::canonical(folder, problem);
  if (problem) return file_error("reading", folder, problem.value());
  fs::recursive_directory_iterator walk(real, problem);
  for (; !problem && walk != fs::recursive_directory_iterator(); walk.increment(problem)) {
    const fs::path path = walk->path(), relative = path.lexically_relative(real);
    const std::string name = path.filename();
    if (name.starts_with('.') || name.ends_with('~') || name == "__pycache__") {
      if (walk->is_directory() && !walk->is_symlink()) walk.disable_recursion_pending();
      continue;
    }
    if (!wanted(relative)) continue;
    const std::string as = (inside / relative).string();
    if (walk->is_symlink()) {
      // A link that leaves its folder is its target's content.
      const fs::path target = fs::read_symlink(path, problem);
      const fs::path reached = (relative.parent_path() / target).lexically_normal();
      if (target.is_relative() && *reached.begin() != "..") {
        sources.push_back({path, {as, 0, "", false, target.string(), ""}});
        continue;
      }
    }
    if (walk->is_regular_file(problem)) sources.push_back({path, {as}});
  }
  if (problem) return file_error("reading", folder, problem.value());
  return {};
}

Expected<void> add_package(std::vector<Source>& sources, const fs::path& lib, const std::string& name) {
  const fs::path package = pinned_package(lib, name);
  if (package.empty())
    return Error{fmt::format("expected the package {} in '{}', found none", name, lib.string()),
                 "python3 make.py build"};
  const auto all = [](const fs::path&) { return true; };
  return add_folder(sources, package, "lib" / package.filename(), all);
}

/// The programs, libraries and lists of the build folder, without its variants.
Expected<void> add_build(std::vector<Source>& sources, const fs::path& build) {
  sources.push_back({build / "build_info.json", {kBuild / "build_info.json"}});
  for (const char* folder : {"", "malloc"}) {
    std::error_code problem;
    for (const fs::directory_entry& entry : fs::directory_iterator(build / folder, problem)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file(problem) || name == "lab" || !is_elf(entry.path()) ||
          std::ranges::find(kNotStarted, name) != kNotStarted.end())
        continue;
      sources.push_back({entry.path(), {kBuild / folder / name}});
    }
    if (problem && *folder == '\0') return file_error("reading", build, problem.value());
  }
  return {};
}

/// The list of variants, of those that the bundle has: a session wants all that are listed.
Expected<Source> list_of_variants(const fs::path& build, const std::set<std::string>& variants) {
  const fs::path file = build / "variants.json";
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  Expected<json::value> all = parse_json(*text, file.string());
  if (!all) return all.error();
  json::array* const list = all->if_array();
  if (list == nullptr) return Error{fmt::format("'{}': expected an array", file.string()), "python3 make.py build"};
  json::array kept;
  for (json::value& one : *list) {
    const auto field = [&](const char* name) {
      const json::object* const object = one.if_object();
      const json::value* const value = object == nullptr ? nullptr : object->if_contains(name);
      return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
    };
    if (variants.contains(fmt::format("{}/{}", field("family"), field("variant")))) kept.push_back(std::move(one));
  }
  return Source{file, {kBuild / "variants.json"}, json::serialize(kept) + "\n"};
}

/// The pinned C library, which starts the bundle's programs where the machine's is older. Returns its loader's path.
Expected<std::string> add_libc(std::vector<Source>& sources, const fs::path& lib) {
  const fs::path package = pinned_package(lib, "sysroot");
  const fs::path folder = package / kSysrootLibc, inside = "lib" / package.filename();
  for (const char* name : {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
                           "librt.so.1", "libresolv.so.2", "libutil.so.1"}) {
    std::error_code missing;
    if (!fs::exists(folder / name, missing))
      return Error{fmt::format("expected '{}', found none", (folder / name).string()), "python3 make.py build"};
    sources.push_back({folder / name, {inside / name}});
  }
  return (inside / "ld-linux-x86-64.so.2").string();
}

/// Each variant's executable, followed by its layouts: they share most of their bytes.
void add_variants(std::vector<Source>& sources, const fs::path& build, const std::vector<measure::Benchmark>& head,
                  const std::vector<measure::Benchmark>& control) {
  std::map<fs::path, std::map<int, measure::CodeLayout>> layouts;
  for (const std::vector<measure::Benchmark>* benchmarks : {&head, &control})
    for (const measure::Benchmark& benchmark : *benchmarks)
      for (const measure::CodeLayout& layout : benchmark.layouts)
        layouts[benchmark.executable.lexically_relative(build)].emplace(layout.number, layout);
  for (const measure::Benchmark& benchmark : head) layouts[benchmark.executable.lexically_relative(build)];
  for (const auto& [executable, links] : layouts) {
    sources.push_back({build / executable, {kBuild / executable}});
    for (const auto& [number, layout] : links)
      sources.push_back(
          {layout.executable, {kBuild / measure::bundled_layout(executable, number), 0, "", false, "", layout.hash}});
  }
}

/// Fills in size, hash and whether it is executable.
Expected<void> read_sources(std::vector<Source>& sources) {
  std::vector<Expected<void>> read(sources.size());
  in_parallel(sources.size(), [&](std::size_t i) {
    bundle::BundledFile& file = sources[i].file;
    if (!file.link.empty()) return;
    const Expected<std::string> content = sources[i].read();
    std::error_code unknown;
    if (!content) {
      read[i] = content.error();
      return;
    }
    file.size = content->size();
    file.hash = bundle::content_hash(*content);
    file.executable = (fs::status(sources[i].from, unknown).permissions() & fs::perms::owner_exec) != fs::perms::none;
  });
  for (const Expected<void>& one : read)
    if (!one) return one.error();
  return {};
}

/// An error if what this build makes runs on few other machines.
Expected<void> check_travels(const results::Build& build) {
  if (build.toolchain != "pinned" || build.config != "release")
    return usage_error(
        fmt::format("expected a release of the pinned toolchain, found {}-{}", build.toolchain, build.config),
        "python3 make.py build");
  if (build.march == "native")
    return usage_error("expected a build for a level of CPUs, found one for this CPU (march native)",
                       "python3 make.py build --march x86-64-v3");
  if (const fs::path loader = own_loader(); loader != "/lib64/ld-linux-x86-64.so.2")
    return Error{
        fmt::format("expected a build on a machine with a GNU C library of {} or newer; this one's programs name "
                    "the loader '{}'",
                    kLibc, loader.string()),
        "make the bundle on a newer system; it runs on this one"};
  return {};
}

bool matches(const std::vector<std::string>& globs, const std::string& variant) {
  return globs.empty() ||
         std::ranges::any_of(globs, [&](const std::string& glob) { return glob_matches(glob, variant); });
}

}  // namespace

Expected<BundleOutcome> make_bundle(const BundleRequest& request, const BundleObserver& observer) {
  if (bundle::bundle_at(request.root) != nullptr)
    return usage_error("a bundle packs no other one; expected a checkout",
                       "copy the file from which this one was unpacked");
  const fs::path build_dir = fs::absolute(request.build_dir).lexically_normal();
  const Expected<results::Build> build = measure::read_build(build_dir);
  if (!build) return build.error();
  if (const Expected<void> travels = check_travels(*build); !travels) return travels.error();
  const Runner runner = [](const ChildSpec& spec) { return run_child(spec); };
  const Expected<measure::Catalog> catalog = measure::load_catalog(build_dir, runner, {});
  if (!catalog) return catalog.error();
  BundleOutcome outcome;
  for (const results::Failure& failure : catalog->failures)
    if (matches(request.variants, failure.benchmark))
      return Error{fmt::format("{}: {}", failure.benchmark, failure.detail), kAgain};
  for (const std::string& variant : catalog->not_built)
    if (matches(request.variants, variant)) outcome.left_out.push_back(variant);
  std::vector<measure::Benchmark> head;
  std::set<std::string> variants;
  for (const measure::Benchmark& benchmark : catalog->benchmarks)
    if (matches(request.variants, measure::variant_of(benchmark.name))) {
      head.push_back(benchmark);
      variants.insert(measure::variant_of(benchmark.name));
    }
  if (head.empty())
    return usage_error(fmt::format("expected a variant that is built and matches '{}', found none",
                                   fmt::join(request.variants, "', '")),
                       "python3 make.py list");
  outcome.variants = variants.size();

  // A control is head in other layouts: the reference, or what choose_control takes in its place.
  std::vector<measure::Benchmark> control;
  for (const measure::Benchmark& benchmark : head)
    if (benchmark.reference) control.push_back(benchmark);
  for (const measure::ArmBenchmark& chosen : measure::choose_control(head)) control.push_back(chosen.benchmark);
  observer.on_progress("linking layouts", 0, 0);
  for (const auto& [benchmarks, first] : {std::pair(&head, 1), std::pair(&control, measure::kFirstOfControl)}) {
    std::vector<measure::Benchmark*> pointers;
    for (measure::Benchmark& benchmark : *benchmarks) pointers.push_back(&benchmark);
    const Expected<std::string> one_layout = measure::link_benchmarks(build_dir, pointers, first, runner);
    if (!one_layout) return one_layout.error();
    if (!one_layout->empty()) return Error{*one_layout, "python3 make.py build"};
  }

  std::vector<Source> sources{{build_dir / "lab", {"lab"}}};
  if (const auto added = add_build(sources, build_dir); !added) return added.error();
  Expected<Source> list = list_of_variants(build_dir, variants);
  if (!list) return list.error();
  sources.push_back(std::move(*list));
  const fs::path lib = lib_dir();
  const Expected<std::string> loader = add_libc(sources, lib);
  if (!loader) return loader.error();
  for (const char* package : kPackages)
    if (const auto added = add_package(sources, lib, package); !added) return added.error();
  const auto is_data = [](const fs::path& path) {
    return std::ranges::find(kNoData, path.extension().string()) == kNoData.end();
  };
  for (const char* folder : kData)
    if (const auto added = add_folder(sources, request.root / folder, folder, is_data); !added) return added.error();
  for (const char* file : kDataFiles) sources.push_back({request.root / file, {file}});
  std::ranges::sort(sources, {}, [](const Source& source) { return source.file.path; });
  add_variants(sources, build_dir, head, control);
  if (const auto read = read_sources(sources); !read) return read.error();

  const results::Source source = measure::read_source(request.root);
  bundle::Manifest manifest{
      bundle::kSchema, source.commit, source.state, measure::read_pins(request.root, request.groups),
      build->march,    kLibc,         *loader,      {}};
  std::map<std::string, const Source*> packed;
  for (const Source& one : sources) {
    manifest.files.push_back(one.file);
    packed[one.file.path] = &one;
    outcome.unpacked += one.file.size;
  }
  if (!source.commit)
    outcome.remark = "the checkout has no git: its results will name no commit";
  else if (source.state != "clean")
    outcome.remark = "the checkout has changes: its results will be of a dirty commit";
  outcome.files = manifest.files.size();
  const auto written = bundle::write_archive(
      request.file, [&](const std::string& path) { return packed.at(path)->read(); }, manifest,
      [&](std::uint64_t done, std::uint64_t all) { observer.on_progress("packing", done, all); });
  if (!written) return written.error();
  std::error_code unknown;
  outcome.packed = fs::file_size(request.file, unknown);
  return outcome;
}

}  // namespace lab::app
