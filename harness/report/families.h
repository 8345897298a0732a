/// A family's numbers: a plot and a table for each workload, and a description of its variants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/report/exhibits.h"
#include "harness/results/article.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// The families of the result, in its order.
std::vector<std::string> families_of(const results::Result& result);

/// The finding of the family's first workload that two variants ran, or of the first with numbers, in a fit session;
/// core workloads come first: "random_replace: buddy has the lowest median, ..."; "" without numbers.
std::string family_finding(const std::string& family, const results::Family& described, const results::Result& result);

/// The most plots that a family's page shows at once.
constexpr std::size_t kPlotsInSight = 10;

/// The plots of one family; a note instead if no process has finished. Where they are more than kPlotsInSight, a second
/// section, closed until a reader opens it, has those of workloads that are neither core nor in an article. `fitness`:
/// of the session; what has noise in an unfit one is shown and not judged. `articles`: what they state is marked in the
/// plots of times.
std::vector<Section> family_sections(const std::string& family, const results::Family& described,
                                     const results::Result& result, const ExhibitContents& exhibits = {},
                                     const judge::Fitness& fitness = {},
                                     std::span<const results::Article> articles = {});

/// Idea, cost, weakness and source of each variant.
Section variants_section(const std::string& family, const results::Result& result);

/// Times and metrics of every benchmark; closed until a reader opens it.
Section figures_section(const std::string& family, const results::Family& described, const results::Result& result,
                        const judge::Fitness& fitness = {});

/// The workloads, and how many processes measured them; closed until a reader opens it.
Section method_section(const std::string& family, const results::Result& result);

}  // namespace lab::report
