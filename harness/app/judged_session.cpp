#include "harness/app/judged_session.h"

#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/judge/verify.h"
#include "harness/report/fitness_text.h"

namespace lab::app {

measure::StoppingRule stopping_rule() {
  return {judge::verify, judge::relative_half_width, judge::without_reference};
}

Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  const measure::SessionObserver& observer, results::Result& result) {
  const Expected<void> measured = measure::run_session(spec, stopping_rule(), environment, observer, result);
  for (std::string& sentence : report::unfit_sentences(judge::judge_fitness(result)))
    result.session.unusual.push_back(std::move(sentence));
  return measured;
}

}  // namespace lab::app
