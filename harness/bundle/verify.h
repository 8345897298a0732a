/// Compares a bundle with its manifest, before anything of it runs.
#pragma once

#include <filesystem>

#include "harness/base/error_fwd.h"
#include "harness/bundle/manifest.h"

namespace lab::bundle {

/// Reads every file of the bundle in `folder`, on all CPUs. The error names the first file, by path, that is missing or
/// has another content, and says how many more there are. Files beside them are not looked at.
Expected<void> verify(const std::filesystem::path& folder, const Manifest& manifest);

}  // namespace lab::bundle
