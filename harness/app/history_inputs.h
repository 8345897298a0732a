/// Inputs of history and nightly: series from a store of results.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/history.h"
#include "harness/results/result.h"
#include "harness/results/store.h"

namespace lab::app {

/// Opens the store of the folder `results`, with the judgement of history.
Expected<results::Store> open_store(
    const std::filesystem::path& results,
    const std::function<void(const results::StoreProgress&)>& progress = [](const results::StoreProgress&) {});

/// The histories of `series`. Without `with_points`, their points stay empty.
Expected<std::vector<judge::SeriesHistory>> load_histories(results::Store& store,
                                                           std::span<const results::SeriesKey> series,
                                                           bool with_points);

/// All series of a machine.
Expected<std::vector<judge::SeriesHistory>> load_machine(results::Store& store, std::string_view machine);

}  // namespace lab::app
