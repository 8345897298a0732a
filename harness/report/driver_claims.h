/// An article's claims about Vulkan drivers, with the verdicts of an atlas on them.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"

namespace lab::report {

/// Whether the article has such claims.
bool is_about_drivers(const results::Article& article);

/// The claims on the article's own platforms, then on other drivers, those that no column answers, and what the article
/// proposes. `disturbed`: other work spoils the times of this machine.
Section driver_claims_section(const results::Article& article, std::span<const results::DriverColumn> atlas,
                              std::span<const results::MemoryFindings> memory = {}, bool disturbed = false);

}  // namespace lab::report
