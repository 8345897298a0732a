#include "harness/bundle/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/lock.h"
#include "harness/base/open_file.h"
#include "harness/base/parallel.h"
#include "harness/base/zstd.h"

namespace lab::bundle {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "\nallocation-laboratory bundle 1 ";
/// The mark, two numbers of 20 digits, a space and a line end.
constexpr std::size_t kLineSize = kMark.size() + 20 + 1 + 20 + 1;

/// Layouts of one executable are close to each other, and share most of their bytes.
constexpr int kLevel = 9, kWindowLog = 27;
/// A manifest of ten thousand files has two million bytes.
constexpr std::size_t kMostManifest = std::size_t{1} << 28;
constexpr std::size_t kPiece = std::size_t{1} << 20;

ZstdSettings settings() {
  // Any number of threads gives the same bytes, but none would give others.
  return {kLevel, kWindowLog, static_cast<int>(std::max<std::size_t>(1, all_cpus()))};
}

std::string last_line(const Parts& parts) {
  return fmt::format("{}{:020} {:020}\n", kMark, parts.manifest, parts.contents);
}

/// A new file that is removed unless keep() was called.
class NewFile {
 public:
  explicit NewFile(fs::path path)
      : path_(std::move(path)), file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755)) {
    if (file_.get() < 0) problem_ = errno;
  }
  ~NewFile() {
    if (!kept_ && file_.get() >= 0) ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Expected<void> write(std::string_view content) {
    if (problem_ == 0) problem_ = write_all(file_.get(), content);
    if (problem_ != 0) return file_error("writing", path_, problem_);
    size_ += content.size();
    return {};
  }
  std::uint64_t size() const { return size_; }
  /// Syncs it and gives it its name.
  Expected<void> keep(const fs::path& name) {
    if (::fsync(file_.get()) != 0) return file_error("writing", path_, errno);
    if (::rename(path_.c_str(), name.c_str()) != 0) return file_error("renaming", path_, errno);
    kept_ = true;
    return {};
  }

 private:
  fs::path path_;
  File file_;
  int problem_ = 0;
  bool kept_ = false;
  std::uint64_t size_ = 0;
};

/// Reads a part of a file as a stream.
ZstdReader::Source part_of(int file, std::uint64_t begin, std::uint64_t end, const fs::path& path) {
  return [file, at = begin, end, path](std::span<char> place) mutable -> Expected<std::size_t> {
    const std::size_t most = std::min<std::uint64_t>(place.size(), end - at);
    ssize_t got = 0;
    while ((got = ::pread(file, place.data(), most, static_cast<off_t>(at))) < 0 && errno == EINTR) {
    }
    if (got < 0) return file_error("reading", path, errno);
    at += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  };
}

Error damaged(const fs::path& archive, std::string_view what) {
  return Error{fmt::format("'{}' is damaged: {}", archive.string(), what), "copy it again from where it was made"};
}

/// Calls `take` with each file's content, in the order of the manifest.
Expected<void> for_contents(const fs::path& archive, const Parts& parts, const Manifest& manifest,
                            const std::function<Expected<void>(const BundledFile&, std::string_view)>& take) {
  const File file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error("opening", archive, errno);
  ZstdReader reader(part_of(file.get(), parts.contents, parts.end, archive));
  std::string content;
  for (const BundledFile& one : manifest.files) {
    if (!one.link.empty()) {
      if (const Expected<void> taken = take(one, ""); !taken) return taken.error();
      continue;
    }
    content.resize(one.size);
    const Expected<std::size_t> got = reader.read(content);
    if (!got) return in_context(fmt::format("'{}'", archive.string()), got.error());
    if (*got != one.size)
      return damaged(archive, fmt::format("'{}' ends after {} of {} bytes", one.path, *got, one.size));
    if (content_hash(content) != one.hash)
      return damaged(archive, fmt::format("the content of '{}' has another hash", one.path));
    if (const Expected<void> taken = take(one, content); !taken) return taken.error();
  }
  // The end of the frame, where its checksum is.
  std::array<char, 1> more;
  const Expected<std::size_t> got = reader.read(more);
  if (!got) return in_context(fmt::format("'{}'", archive.string()), got.error());
  if (*got != 0) return damaged(archive, "it has more contents than its manifest");
  return {};
}

Expected<void> write_one(const fs::path& folder, const BundledFile& one, std::string_view content) {
  const fs::path path = folder / one.path;
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  if (problem) return file_error("creating", path.parent_path(), problem.value());
  if (!one.link.empty()) {
    fs::create_symlink(one.link, path, problem);
    return problem ? file_error("linking", path, problem.value()) : Expected<void>();
  }
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, one.executable ? 0755 : 0644));
  const int code = file.get() < 0 ? errno : write_all(file.get(), content);
  return code == 0 ? Expected<void>() : file_error("writing", path, code);
}

/// Whether the bundle of `manifest` is in `folder`. An error if something else is there.
Expected<bool> is_there(const fs::path& folder, const Manifest& manifest) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(folder, unknown))) return false;
  if (fs::is_directory(folder, unknown) && fs::is_empty(folder, unknown)) return false;
  const Expected<std::string> text = read_file(folder / kManifestName);
  if (text && *text == to_text(manifest)) return true;
  return Error{fmt::format("expected a new folder or this bundle in '{}', found {}", folder.string(),
                           text ? "another bundle" : "something else"),
               "unpack it into another folder", ExitStatus::kUsage};
}

}  // namespace

Expected<void> write_archive(const fs::path& file, const Contents& contents, const Manifest& manifest,
                             const Progress& progress) {
  const Expected<std::string> launcher = contents(std::string(kLauncherName));
  if (!launcher) return launcher.error();
  std::uint64_t all = 0, done = 0;
  for (const BundledFile& one : manifest.files) all += one.size;
  NewFile output(fs::path(fmt::format("{}.{}.part", file.string(), ::getpid())));
  if (const Expected<void> put = output.write(*launcher); !put) return put.error();
  Parts parts;
  parts.manifest = output.size();
  if (const Expected<void> put = output.write(zstd_compress(to_text(manifest), settings())); !put) return put.error();
  parts.contents = output.size();
  ZstdWriter writer([&](std::string_view piece) { return output.write(piece); }, settings());
  for (const BundledFile& one : manifest.files) {
    if (!one.link.empty()) continue;
    const Expected<std::string> content = contents(one.path);
    if (!content) return content.error();
    if (content_hash(*content) != one.hash)
      return Error{fmt::format("'{}' changed while the bundle was made", one.path), "make it again"};
    for (std::size_t at = 0; at < content->size(); at += kPiece) {
      const std::string_view piece = std::string_view(*content).substr(at, kPiece);
      if (const Expected<void> put = writer.write(piece); !put) return put.error();
      done += piece.size();
      progress(done, all);
    }
  }
  if (const Expected<void> put = writer.finish(); !put) return put.error();
  if (const Expected<void> put = output.write(last_line(parts)); !put) return put.error();
  return output.keep(file);
}

Expected<std::optional<Parts>> find_parts(const fs::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error("opening", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return file_error("reading", path, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kLineSize) return std::optional<Parts>();
  std::string line(kLineSize, '\0');
  const ssize_t got = ::pread(file.get(), line.data(), line.size(), static_cast<off_t>(size - kLineSize));
  if (got != static_cast<ssize_t>(kLineSize)) return std::optional<Parts>();
  unsigned long long manifest = 0, contents = 0;
  if (!line.starts_with(kMark) || std::sscanf(line.c_str() + kMark.size(), "%20llu %20llu", &manifest, &contents) != 2)
    return std::optional<Parts>();
  const Parts parts{manifest, contents, size - kLineSize};
  if (last_line(parts) != line || parts.manifest > parts.contents || parts.contents > parts.end)
    return std::optional<Parts>();
  return std::optional<Parts>(parts);
}

Expected<Manifest> read_manifest_of(const fs::path& archive, const Parts& parts) {
  const File file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error("opening", archive, errno);
  std::string frame(parts.contents - parts.manifest, '\0');
  const ssize_t got = ::pread(file.get(), frame.data(), frame.size(), static_cast<off_t>(parts.manifest));
  if (got != static_cast<ssize_t>(frame.size())) return file_error("reading", archive, got < 0 ? errno : EIO);
  const Expected<std::string> text = zstd_decompress(frame, kMostManifest);
  if (!text) return in_context(fmt::format("the manifest of '{}'", archive.string()), text.error());
  return parse_manifest(*text, fmt::format("the manifest of '{}'", archive.string()));
}

Expected<void> verify_archive(const fs::path& archive, const Parts& parts, const Manifest& manifest) {
  // Its own program is the first part of the file, and one of the contents.
  const File file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error("opening", archive, errno);
  std::string program(parts.manifest, '\0');
  if (::pread(file.get(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
    return file_error("reading", archive, EIO);
  const auto own = std::ranges::find(manifest.files, kLauncherName, &BundledFile::path);
  if (own == manifest.files.end() || content_hash(program) != own->hash)
    return damaged(archive, "its first part is not the program that its manifest names");
  return for_contents(archive, parts, manifest, [](const BundledFile&, std::string_view) { return Expected<void>(); });
}

Expected<void> unpack(const fs::path& archive, const Parts& parts, const Manifest& manifest, const fs::path& given) {
  std::error_code problem;
  fs::path folder = fs::absolute(given, problem).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const auto beside = [&](std::string_view suffix) {
    return folder.parent_path() / fmt::format(".{}.{}", folder.filename().string(), suffix);
  };
  if (const Expected<bool> there = is_there(folder, manifest); !there || *there)
    return there ? Expected<void>() : there.error();
  const Expected<File> lock = lock_file(beside("lock"), LockKind::kExclusive);
  if (!lock) return lock.error();
  // Another process may have unpacked it while this one waited.
  if (const Expected<bool> there = is_there(folder, manifest); !there || *there)
    return there ? Expected<void>() : there.error();

  const fs::path part = beside("part");
  const auto remove_part = [&] { fs::remove_all(part, problem); };
  remove_part();
  Expected<void> done = for_contents(archive, parts, manifest, [&](const BundledFile& one, std::string_view content) {
    return write_one(part, one, content);
  });
  if (done) done = write_one(part, {std::string(kManifestName), 0, "", false, "", ""}, to_text(manifest));
  if (done) {
    const File opened(::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.get() < 0 || ::syncfs(opened.get()) != 0) done = file_error("writing", part, errno);
  }
  if (done) {
    fs::remove(folder, problem);  // an empty one
    fs::rename(part, folder, problem);
    if (problem) done = file_error("renaming", part, problem.value());
  }
  if (!done) remove_part();
  return done;
}

}  // namespace lab::bundle
