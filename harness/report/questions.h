/// What users ask of a family (results::Question), with the answers of a session.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// A question with a sentence for each of its workloads that has numbers.
struct AnsweredQuestion {
  const results::Question* question = nullptr;
  std::string id;                    ///< of its section
  std::string limit;                 ///< cores_sentence() of its workloads
  std::vector<std::string> answers;  ///< "larson (threads ...): mimalloc takes 41.2 ns (40.1 to 42.0) per block, ..."
  std::vector<std::string> waiting;  ///< workloads without numbers
  std::string command;               ///< measures these; "" if none waits
};

/// In the family's order. In an unfit session no time is judged, so no question has an answer. `described` must outlive
/// the result.
std::vector<AnsweredQuestion> answered_questions(const std::string& family, const results::Family& described,
                                                 const results::Result& result, const judge::Fitness& fitness = {});

/// A section for each question. No elements without questions.
Section questions_section(const std::string& family, const std::vector<AnsweredQuestion>& questions,
                          const judge::Fitness& fitness = {});

}  // namespace lab::report
