/// Series with known changes, of cases.txt, and how many of them come out right.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

struct Case {
  std::string name;                 ///< "short stairs"
  std::vector<std::size_t> starts;  ///< the first nights of the new levels, ascending
  std::vector<double> values;
};

/// Lines "name | starts | values". Lines that begin with # and empty lines do not count.
Expected<std::vector<Case>> parse_cases(std::string_view text);

/// Those of harness/simulate/cases.txt in this checkout.
Expected<std::vector<Case>> read_cases(const std::filesystem::path& root);

/// Whether each true change was found within stats::kNearPoints, and nothing else.
bool is_right(const Case& one, std::vector<std::size_t> found);

/// How many are right in hindsight and by alarms. Unreadable cases miss the goal.
void report_cases(const ResultSink& report);

}  // namespace lab::simulate
