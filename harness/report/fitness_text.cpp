#include "harness/report/fitness_text.h"

namespace lab::report {

std::string not_judged(const judge::Fitness& fitness) {
  return not_judged(fitness.fit ? "" : fitness.reason);
}

std::string not_judged(std::string_view unfit_reason) {
  if (unfit_reason.empty()) return "";
  return unfit_reason == judge::kBlindReason ? "unfit, not judged" : "disturbed, not judged";
}

std::string marked(std::string text, const judge::Fitness& fitness) {
  if (!fitness.fit) text += ", " + not_judged(fitness);
  return text;
}

}  // namespace lab::report
