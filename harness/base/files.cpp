#include "harness/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "harness/base/error.h"

namespace lab {

namespace {

/// Errors caused by a wrong path.
constexpr std::array kPathErrors{EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, EEXIST, ENAMETOOLONG, ELOOP};

/// Writes to a device or a pipe, which a rename would replace.
Expected<void> write_in_place(const std::filesystem::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int code = file < 0 ? errno : write_all(file, content);
  if (file >= 0 && ::close(file) != 0 && code == 0) code = errno;
  return code == 0 ? Expected<void>() : file_error("writing", path, code);
}

}  // namespace

int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t put = ::write(file, content.data(), content.size());
    if (put >= 0)
      content.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

Error file_error(std::string_view doing, const std::filesystem::path& path, int code) {
  const bool misplaced = std::find(kPathErrors.begin(), kPathErrors.end(), code) != kPathErrors.end();
  std::string hint;
  if (code == ENOSPC || code == EDQUOT)
    hint = fmt::format("free some space on the disk of {}", path.parent_path().string());
  return Error{fmt::format("{} '{}': {}", doing, path.string(), std::strerror(code)), hint,
               misplaced ? ExitStatus::kUsage : ExitStatus::kFailed};
}

Expected<std::string> read_file(const std::filesystem::path& path) {
  const auto unreadable = [&path](std::string_view doing, int code) {
    Error error = file_error(doing, path, code);
    error.status = ExitStatus::kUsage;
    return error;
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable("opening", errno);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int code = errno;
      ::close(file);
      return unreadable("reading", code);
    }
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  return content;
}

Expected<void> write_file(const std::filesystem::path& named, std::string_view content,
                          std::optional<std::int64_t> modified_ns) {
  std::error_code problem;
  // A rename onto a link would replace the link.
  std::filesystem::path path = std::filesystem::canonical(named, problem);
  if (problem)
    path = named;
  else if (!std::filesystem::is_regular_file(path))
    return write_in_place(path, content);
  problem.clear();
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
  if (problem) return file_error("creating", path.parent_path(), problem.value());
  const std::string temporary = fmt::format("{}.{}.part", path.string(), ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return file_error("creating", temporary, errno);
  int code = write_all(file, content);
  if (modified_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec times[] = {{0, UTIME_OMIT}, {*modified_ns / kSecond, *modified_ns % kSecond}};
    if (code == 0 && ::futimens(file, times) != 0) code = errno;
  }
  if (code == 0 && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return file_error("writing", path, code);
  }
  return {};
}

Expected<void> sync_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int code = file < 0 ? errno : 0;
  if (code == 0 && ::fsync(file) != 0 && errno != EINVAL) code = errno;  // EINVAL: this file system cannot
  if (file >= 0) ::close(file);
  return code == 0 ? Expected<void>() : file_error("writing", folder, code);
}

}  // namespace lab
