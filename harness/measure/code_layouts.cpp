#include "harness/measure/code_layouts.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/base/layout.h"
#include "harness/base/lock.h"
#include "harness/base/random.h"
#include "harness/bundle/manifest.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

/// Builds of an executable whose layouts are kept: this one, and one that another session may still run.
constexpr std::size_t kKeptBuilds = 2;

/// The first function begins anywhere in a page, in steps of the alignment of functions.
constexpr std::uint64_t kAlignment = 16, kPage = 4096;
/// One function in kGapEvery is followed by a gap of up to kMostGap steps: three quarters of a cache line.
constexpr std::uint64_t kGapEvery = 4, kMostGap = 3;
/// Data is shifted by up to a page, in cache lines.
constexpr std::uint64_t kLine = 64;

constexpr double kLinkSeconds = 120;

/// Random numbers for `name` in layout `number`.
Random random_of(int number, std::string_view name) {
  return Random(Random(static_cast<std::uint64_t>(number)).next() ^ seed_of(name));
}

/// `names` in the random order of layout `number`.
std::vector<std::string> shuffled(int number, std::vector<std::string> names) {
  std::vector<std::pair<std::uint64_t, std::string>> keyed;
  for (std::string& name : names) keyed.emplace_back(random_of(number, name).next(), std::move(name));
  std::ranges::sort(keyed);
  names.clear();
  for (auto& [key, name] : keyed) names.push_back(std::move(name));
  return names;
}

fs::path command_file(const fs::path& executable) {
  return executable.string() + ".link";
}

/// A struct of the ELF file at `offset`; none if it does not lie inside.
template <typename T>
std::optional<T> at(std::string_view content, std::uint64_t offset) {
  if (offset > content.size() || content.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, content.data() + offset, sizeof value);
  return value;
}

/// The bytes of a section; none if they do not lie inside.
std::optional<std::string_view> bytes_of(std::string_view content, const Elf64_Shdr& section) {
  if (section.sh_offset > content.size() || content.size() - section.sh_offset < section.sh_size) return std::nullopt;
  return content.substr(section.sh_offset, section.sh_size);
}

/// The objects of a link that are newer than its executable: then the two are not of one build.
std::string newer_object(const fs::path& build_dir, const fs::path& executable,
                         const std::vector<std::string>& command) {
  std::error_code unknown;
  const fs::file_time_type linked = fs::last_write_time(executable, unknown);
  for (const std::string& argument : command)
    if (argument.ends_with(".o") || argument.ends_with(".a")) {
      const fs::file_time_type compiled = fs::last_write_time(build_dir / argument, unknown);
      if (unknown || compiled > linked) return argument;
    }
  return "";
}

/// Writes a file that the linker reads at once, and that need not be on the disk.
Expected<void> write_scratch(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  return file ? Expected<void>{} : file_error("writing", path, errno);
}

/// Links layout `number` in `folder`. A file of the layout's name is complete.
Expected<void> link_layout(const fs::path& build_dir, const fs::path& folder, int number,
                           const std::vector<std::string>& functions, const std::vector<std::string>& command,
                           const Runner& run) {
  const LayoutPlan plan = plan_layout(number, functions);
  const auto part = [&](std::string_view suffix) { return folder / fmt::format("{}.{}", number, suffix); };
  const fs::path order = part("order"), gaps = part("o"), output = part("part");
  if (plan.gaps.size() > kMostFillers)
    return Error{fmt::format("expected at most {} gaps, found {}", kMostFillers, plan.gaps.size()), "",
                 ExitStatus::kFailed};
  for (const auto& [file, content] : {std::pair(order, plan.order), std::pair(gaps, filler_object(plan.gaps))})
    if (const Expected<void> written = write_scratch(file, content); !written) return written.error();
  ChildSpec spec;
  spec.command = {"sh", "-c", R"(cd "$0" && exec "$@")", build_dir.string()};
  std::ranges::move(layout_command(number, command, order, gaps, output), std::back_inserter(spec.command));
  spec.timeout_seconds = kLinkSeconds;
  const ChildOutcome outcome = run(spec);
  std::error_code problem;
  fs::remove(order, problem);
  fs::remove(gaps, problem);
  if (outcome.end == ChildEnd::kStopped) return interrupted_error();
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
    fs::remove(output, problem);
    const std::string said = boost::trim_copy(outcome.error_tail);
    return Error{fmt::format("linking a layout: {}{}{}", describe_end(spec, outcome), said.empty() ? "" : ": ",
                             said.substr(said.rfind('\n') + 1)),
                 "python3 make.py build", ExitStatus::kFailed};
  }
  fs::rename(output, folder / fmt::format("{}", number), problem);
  if (problem) return file_error("renaming", output, problem.value());
  return {};
}

/// The hash of a file's content, and which file it was.
struct KnownHash {
  std::string name;
  std::uintmax_t size = 0;
  std::int64_t written = 0;  ///< time of the last write, in ticks of the file clock
  std::string hash;
};
LAB_JSON_STRUCT(KnownHash, name, size, written, hash)

/// Hashes of files, kept in a file. A session would compute more than a gigabyte of them, each time.
class KnownHashes {
 public:
  /// A file that is missing or damaged is an empty one: hashes can be computed again.
  explicit KnownHashes(fs::path file) : file_(std::move(file)) {
    const Expected<std::string> text = read_file(file_);
    if (!text) return;
    const Expected<json::value> value = parse_json(*text, "hashes");
    if (!value) return;
    if (Expected<std::vector<KnownHash>> known = from_json<std::vector<KnownHash>>(*value)) known_ = std::move(*known);
  }

  /// content_name of `path`; computed if the file is not known in this size and with this time.
  Expected<std::string> of(const fs::path& path) {
    std::error_code problem;
    KnownHash now{path.filename().string(), fs::file_size(path, problem), 0, ""};
    if (!problem) now.written = fs::last_write_time(path, problem).time_since_epoch().count();
    if (problem) return file_error("reading", path, problem.value());
    const auto known = std::ranges::find(known_, now.name, &KnownHash::name);
    if (known != known_.end() && known->size == now.size && known->written == now.written) return known->hash;
    const Expected<std::string> content = read_file(path);
    if (!content) return content.error();
    now.hash = content_name(*content);
    if (known == known_.end())
      known_.push_back(now);
    else
      *known = now;
    changed_ = true;
    return now.hash;
  }

  Expected<void> keep() const {
    return changed_ ? write_file(file_, json::serialize(to_json(known_)) + "\n") : Expected<void>{};
  }

 private:
  fs::path file_;
  std::vector<KnownHash> known_;
  bool changed_ = false;
};

/// What a layout's link is made of, for a small example: it changes when equal objects would give other layouts.
std::string scheme() {
  const LayoutPlan plan = plan_layout(1, {"a", "b", "c", "d", "e", "f", "g", "h"});
  return fmt::format("{}{}{}", plan.order, filler_object(plan.gaps),
                     fmt::join(layout_command(1, {"c++", "a.o", "b.o", "-o", "a"}, "order", "gaps", "layout"), "\n"));
}

/// The checkout, or bundle, that has this build folder.
fs::path root_of(const fs::path& build_dir) {
  return fs::absolute(build_dir).lexically_normal().parent_path().parent_path();
}

/// The layouts that a bundle brought, with the hashes that its manifest gives. Its launcher compared their contents.
Expected<std::vector<CodeLayout>> layouts_of(const bundle::Manifest& bundled, const fs::path& build_dir,
                                             const fs::path& executable, int first) {
  std::vector<CodeLayout> layouts;
  const fs::path root = root_of(build_dir), build = fs::absolute(build_dir).lexically_normal();
  for (int number = first; number < first + kLayouts; ++number) {
    const fs::path path = build / bundled_layout(executable.lexically_relative(build_dir), number);
    const std::string inside = path.lexically_relative(root).string();
    const auto found = std::ranges::find(bundled.files, inside, &bundle::BundledFile::path);
    if (found == bundled.files.end())
      return Error{fmt::format("the bundle has no layout {} of it", number), "", ExitStatus::kFailed};
    layouts.push_back({number, path, found->name});
  }
  return layouts;
}

/// Removes the layouts of older builds of one executable.
void prune(const fs::path& folder, const fs::path& kept) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> builds;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored) && entry.path() != kept)
      builds.emplace_back(entry.last_write_time(ignored), entry.path());
  std::ranges::sort(builds, std::greater<>());
  for (std::size_t i = kKeptBuilds - 1; i < builds.size(); ++i) fs::remove_all(builds[i].second, ignored);
}

}  // namespace

bool can_link_layouts(const fs::path& build_dir, const fs::path& executable) {
  std::error_code unknown;
  return bundle::bundle_at(root_of(build_dir)) != nullptr || fs::exists(command_file(executable), unknown);
}

fs::path bundled_layout(const fs::path& executable, int number) {
  return "layouts" / executable / fmt::format("{}", number);
}

Expected<std::vector<CodeLayout>> link_layouts(const fs::path& build_dir, const fs::path& executable, int first,
                                               const Runner& run) {
  const auto context = [&](const Error& error) { return in_context(executable.filename().string(), error); };
  if (const bundle::Manifest* const bundled = bundle::bundle_at(root_of(build_dir))) {
    Expected<std::vector<CodeLayout>> brought = layouts_of(*bundled, build_dir, executable, first);
    return brought ? brought : context(brought.error());
  }
  const Expected<std::string> kept = read_file(command_file(executable));
  if (!kept) return kept.error();
  std::vector<std::string> command;
  boost::split(command, boost::trim_right_copy(*kept), boost::is_any_of("\n"));

  const fs::path all = place_in_build(build_dir, "layouts") / executable.lexically_relative(build_dir);
  const Expected<File> lock = lock_file(all / "lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  KnownHashes builds(all / "hashes.json");
  const Expected<std::string> built = builds.of(executable);
  if (!built) return built.error();
  const fs::path folder = all / content_name(fmt::format("{}\n{}", scheme(), *built));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return file_error("creating", folder, problem.value());
  fs::last_write_time(folder, fs::file_time_type::clock::now(), problem);

  std::vector<CodeLayout> layouts;
  std::optional<std::vector<std::string>> functions;
  for (int number = first; number < first + kLayouts; ++number) {
    layouts.push_back({number, folder / fmt::format("{}", number)});
    if (fs::exists(layouts.back().executable, problem)) continue;
    if (!functions) {
      const Expected<std::string> content = read_file(executable);
      if (!content) return content.error();
      if (const std::string newer = newer_object(build_dir, executable, command); !newer.empty())
        return context(Error{fmt::format("expected objects that are older than the executable, '{}' is newer", newer),
                             "python3 make.py build", ExitStatus::kFailed});
      Expected<std::vector<std::string>> found = function_names(*content);
      if (!found) return context(found.error());
      functions = std::move(*found);
    }
    const Expected<void> linked = link_layout(build_dir, folder, number, *functions, command, run);
    if (!linked) return context(linked.error());
  }
  KnownHashes links(folder / "hashes.json");
  for (CodeLayout& layout : layouts) {
    Expected<std::string> hash = links.of(layout.executable);
    if (!hash) return context(hash.error());
    layout.hash = std::move(*hash);
  }
  for (const KnownHashes* hashes : {&builds, &links})
    if (const Expected<void> written = hashes->keep(); !written) return context(written.error());
  prune(all, folder);
  return layouts;
}

Expected<std::vector<std::string>> function_names(std::string_view content) {
  const auto damaged = [](std::string_view what) {
    return Error{fmt::format("expected an ELF executable of x86-64 with symbols, found {}", what), "",
                 ExitStatus::kUsage};
  };
  const auto header = at<Elf64_Ehdr>(content, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_shentsize != sizeof(Elf64_Shdr))
    return damaged("another file");
  const auto section = [&](std::uint64_t index) -> std::optional<Elf64_Shdr> {
    if (index >= header->e_shnum || header->e_shoff > content.size()) return std::nullopt;
    return at<Elf64_Shdr>(content, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table) return damaged("one with sections beyond its end");
    if (table->sh_type != SHT_SYMTAB) continue;
    const auto texts = section(table->sh_link);
    const auto symbols = bytes_of(content, *table);
    const auto strings = texts ? bytes_of(content, *texts) : std::nullopt;
    if (!symbols || !strings) return damaged("one with symbols beyond its end");
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= symbols->size(); offset += sizeof(Elf64_Sym)) {
      const Elf64_Sym symbol = *at<Elf64_Sym>(*symbols, offset);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= strings->size()) return damaged("one with names beyond its end");
      const std::string_view rest = strings->substr(symbol.st_name);
      names.emplace_back(rest.substr(0, rest.find('\0')));
    }
  }
  if (names.empty()) return damaged("one without");
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

LayoutPlan plan_layout(int number, const std::vector<std::string>& functions) {
  Random shifts = random_of(number, "shifts");
  std::vector<std::uint64_t> gaps{kAlignment * shifts.below(kPage / kAlignment)};
  LayoutPlan plan;
  const auto name_of = [](std::size_t gap) { return fmt::format("lab_gap_{}", gap); };
  plan.order = fmt::format(".text.{}\n", name_of(0));
  for (const std::string& function : shuffled(number, functions)) {
    plan.order += fmt::format(".text.{}\n", function);
    Random random = random_of(number, function + ":gap");
    if (random.below(kGapEvery) != 0) continue;
    plan.order += fmt::format(".text.{}\n", name_of(gaps.size()));
    gaps.push_back(kAlignment * random.between(1, kMostGap));
  }
  for (std::size_t gap = 0; gap < gaps.size(); ++gap)
    plan.gaps.push_back({fmt::format(".text.{}", name_of(gap)), name_of(gap), gaps[gap]});
  for (const char* data : {"rodata", "data", "bss"})
    plan.gaps.push_back({fmt::format(".{}.lab_shift", data), fmt::format("lab_shift_{}", data),
                         kLine * shifts.between(1, kPage / kLine)});
  return plan;
}

std::vector<std::string> layout_command(int number, std::vector<std::string> link_command, const fs::path& order,
                                        const fs::path& gaps, const fs::path& output) {
  const auto is_object = [](const std::string& argument) { return argument.ends_with(".o"); };
  std::vector<std::string> objects;
  std::ranges::copy_if(link_command, std::back_inserter(objects), is_object);
  // The file's path differs between checkouts, so it has another name where the order is drawn.
  constexpr const char* kGaps = "gaps";
  objects.emplace_back(kGaps);
  objects = shuffled(number, std::move(objects));
  std::ranges::replace(objects, std::string(kGaps), gaps.string());

  std::vector<std::string> command;
  for (std::size_t i = 0; i < link_command.size(); ++i) {
    if (is_object(link_command[i])) {
      std::ranges::move(objects, std::back_inserter(command));
      objects.clear();
    } else if (link_command[i] == "-o" && i + 1 < link_command.size()) {
      command.insert(command.end(), {"-o", output.string()});
      ++i;
    } else {
      command.push_back(link_command[i]);
    }
  }
  // Without LTO the compiler's plugin would look at each object for nothing.
  command.insert(command.end(), {"-fno-lto", "-fuse-ld=gold", "-Wl,--strip-all", "-Wl,--gc-sections",
                                 "-Wl,-u,lab_gap_0", "-Wl,--section-ordering-file," + order.string()});
  return command;
}

}  // namespace lab::measure
