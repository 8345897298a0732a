#include "harness/app/judged_session.h"

#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/judge/verify.h"
#include "harness/report/fitness_text.h"

namespace lab::app {

Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  measure::SessionEvents& events, results::Result& result) {
  const measure::StoppingRule rule{judge::verify, judge::relative_half_width, judge::without_reference};
  const Expected<void> measured = measure::run_session(spec, rule, environment, events, result);
  for (std::string& sentence : report::unfit_sentences(judge::judge_fitness(result)))
    result.session.unusual.push_back(std::move(sentence));
  return measured;
}

}  // namespace lab::app
