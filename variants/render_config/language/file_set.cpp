#include "variants/render_config/language/file_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/base/open_file.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostBytes = 1'000'000;

Error cannot_read(std::string why) {
  return {std::move(why), "", ExitStatus::kUsage};
}

FileStamp stamp_in(const struct stat& found) {
  return {found.st_ino, static_cast<std::uint64_t>(found.st_size),
          std::int64_t{found.st_ctim.tv_sec} * 1'000'000'000 + found.st_ctim.tv_nsec};
}

/// The contents, and the stamp that the file had before they were read.
Expected<std::string> contents_of(const std::filesystem::path& file, FileStamp& stamp) {
  // Not blocking: a pipe that nobody writes would stop the renderer.
  const lab::File opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (opened.get() < 0 || ::fstat(opened.get(), &found) != 0) return cannot_read(std::strerror(errno));
  stamp = stamp_in(found);
  if (!S_ISREG(found.st_mode)) return cannot_read("not a regular file");
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(opened.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(std::strerror(errno));
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostBytes) return cannot_read(fmt::format("larger than {} bytes", kMostBytes));
  }
}

}  // namespace

FileStamp stamp_of(const std::filesystem::path& file) {
  struct stat found {};
  return ::stat(file.c_str(), &found) == 0 ? stamp_in(found) : FileStamp{};
}

Expected<std::string> FileSet::read(const std::filesystem::path& file) {
  auto found = files_.find(file);
  if (found == files_.end()) {
    File read;
    Expected<std::string> text = contents_of(file, read.stamp);
    if (text)
      read.contents = std::move(*text);
    else
      read.error = text.error();
    found = files_.emplace(file, std::move(read)).first;
  }
  if (!found->second.contents) return found->second.error;
  return *found->second.contents;
}

void FileSet::provide(const std::filesystem::path& file, std::string text) {
  files_[file].contents = std::move(text);
}

}  // namespace lab::render_config
