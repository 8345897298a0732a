/// What a report says where an unfit session gives no verdict.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/fitness.h"

namespace lab::report {

/// "disturbed, not judged"; "unfit, not judged" if the control alone could have detected nothing; "" if it is fit.
std::string not_judged(const judge::Fitness& fitness);
/// The same of the reason why a session is unfit; "" if there is none.
std::string not_judged(std::string_view unfit_reason);

/// `text`, and ", disturbed, not judged" if the session is unfit.
std::string marked(std::string text, const judge::Fitness& fitness);

}  // namespace lab::report
