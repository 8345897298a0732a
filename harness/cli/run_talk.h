/// What `run` says to people: talk on standard error, one table on standard output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/terminal.h"
#include "harness/measure/arms.h"
#include "harness/measure/session.h"
#include "harness/results/journal.h"
#include "harness/results/result.h"

namespace lab::cli {

void tell_leftover(const results::Leftover& leftover, StatusLine& line);
void tell_start(const measure::SessionSpec& spec, const results::Result& head, StatusLine& line);
/// `base` is what the user called it.
void tell_base(const std::string& base, const measure::Pairing& pairing, StatusLine& line);
void tell_failure(const results::Failure& failure, StatusLine& line);
void tell_conformance(const measure::ConformanceProgress& progress, StatusLine& line);
void tell_progress(const measure::Progress& progress, StatusLine& line);

/// The table of a session that is over, and what is to be known of it.
void tell_end(const results::Result& result, StatusLine& line);

}  // namespace lab::cli
