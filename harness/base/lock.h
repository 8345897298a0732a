/// A file lock, released when its holder ends for any reason.
#pragma once

#include <filesystem>

#include "harness/base/error_fwd.h"
#include "harness/base/spawn.h"

namespace lab {

enum class LockKind {
  kShared,
  kExclusive,
  kTryExclusive,  ///< does not wait
};

/// Locks `path` (flock); creates the file and its folder if missing. Waits for the lock. With kTryExclusive it does not
/// wait: it returns a File with number -1 if another process holds the lock.
Expected<File> lock_file(const std::filesystem::path& path, LockKind kind);

/// Locks an open file without waiting, like kTryExclusive. Returns 0 or errno (EWOULDBLOCK if another process holds
/// it).
int try_lock(const File& file);

}  // namespace lab
