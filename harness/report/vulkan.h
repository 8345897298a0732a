/// What the drivers of an atlas require of memory, beside what the article found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/document.h"
#include "harness/report/published.h"
#include "harness/results/atlas.h"

namespace lab::report {

/// Graphs of every driver, the article's claims checked on each, heaps and limits.
Section vulkan_section(std::span<const results::Column> atlas, const VulkanMemory& published);

/// What a check of a claim found in one driver column.
struct Checked {
  std::string stated;         ///< the article's figure
  std::string found;          ///< this column's
  std::optional<bool> holds;  ///< none where the column lacks what the check needs
};

Checked check_claim(const boost::json::object& check, const results::Column& column, const VulkanMemory& published);

/// The columns whose names match a glob.
std::vector<const results::Column*> columns_like(std::span<const results::Column> atlas, const std::string& glob);

/// The column's image of that size; null where it was not asked for or was refused.
const results::ImageRow* image(const results::Column& column, std::uint64_t width, std::uint64_t height);

/// The least storage of any image of the article's sweep; none where there is no image.
std::optional<std::uint64_t> smallest_image_storage(const results::Column& column, const VulkanMemory& published);

}  // namespace lab::report
