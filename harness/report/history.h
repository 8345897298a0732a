/// The history section of a report: the changes, and the nights around them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/report/document.h"

namespace lab::report {

/// The changes in one sentence; "" without changes.
std::string history_sentence(std::span<const judge::SeriesHistory> histories);

/// The latest changes first, each with its plot; an empty section if there are fewer than two sessions.
Section history_section(std::span<const judge::SeriesHistory> histories);

}  // namespace lab::report
