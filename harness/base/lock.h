/// A lock on a file, gone with its holder however that ends.
#pragma once

#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/spawn.h"

namespace lab {

enum class LockKind { kShared, kAlone, kAloneOrNot };

/// Locks `path` (flock), which is made where it is missing, together with its folder. Waits, or with kAloneOrNot gives
/// a File of number -1 where somebody else holds it.
Expected<File> lock_file(const std::filesystem::path& path, LockKind kind);

}  // namespace lab
