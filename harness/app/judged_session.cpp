#include "harness/app/judged_session.h"

#include "harness/base/error.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/judge/verify.h"
#include "harness/report/fitness_text.h"

namespace lab::app {

Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  measure::SessionEvents& events, results::Result& result) {
  const measure::StoppingRule rule{judge::verify, judge::relative_half_width, judge::is_disturbed,
                                   judge::without_reference};
  const Expected<void> measured = measure::run_session(spec, rule, environment, events, result);
  const judge::Fitness fitness = judge::judge_fitness(result);
  if (std::string sentence = report::disturbed_sentence(fitness); !sentence.empty())
    result.session.unusual.push_back(std::move(sentence));
  for (std::string& sentence : report::unfit_sentences(fitness)) result.session.unusual.push_back(std::move(sentence));
  return measured;
}

}  // namespace lab::app
