#include "harness/base/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "harness/base/files.h"

namespace lab {

Expected<File> lock_file(const std::filesystem::path& path, LockKind kind) {
  std::error_code ignored;  // open says it
  std::filesystem::create_directories(path.parent_path(), ignored);
  const auto problem = [&] { return file_error("locking", path, errno); };
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return problem();
  File held(file);
  const int how = kind == LockKind::kShared ? LOCK_SH : kind == LockKind::kAlone ? LOCK_EX : LOCK_EX | LOCK_NB;
  while (::flock(file, how) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return File();
    return problem();
  }
  return held;
}

}  // namespace lab
