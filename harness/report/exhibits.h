/// Charts and pictures of exhibits: each kind is shown in one way, whichever family it comes from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// The content of the files of a result's exhibits, by results::Exhibit::file.
using ExhibitContents = std::map<std::string, std::string>;

/// The charts of a family's exhibits. A latency distribution is one chart for all variants of a workload, a
/// series one for at most kShownSeries of them, an event stream one for each variant, at most kShownApart of them. A
/// file that is missing or malformed is left out.
std::vector<Chart> exhibit_charts(const std::string& family, const results::Family& described,
                                  const results::Result& result, const ExhibitContents& contents,
                                  const judge::Fitness& fitness = {});

/// The comparisons that the family describes. A picture that is missing or malformed is left out, and a comparison
/// without pictures.
std::vector<PictureComparison> picture_comparisons(const std::string& family, const results::Family& described,
                                                   const results::Result& result, const ExhibitContents& contents);

/// The pictures of a family's exhibits that are in none of its comparisons, at most kShownApart of each workload's.
std::vector<Picture> exhibit_pictures(const std::string& family, const results::Family& described,
                                      const results::Result& result, const ExhibitContents& contents);

inline constexpr std::size_t kShownApart = 4;

/// More lines in one chart cannot be told apart, and their points would be most of the page.
inline constexpr std::size_t kShownSeries = 8;
/// Most points of one of its lines; the file has the rest.
inline constexpr std::size_t kShownPoints = 100;

/// Most events of one chart; the file has the rest.
inline constexpr std::size_t kShownEvents = 1500;

/// A chart of events with more rows has lower ones: a hundred rows fit on a sheet of paper.
inline constexpr std::size_t kHighRows = 40;

}  // namespace lab::report
