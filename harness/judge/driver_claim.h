/// Tests an article's claims about drivers on driver columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/results/article.h"
#include "harness/results/atlas.h"

namespace lab::judge {

/// The outcome of a claim's check on one driver column.
struct CheckOutcome {
  std::string stated;         ///< the article's figure
  std::string found;          ///< this column's figure
  std::optional<bool> holds;  ///< none if the column lacks the data for the check
};

CheckOutcome check_claim(const results::DriverCheck& check, const results::DriverColumn& column,
                         const results::ImageSweep& sweep);

/// The columns whose names match a glob.
std::vector<const results::DriverColumn*> columns_like(std::span<const results::DriverColumn> atlas,
                                                       const std::string& glob);

/// The column's image of that size; null if it was not queried or the driver refused it.
const results::ImageRow* image(const results::DriverColumn& column, const results::ImageSize& size);

/// The smallest storage of any image in the article's sweep; none without images.
std::optional<std::uint64_t> smallest_image_storage(const results::DriverColumn& column,
                                                    const results::ImageSweep& sweep);

}  // namespace lab::judge
