/// What history found, in a report: the changes, and the nights around them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/report/document.h"

namespace lab::report {

/// What changed, in one sentence; "" where nothing did.
std::string history_sentence(std::span<const judge::SeriesHistory> followed);

/// The latest changes first, each with its plot; no blocks where fewer than two sessions were followed.
Section history_section(std::span<const judge::SeriesHistory> followed);

}  // namespace lab::report
