/// The memory requirements of an atlas's drivers, compared with the article's findings.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/atlas.h"
#include "harness/results/published.h"

namespace lab::report {

/// Graphs of every driver, the article's claims checked on each, heaps and limits.
Section vulkan_section(std::span<const results::DriverColumn> atlas, const results::VulkanMemory& published);

}  // namespace lab::report
