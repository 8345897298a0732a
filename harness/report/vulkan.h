/// The memory requirements of an atlas's drivers, compared with the article's findings.
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
Section vulkan_section(std::span<const results::DriverColumn> atlas, const VulkanMemory& published);

/// The outcome of a claim's check on one driver column.
struct CheckOutcome {
  std::string stated;         ///< the article's figure
  std::string found;          ///< this column's figure
  std::optional<bool> holds;  ///< none if the column lacks the data for the check
};

CheckOutcome check_claim(const boost::json::object& check, const results::DriverColumn& column,
                         const VulkanMemory& published);

/// The columns whose names match a glob.
std::vector<const results::DriverColumn*> columns_like(std::span<const results::DriverColumn> atlas,
                                                       const std::string& glob);

/// The column's image of that size; null if it was not queried or the driver refused it.
const results::ImageRow* image(const results::DriverColumn& column, std::uint64_t width, std::uint64_t height);

/// The smallest storage of any image in the article's sweep; none without images.
std::optional<std::uint64_t> smallest_image_storage(const results::DriverColumn& column, const VulkanMemory& published);

}  // namespace lab::report
