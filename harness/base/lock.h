/// A lock on a file, gone with its holder however that ends.
#pragma once

#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/spawn.h"

namespace lab {

enum class LockKind {
  kShared,
  kExclusive,
  kTryExclusive,  ///< does not wait
};

/// Locks `path` (flock), which is made where it is missing, together with its folder. Waits; with kTryExclusive it
/// gives a File of number -1 instead where another process holds it.
Expected<File> lock_file(const std::filesystem::path& path, LockKind kind);

/// Locks an open file without waiting, as kTryExclusive: 0, or errno (EWOULDBLOCK where another process holds it).
int try_lock(const File& file);

}  // namespace lab
