/// How pixels are counted: what several variants share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "variants/object_visibility/family/counter.h"
#include "variants/object_visibility/family/tables.h"

namespace lab::object_visibility {

/// Adds the pixels of each id to cleared tables of `largest` + 1 counters, together. Whether no id is beyond them; if
/// one is, the tables hold anything.
using CountInto = bool (*)(std::span<const std::uint32_t> ids, std::uint32_t largest, PartialTables& tables);

/// One after the other in four tables, so that equal neighbours do not wait for each other's counter.
inline constexpr std::size_t kSplitTables = 4;
bool count_split(std::span<const std::uint32_t> ids, std::uint32_t largest, PartialTables& tables);

/// Finds the ends of runs by vectors and adds whole runs. Needs AVX2 and BMI.
bool count_runs_by_vectors(std::span<const std::uint32_t> ids, std::uint32_t largest, PartialTables& tables);
/// Why this machine cannot do that; "" if it can.
std::string no_vectors();

/// A counter that calls `count` for the whole image.
std::unique_ptr<Counter> make_counter(CountInto count);
/// One that calls it for a band of rows in each worker.
std::unique_ptr<Counter> make_banded_counter(CountInto count, designs::WorkerPool& pool);

/// What code that must run on any machine should use.
std::unique_ptr<Counter> fastest_counter();

/// By the widest vectors that this machine has.
std::uint32_t sum_by_vectors(std::span<const std::uint32_t> ids);
/// The sum of all ids: what counting is compared with. Each worker reads the band that it would count.
std::uint32_t plain_read(std::span<const std::uint32_t> ids, std::uint32_t width, designs::WorkerPool& pool);

}  // namespace lab::object_visibility
