/// What history found, in a report: the changes, and the nights around them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/judge/index.h"
#include "harness/report/document.h"

namespace lab::report {

/// One benchmark on one machine, with all its nights.
struct Followed {
  judge::Series series;
  judge::Findings findings;
  std::vector<judge::Point> points;  ///< in the order of time
};

/// What changed, in one sentence; "" where nothing did.
std::string history_sentence(std::span<const Followed> followed);

/// The latest changes first, each with its plot; no blocks where fewer than two sessions were followed.
Section history_section(std::span<const Followed> followed);

}  // namespace lab::report
