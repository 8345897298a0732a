#include "harness/results/exhibit_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/open_file.h"
#include "harness/base/zstd.h"

namespace lab::results {

namespace {

constexpr std::size_t kBlock = 512;

/// A header of POSIX's ustar.
struct Header {
  std::array<char, 100> name;
  std::array<char, 8> mode, uid, gid;
  std::array<char, 12> size, mtime;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 6> magic;
  std::array<char, 2> version;
  std::array<char, 32> user, group;
  std::array<char, 8> major, minor;
  std::array<char, 155> prefix;
  std::array<char, 12> unused;
};
static_assert(sizeof(Header) == kBlock);

constexpr std::string_view kMagic{
    "ustar\0"
    "00",
    8};

std::size_t padding(std::size_t size) {
  return (kBlock - size % kBlock) % kBlock;
}

template <std::size_t N>
void put_octal(std::array<char, N>& field, std::uint64_t value) {
  fmt::format_to_n(field.data(), N - 1, "{:0{}o}", value, N - 1);
}

template <std::size_t N>
std::optional<std::uint64_t> octal(const std::array<char, N>& field) {
  const char* first = std::find_if_not(field.data(), field.data() + N, [](char c) { return c == ' '; });
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(first, field.data() + N, value, 8);
  return problem == std::errc() ? std::optional(value) : std::nullopt;
}

template <std::size_t N>
std::string text(const std::array<char, N>& field) {
  return {field.data(), ::strnlen(field.data(), N)};
}

/// The sum of all bytes, with the checksum's own as blanks.
std::uint64_t sum_of(Header header) {
  header.checksum.fill(' ');
  std::array<unsigned char, kBlock> bytes;
  std::memcpy(bytes.data(), &header, kBlock);
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

/// Splits at a slash, so that a long path fits. False if it does not.
bool put_name(const std::string& path, Header& header) {
  if (path.size() <= header.name.size()) return path.copy(header.name.data(), path.size()) == path.size();
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (slash <= header.prefix.size() && path.size() - slash - 1 <= header.name.size()) {
      path.copy(header.prefix.data(), slash);
      path.copy(header.name.data(), header.name.size(), slash + 1);
      return true;
    }
  return false;
}

/// "<folder>/<file>" and nothing else, as an exhibit's file is named.
bool is_exhibit_name(std::string_view name) {
  const std::filesystem::path path(name);
  return path.is_relative() && path.lexically_normal() == path && *path.begin() != ".." && path.has_parent_path() &&
         path.has_filename();
}

class ArchiveReader {
 public:
  explicit ArchiveReader(ZstdReader& from) : from_(from) {}

  /// The next header; none at the end of the archive.
  Expected<std::optional<Header>> next() {
    Header header;
    const Expected<std::size_t> got = from_.read({reinterpret_cast<char*>(&header), kBlock});
    if (!got) return got.error();
    if (*got == 0 || (*got == kBlock && header.name[0] == '\0')) return std::optional<Header>();
    if (*got < kBlock) return broken("ends within a header");
    if (octal(header.checksum) != sum_of(header)) return broken("has a header with another checksum");
    return std::optional(header);
  }

  /// The file's content; what is no more than padding is read, too.
  Expected<std::string> content(std::size_t size) {
    std::string content(size + padding(size), '\0');
    const Expected<std::size_t> got = from_.read(content);
    if (!got) return got.error();
    if (*got < content.size()) return broken("ends within a file");
    content.resize(size);
    return content;
  }

  Expected<void> skip(std::uint64_t size) {
    std::array<char, 1 << 16> place;
    for (std::uint64_t left = size + padding(size); left > 0;) {
      const std::size_t step = std::min<std::uint64_t>(left, place.size());
      const Expected<std::size_t> got = from_.read({place.data(), step});
      if (!got) return got.error();
      if (*got < step) return broken("ends within a file");
      left -= step;
    }
    return {};
  }

  static Error broken(std::string_view how) {
    return Error{fmt::format("the archive {}", how), "remove it: the report is made without these files",
                 ExitStatus::kUsage};
  }

 private:
  ZstdReader& from_;
};

}  // namespace

Expected<std::string> exhibit_archive(const ExhibitFiles& files) {
  std::string archive;
  ZstdWriter writer(
      [&archive](std::string_view bytes) -> Expected<void> {
        archive += bytes;
        return {};
      },
      {});
  const auto write = [&writer](std::string_view bytes) { static_cast<void>(writer.write(bytes)); };
  for (const auto& [name, content] : files) {
    Header header{};
    if (!is_exhibit_name(name) || !put_name(name, header))
      return Error{fmt::format("'{}' fits into no archive: expected a name of at most 100 bytes in a folder", name),
                   ""};
    put_octal(header.mode, 0644);
    put_octal(header.uid, 0);
    put_octal(header.gid, 0);
    put_octal(header.size, content.size());
    put_octal(header.mtime, 0);
    header.type = '0';
    kMagic.copy(header.magic.data(), header.magic.size());
    header.version.fill('0');
    fmt::format_to_n(header.checksum.data(), 7, "{:06o}", sum_of(header));
    header.checksum[7] = ' ';
    write({reinterpret_cast<const char*>(&header), kBlock});
    write(content);
    write(std::string(padding(content.size()), '\0'));
  }
  write(std::string(2 * kBlock, '\0'));
  static_cast<void>(writer.finish());
  return archive;
}

Expected<ExhibitFiles> read_exhibit_archive(const std::filesystem::path& path,
                                            const std::function<bool(std::string_view)>& wanted) {
  const auto about = [&path](const Error& error) {
    return in_context(fmt::format("reading '{}'", path.string()), error);
  };
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    Error error = file_error("opening", path, errno);
    error.status = ExitStatus::kUsage;
    return error;
  }
  ZstdReader zstd([&](std::span<char> place) -> Expected<std::size_t> {
    ssize_t got = -1;
    do got = ::read(file.get(), place.data(), place.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return Error{std::strerror(errno), "", ExitStatus::kUsage};
    return static_cast<std::size_t>(got);
  });
  ArchiveReader reader(zstd);
  ExhibitFiles files;
  for (;;) {
    const Expected<std::optional<Header>> header = reader.next();
    if (!header) return about(header.error());
    if (!*header) return files;
    const std::optional<std::uint64_t> size = octal((*header)->size);
    const std::string prefix = text((*header)->prefix);
    const std::string name = (prefix.empty() ? "" : prefix + "/") + text((*header)->name);
    const char type = (*header)->type;
    if (type == '5') continue;  // a folder, as tar adds it
    if ((type != '0' && type != '\0') || !size || !is_exhibit_name(name))
      return about(ArchiveReader::broken(fmt::format("has '{}', which is no file of an exhibit", name)));
    if (*size > kMostExhibitBytes || !wanted(name)) {
      if (const Expected<void> skipped = reader.skip(*size); !skipped) return about(skipped.error());
      continue;
    }
    Expected<std::string> content = reader.content(*size);
    if (!content) return about(content.error());
    files[name] = std::move(*content);
  }
}

}  // namespace lab::results
