/// The memory requirements of an atlas's drivers, compared with the findings of articles about drivers.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"

namespace lab::report {

/// Graphs of every driver, the articles' claims checked on each, heaps and limits. `disturbed`: other work spoils the
/// times of this machine.
Section vulkan_section(std::span<const results::DriverColumn> atlas, std::span<const results::Article> articles,
                       std::span<const results::MemoryFindings> memory = {}, bool disturbed = false);

}  // namespace lab::report
