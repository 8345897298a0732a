/// The answers of a whole atlas as one matrix: queries by driver columns. Columns with equal answers share one, and
/// columns that agree on some kinds of images share those answers.
///
/// Matrix::data: {"blocks": [{"format", "rows": [query], "extents": [largest dimension in texels, null: a buffer],
/// "refusals": [reason], "tables": [[size, alignment, size, alignment, ...]]}], "columns": [{"label", "members":
/// [{"name", "driver", "chip", "index"}], "tables": [index into the block's tables, or null]}]}. A block has the images
/// or buffers of one kind. A size is -1 - i for refusal i, and null where the driver was not asked. "index" is that of
/// the atlas.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/atlas.h"

namespace lab::report {

/// Of the article's sweep and of the sweep "wide". Larger sweeps are only in the atlas's own files.
Matrix atlas_matrix(std::span<const results::DriverColumn> atlas);

}  // namespace lab::report
