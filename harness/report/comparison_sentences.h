/// A comparison's sentences, which its text, its JSON and a report's section have in common.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/comparison.h"

namespace lab::report {

/// The findings in one sentence.
std::string sentence(const judge::Comparison& comparison);

/// What its processes can and cannot detect, in one sentence; "" if no tested row is unknown.
std::string outlook_sentence(const judge::Comparison& comparison);

/// Why a row has no verdict, or why it is unknown though it was tested; "" if there is nothing to say.
std::string note_of(const judge::ComparisonRow& row);

/// Whole sentences.
std::vector<std::string> warnings_of(const judge::Comparison& comparison);

/// Why sessions are unfit; names the session if there are two.
std::vector<std::string> unfit_sentences(const judge::Comparison& comparison);

/// What other work did to the sessions, and which of their blocks are judged; names the session if there are two.
std::vector<std::string> disturbed_sentences(const judge::Comparison& comparison);

/// The source of the shift between two sessions: half a sentence; "" if there is none.
std::string source_phrase(const judge::ShiftSource& source);

/// "family/variant/workload (crash: SIGSEGV)", without brackets if the reason is not known.
std::vector<std::string> names_of(const std::vector<judge::OneSided>& benchmarks);

}  // namespace lab::report
