/// Tests an article's claims about drivers on driver columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"

namespace lab::judge {

/// The outcome of a claim's check on one driver column.
struct CheckOutcome {
  std::string reading;        ///< what was checked: the article's figures, with the tolerance that its words leave
  std::string found;          ///< this column's figure, or why there is no outcome
  std::optional<bool> holds;  ///< none if the column lacks the data, or if its data could not show the opposite
  bool answered = true;       ///< whether the column has the data
};

/// Whether the check judges times of real allocations.
bool judges_times(const results::DriverCheck& check);

/// `memory`: real allocations on that column's device; null: none were made.
CheckOutcome check_claim(const results::DriverCheck& check, const results::DriverColumn& column,
                         const results::ImageSweep& sweep, const results::MemoryFindings* memory = nullptr);

/// The smallest storage of any image in the article's sweep; none without images.
std::optional<std::uint64_t> smallest_image_storage(const results::DriverColumn& column,
                                                    const results::ImageSweep& sweep);

/// Bytes of the largest device local heap of a discrete GPU; 0 without one. A driver for the CPU and an integrated GPU
/// call the machine's memory device local, too.
std::uint64_t device_heap_bytes(const results::DriverColumn& column);

}  // namespace lab::judge
