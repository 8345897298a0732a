/// Changes in words, the same wherever they are told.
#pragma once

#include <string>

#include "harness/history/changes.h"

namespace lab::history {

/// "+4.00 %" for 1.04.
std::string percent_text(double ratio);

/// "1a2b3c4d5e6f..6f5e4d3c2b1a"; one commit alone where both ends are it; "no git" where there is none.
std::string commits_text(const CommitRange& commits);

/// "regressed" or "improved" where the code is answerable; else "slower, new kernel" and its like.
std::string verdict_text(const Change& change);

}  // namespace lab::history
