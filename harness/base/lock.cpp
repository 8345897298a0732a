#include "harness/base/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lab {

namespace {

/// 0 or errno.
int lock(const File& file, int how) {
  while (::flock(file.get(), how) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

Expected<File> lock_file(const std::filesystem::path& path, LockKind kind) {
  std::error_code ignored;  // open reports it
  std::filesystem::create_directories(path.parent_path(), ignored);
  File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return file_error("locking", path, errno);
  const int code =
      kind == LockKind::kTryExclusive ? try_lock(file) : lock(file, kind == LockKind::kShared ? LOCK_SH : LOCK_EX);
  if (code == EWOULDBLOCK) return File();
  if (code != 0) return file_error("locking", path, code);
  return file;
}

int try_lock(const File& file) {
  return lock(file, LOCK_EX | LOCK_NB);
}

}  // namespace lab
