/// "Which one for my case?": a family's variants in one table, grouped by what they can do, and time against memory.
#pragma once

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// What each column means, the plot of each workload with at least two variants, and the table. No elements if the
/// family does not describe the choice or nothing is measured.
Section choice_section(const std::string& family, const results::Family& described, const results::Result& result,
                       const judge::Fitness& fitness = {});

/// What a group of the choice is answered with: its variant with the lowest median time.
struct ChoiceAnswer {
  std::string group = {};  ///< its title: what the variants can do
  std::string variant = {};
  std::string benchmark = {};
  std::string time = {};  ///< with its interval: "23.1 ns (22.9 to 24.4) per pair"
  std::string against =
      {};  ///< of the family's reference on this workload: "5.44 (5.30 to 5.60) times as fast as c_library"; or ""
  std::string doubt = {};   ///< doubt_of() the others; or ""
  std::string worst = {};   ///< the slowest: "68.0 us for a frame"; "" if it was not measured
  std::string memory = {};  ///< of the choice's first metric that has a value: "rounding 1.08"; "" without
  std::string cannot = {};  ///< what it cannot do
  std::string figure = {};  ///< the plot's name; "" without
  double gain = 1;          ///< the least times as fast as the reference, by the interval; 1 without
};

/// An answer for each group with numbers, in a fit session; none in an unfit one.
std::vector<ChoiceAnswer> choice_answers(const std::string& family, const results::Family& described,
                                         const results::Result& result, const judge::Fitness& fitness = {});

/// What the times of a variant do not contain by its group of the choice; "" for nothing. Such a time is compared with
/// that of no other group.
std::string lacked_by(const results::Family& described, const results::VariantCard& variant);

/// Indices of the points that no other point beats: none has at most its x and at most its y, and less of one. Sorted
/// by x.
std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& points);

}  // namespace lab::report
