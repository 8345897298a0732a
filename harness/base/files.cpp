#include "harness/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace lab {

namespace {

/// Errors caused by a wrong path.
constexpr std::array kPathErrors{EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, EEXIST, ENAMETOOLONG, ELOOP};

}  // namespace

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

Expected<void> write_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code problem;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
  if (problem) return file_error("creating", path.parent_path(), problem.value());
  const std::string temporary = fmt::format("{}.{}.part", path.string(), ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return file_error("creating", temporary, errno);
  int code = 0;
  for (std::size_t done = 0; done < content.size() && code == 0;) {
    const ssize_t put = ::write(file, content.data() + done, content.size() - done);
    if (put >= 0)
      done += static_cast<std::size_t>(put);
    else if (errno != EINTR)
      code = errno;
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

}  // namespace lab
