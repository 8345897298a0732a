#include "harness/measure/malloc_library.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/printable.h"
#include "harness/base/usage_error.h"
#include "harness/bench/preload.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

/// Digits of the hash in a name.
constexpr std::size_t kNameDigits = 8;

/// Most characters of a file's name in a variant's name.
constexpr std::size_t kMostName = 60;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
constexpr const char* kMachineName = "x86-64";
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
constexpr const char* kMachineName = "AArch64";
#else
#error "the machine of this build has no name here"
#endif

constexpr const char* kHint = "the path of a .so file, linked with -shared";

std::string machine_name(Elf64_Half machine) {
  static const std::map<Elf64_Half, std::string> kNames{{EM_386, "i386"},     {EM_X86_64, "x86-64"},
                                                        {EM_ARM, "ARM"},      {EM_AARCH64, "AArch64"},
                                                        {EM_RISCV, "RISC-V"}, {EM_PPC64, "PowerPC"}};
  const auto found = kNames.find(machine);
  return found == kNames.end() ? fmt::format("machine {}", machine) : found->second;
}

/// The file's bytes as a T; none beyond its end.
template <typename T>
std::optional<T> at(std::string_view content, std::uint64_t offset) {
  if (offset > content.size() || content.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, content.data() + offset, sizeof value);
  return value;
}

/// What a file is that does not begin like ELF.
std::string kind_of(std::string_view content) {
  if (content.empty()) return "an empty file";
  if (content.starts_with("!<arch>\n")) return "a static library";
  const std::string_view line = content.substr(0, std::min(content.find('\n'), std::size_t{40}));
  const bool text =
      std::ranges::all_of(line, [](char c) { return std::isprint(static_cast<unsigned char>(c)) || c == '\t'; });
  return text ? fmt::format("a text file that begins '{}'", line) : "a file of another format";
}

/// A position-independent executable has the type of a shared library, and says what it is in its dynamic section.
bool is_executable(std::string_view content, const Elf64_Ehdr& header) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(content, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!part || part->p_type != PT_DYNAMIC) continue;
    for (std::uint64_t offset = 0; offset < part->p_filesz; offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(content, part->p_offset + offset);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE) != 0) return true;
    }
  }
  return false;
}

/// Why the loader cannot preload the file, as "expected ..., found ...", or nothing.
Expected<void> check_format(std::string_view content) {
  if (!content.starts_with(ELFMAG))
    return usage_error(fmt::format("expected a shared library, found {}", kind_of(content)), kHint);
  const auto header = at<Elf64_Ehdr>(content, 0);
  if (!header)
    return usage_error(fmt::format("expected a shared library, found its first {} bytes", content.size()), kHint);
  const unsigned char width = header->e_ident[EI_CLASS];
  // The two classes have e_type and e_machine in the same place.
  if (width != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != kMachine)
    return usage_error(
        fmt::format("expected a 64-bit library for {}, found {} {}", kMachineName,
                    width == ELFCLASS32 ? "a 32-bit file for" : "a file for", machine_name(header->e_machine)),
        fmt::format("build it for {}", kMachineName));
  if (header->e_type == ET_REL) return usage_error("expected a shared library, found an object file", kHint);
  if (header->e_type != ET_DYN || is_executable(content, *header))
    return usage_error("expected a shared library, found an executable", kHint);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(content, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!part)
      return usage_error("expected a shared library, found a part of one: its table of segments is cut off", "");
    if (part->p_type == PT_LOAD) end = std::max(end, part->p_offset + part->p_filesz);
  }
  if (end > content.size())
    return usage_error(
        fmt::format("expected a shared library of at least {} bytes, found the first {}", end, content.size()),
        "copy or link it again");
  return {};
}

/// The functions that the library defines for others, by the section of dynamic symbols; none if it has no sections.
std::optional<std::set<std::string>> defined_functions(std::string_view content) {
  const auto header = at<Elf64_Ehdr>(content, 0);
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(content, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto names = at<Elf64_Shdr>(content, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (!names) return std::nullopt;
    std::set<std::string> defined;
    for (std::uint64_t offset = 0; offset < section->sh_size; offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(content, section->sh_offset + offset);
      if (!symbol) return std::nullopt;
      const auto type = ELF64_ST_TYPE(symbol->st_info);
      const auto seen = ELF64_ST_VISIBILITY(symbol->st_other);
      const std::uint64_t name = names->sh_offset + symbol->st_name;
      if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC) || name >= content.size() ||
          (seen != STV_DEFAULT && seen != STV_PROTECTED))
        continue;
      const std::string_view rest = content.substr(name);
      defined.emplace(rest.substr(0, rest.find('\0')));
    }
    return defined;
  }
  return std::nullopt;
}

std::string quoted(const fs::path& file) {
  return printable(fmt::format("'{}'", file.string()));
}

Expected<FileStamp> stamp_of(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return file_error("reading", file, errno);
  if (!S_ISREG(facts.st_mode))
    return usage_error(fmt::format("{}: expected a shared library, found {}", quoted(file),
                                   S_ISDIR(facts.st_mode) ? "a folder" : "a device or a pipe"),
                       kHint);
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_nsec};
  };
  return FileStamp{facts.st_dev, facts.st_ino, facts.st_size,
                   std::max(nanoseconds(facts.st_mtim), nanoseconds(facts.st_ctim))};
}

std::string variant_name(const fs::path& file, const std::string& hash) {
  std::string name = file.filename().string().substr(0, kMostName);
  for (char& c : name)
    if (static_cast<unsigned char>(c) >= 0x80 ||
        (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-'))
      c = '_';
  return fmt::format("{}@{}", name, hash.substr(0, kNameDigits));
}

/// The loader splits LD_PRELOAD at spaces and colons, and expands what follows a '$'.
bool fits_preload(const fs::path& file) {
  return file.string().find_first_of(" :$") == std::string::npos;
}

}  // namespace

Expected<std::shared_ptr<const MallocLibrary>> MallocLibrary::read(const fs::path& file) {
  // Before the content: a change in between is then seen as one.
  const Expected<FileStamp> stamp = stamp_of(file);
  if (!stamp) return stamp.error();
  const Expected<std::string> content = read_file(file);
  if (!content) return content.error();
  if (const Expected<void> checked = check_format(*content); !checked) return in_context(quoted(file), checked.error());
  std::shared_ptr<MallocLibrary> library(new MallocLibrary);
  library->file_ = fs::absolute(file).lexically_normal();
  library->hash_ = content_name(*content);
  library->stamp_ = *stamp;
  library->name_ = variant_name(library->file_, library->hash_);
  if (const auto defined = defined_functions(*content))
    for (const char* const function : bench::kMallocFunctions)
      if (!defined->contains(function)) library->missing_.emplace_back(function);
  library->preloaded_ = library->file_;
  if (fits_preload(library->file_)) return library;
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return folder.error();
  library->link_ = std::make_shared<TemporaryFolder>(std::move(*folder));
  library->preloaded_ = library->link_->path() / library->name_;
  std::error_code failed;
  fs::create_symlink(library->file_, library->preloaded_, failed);
  if (failed) return file_error("creating", library->preloaded_, failed.value());
  return library;
}

std::string MallocLibrary::why_no_malloc() const {
  if (missing_.empty()) return "";
  const bool none = missing_.size() == bench::kMallocFunctions.size();
  return fmt::format("expected a library that defines {}; found {}: {}", fmt::join(bench::kMallocFunctions, ", "),
                     none ? std::string("none of them") : fmt::format("no {}", fmt::join(missing_, ", ")),
                     none ? "it replaces no malloc; are its functions extern \"C\" and visible?"
                          : "free would get blocks of another malloc");
}

std::vector<std::string> MallocLibrary::environment() const {
  return {"LD_PRELOAD=" + preloaded_.string(), fmt::format("{}={}", bench::kPreloadedAs, name_)};
}

std::string MallocLibrary::change() const {
  const Expected<FileStamp> stamp = stamp_of(file_);
  if (stamp && *stamp == stamp_) return "";
  const Expected<std::string> content = stamp ? read_file(file_) : Expected<std::string>(stamp.error());
  if (content && content_name(*content) == hash_) return "";
  return fmt::format(
      "{} changed while it was measured: expected content {}, found {}; build it to another file, or "
      "wait for the end",
      quoted(file_), hash_.substr(0, kNameDigits),
      content ? content_name(*content).substr(0, kNameDigits) : "no file that can be read");
}

std::string MallocLibrary::hash_with(const std::string& executable) const {
  return content_name(executable + " " + hash_);
}

Expected<MallocLibraries> read_malloc_libraries(const std::string& option, const std::vector<fs::path>& files) {
  MallocLibraries libraries;
  for (const fs::path& file : files) {
    const auto library = MallocLibrary::read(file);
    if (!library) return in_context(option, library.error());
    for (const auto& other : libraries)
      if (other->name() == (*library)->name())
        return usage_error(fmt::format("{}: expected different libraries, found {} twice", option, other->name()),
                           "name each library once");
    libraries.push_back(*library);
  }
  return libraries;
}

}  // namespace lab::measure
