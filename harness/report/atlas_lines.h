/// The lines of an atlas's graphs: groups of columns with equal answers, in the order in which a graph takes them.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/atlas_differences.h"
#include "harness/report/document.h"
#include "harness/results/atlas.h"

namespace lab::report {

struct AtlasLine {
  std::string label;
  judge::SameAnswers group;
  const results::DriverColumn& column() const { return *group.columns.front(); }
};

/// Groups with a column that was asked on this machine first, then those that differ most.
std::vector<AtlasLine> atlas_lines(std::span<const results::DriverColumn> atlas, judge::AnswersOf answers_of);

/// A value of one answer: the graph's y.
using AnswerValue = std::function<std::uint64_t(std::size_t answer, const AtlasLine& line)>;

/// Fills in the chart's rows of the first `most` lines, and all lines as choices. `points` are the answers' other
/// fields, in the order of the answers; refused answers have no row.
void add_lines(Chart& chart, std::span<const AtlasLine> lines, std::size_t most, const boost::json::array& points,
               const AnswerValue& value, std::span<const results::DriverColumn> atlas);

}  // namespace lab::report
