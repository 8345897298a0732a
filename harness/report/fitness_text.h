/// Sentences about whether a session may give verdicts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/fitness.h"

namespace lab::report {

/// "25 %": a share with two digits, rounded up, so that a change of this share is detectable.
std::string detectable_text(double share);

/// "a change of 3.1 % is found in 4 of 5 cases": the smallest detectable change (stats/power.h).
std::string found_sentence(double detectable);
/// "4 of 5": stats::kPower.
inline constexpr const char* kPowerText = "4 of 5";

/// The finding; if the control is unfit: why no verdict of the session can be trusted.
std::string control_sentence(const judge::Control& control);

/// Why a session is unfit: "the A/A control has ...". Empty if it is fit.
std::vector<std::string> unfit_causes(const judge::Fitness& fitness);
/// The same as sentences: "unfit: the A/A control has ...", and blind_sentence. A result has them among its unusual
/// sentences.
std::vector<std::string> unfit_sentences(const judge::Fitness& fitness);
/// Of a fit session: the families in which it is not. "" if there are none.
std::string blind_sentence(const judge::Fitness& fitness);

/// What other work did to the session, and which blocks are judged: "other processes used 1.64 CPUs in 5 of 20 blocks,
/// 25 % of the time; 10 % of a CPU is the limit; these blocks are set aside". A result has it among its unusual
/// sentences. "" if it disturbed none.
std::string disturbed_sentence(const judge::Fitness& fitness);

/// "disturbed, not judged"; "unfit, not judged" if the control alone could have detected nothing; "" if it is fit.
std::string not_judged(const judge::Fitness& fitness);
/// The same of the reason why a session is unfit; "" if there is none.
std::string not_judged(std::string_view unfit_reason);

/// `text`, and ", disturbed, not judged" if the session is unfit.
std::string marked(std::string text, const judge::Fitness& fitness);

}  // namespace lab::report
