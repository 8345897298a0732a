/// The memory requirements of an atlas's drivers, compared with the findings of articles about drivers: the section and
/// its parts. A part without data has no elements, and is no chart.
#pragma once

#include <span>
#include <vector>

#include "harness/judge/driver_verdict.h"
#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"

namespace lab::report {

/// Graphs of every driver, the articles' claims checked on each, heaps and limits. `disturbed`: other work spoils the
/// times of this machine.
Section vulkan_section(std::span<const results::DriverColumn> atlas, std::span<const results::Article> articles,
                       std::span<const results::MemoryFindings> memory = {}, bool disturbed = false);

/// Most lines that a graph shows at once.
inline constexpr std::size_t kMostLines = 5;

/// The article's four graphs over all columns: storage and alignment, of images and of buffers. Columns with equal
/// answers share a line. A graph shows the columns that were asked on this machine first, then those that differ most;
/// Chart::choices has all. `article` (may be null) is marked.
std::vector<Chart> image_graphs(std::span<const results::DriverColumn> atlas, const results::Article* article);
std::vector<Chart> buffer_graphs(std::span<const results::DriverColumn> atlas, const results::Article* article);

/// Of the lines that the image graphs show: each image's storage relative to its texels, and its alignment where there
/// are several.
std::vector<Chart> image_grids(std::span<const results::DriverColumn> atlas, const results::Article* article);

/// The answers as one table, of the article's sweep and of the sweep "wide" (atlas_matrix.cpp has its format). Larger
/// sweeps are only in the atlas's own files.
Matrix atlas_matrix(std::span<const results::DriverColumn> atlas);

/// Which driver columns give equal answers, what tells the others apart, what changed between versions of a driver, and
/// where the bytes of images go.
Section atlas_differences_section(std::span<const results::DriverColumn> atlas, const results::ImageSweep& sweep);

/// What drivers refuse, where they contradict themselves or break a rule, and what they want in an allocation of its
/// own.
Section atlas_exceptions_section(std::span<const results::DriverColumn> atlas);

/// Whether the article has claims about Vulkan drivers.
bool is_about_drivers(const results::Article& article);

/// What the columns of a claim's platform answered. Where their answers differ, it names the columns, unless the claim
/// holds on all.
std::string found_on(const judge::JudgedDriverClaim& judged);

/// The platform of a claim that is judged on the article's own.
std::string platform_of(const judge::JudgedDriverClaim& judged, const results::Article& article);

/// The claims on the article's own platforms, then on other drivers, those that no column answers, and what the article
/// proposes. `disturbed` as above.
Section driver_claims_section(const results::Article& article, std::span<const results::DriverColumn> atlas,
                              std::span<const results::MemoryFindings> memory = {}, bool disturbed = false);

/// What real allocations proved, and their times, device by device.
Section real_allocations_section(std::span<const results::MemoryFindings> findings);

}  // namespace lab::report
