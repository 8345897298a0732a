/// The first page: one question with its answer and a plot, then a line for each article and for each case of each
/// family.
#pragma once

#include <span>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/choice.h"
#include "harness/report/claims.h"
#include "harness/report/document.h"
#include "harness/report/questions.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/family.h"
#include "harness/results/memory_findings.h"
#include "harness/results/result.h"

namespace lab::report {

/// A family with its page and what its cases are answered with.
struct AnsweredFamily {
  std::string name;
  std::string page;
  results::Family described;
  std::vector<ChoiceAnswer> answers;
  std::string finding;  ///< where it describes no choice: of its first workload; "" without
  std::vector<AnsweredQuestion> questions = {};
};

/// The answer with the largest gain over its family's reference: its question, the sentence and the plot. No elements
/// without one.
Section headline_section(const std::vector<AnsweredFamily>& families, const results::Result& result,
                         const judge::Fitness& fitness);

/// A sentence for each case of one family.
Section answer_section(const AnsweredFamily& family);

/// What each case is answered with, and its price, of all families.
Section answers_section(const std::vector<AnsweredFamily>& families);

/// What users ask, with the first answer of each.
Section asked_section(const std::vector<AnsweredFamily>& families);

/// Which drivers were asked, and where their answers are.
Section drivers_section(std::span<const results::DriverColumn> atlas);

/// A claim that does not hold here.
struct RefutedClaim {
  /// What was asked: processes that are timed, numbers without noise, drivers.
  enum class Kind { kMeasured, kCounted, kOfDrivers };
  Kind kind = Kind::kMeasured;
  std::string verdict;
  std::string claim;
  std::string why;
  std::vector<std::string> benchmarks = {};
};

/// What one article's claims came to.
struct ArticleLine {
  const results::Article* article = nullptr;
  std::string about = {};             ///< the title of its page
  std::size_t holds = 0, weaker = 0;  ///< claims that have a verdict; and so have those that are refuted
  std::vector<RefutedClaim> refuted = {};
  std::size_t undecided = 0;   ///< claims whose numbers decide nothing
  std::size_t unmeasured = 0;  ///< claims without numbers
};

ArticleLine line_of(const JudgedArticle& judged, const std::string& about, const results::Result& result);
/// Of an article about drivers.
ArticleLine line_of(const results::Article& article, std::span<const results::DriverColumn> atlas,
                    std::span<const results::MemoryFindings> memory, bool disturbed);

/// A line for each article, then the claims that do not hold here.
Section articles_section(const std::vector<ArticleLine>& lines);

}  // namespace lab::report
