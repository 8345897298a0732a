/// The article's four graphs over all columns of an atlas: storage and alignment, of images and of buffers.
#pragma once

#include <span>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"

namespace lab::report {

/// Most lines that a graph shows at once.
inline constexpr std::size_t kMostLines = 5;

/// Columns with equal answers share a line. A graph shows the columns that were asked on this machine first, then those
/// that differ most; Chart::choices has all. `article` (may be null) is marked. Without answers there is no graph.
std::vector<Chart> image_graphs(std::span<const results::DriverColumn> atlas, const results::Article* article);
std::vector<Chart> buffer_graphs(std::span<const results::DriverColumn> atlas, const results::Article* article);

/// Of the lines that the image graphs show: each image's storage relative to its texels, and its alignment where there
/// are several.
std::vector<Chart> image_grids(std::span<const results::DriverColumn> atlas, const results::Article* article);

}  // namespace lab::report
