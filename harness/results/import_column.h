/// Reads tables of memory requirements in the format of the article "Vulkan Memory Allocation" (io7m, 2023), so that
/// what somebody asked on another system joins the atlas:
///   image-sizes.txt    "# Width Height Size Alignment", then four numbers a line
///   buffer-sizes.txt   "# Length Size Alignment", then three numbers a line
/// probe --format io7m writes the same files.
#pragma once

#include <filesystem>

#include "harness/base/error.h"
#include "harness/results/atlas.h"

namespace lab::results {

/// The end of an imported column's name, which is otherwise its folder's: "nvidia-536.23-gtx1660ti".
inline constexpr const char* kImportedSuffix = "-imported";

/// A column from `folder`, which has one of the files or both. Lines that begin with '#' and empty lines are skipped.
/// An error names the file, the line and the expected content.
Expected<DriverColumn> import_column(const std::filesystem::path& folder);

}  // namespace lab::results
