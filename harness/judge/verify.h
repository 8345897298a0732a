/// Right before fast: takes their numbers from benchmarks that read back something else than the reference variant.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::judge {

/// What every variant must read back in every arm, by "family/workload": the checksum of head's reference. Where that
/// gave none (it crashed, or was not reached), the checksum that more variants of head gave than any other; "" where
/// there is no such one.
std::map<std::string, std::string> expected_answers(const results::Result& result);

/// A benchmark with a process that differs from the expected answer loses all its entries in that arm and gets one
/// failure of kind "wrong answer"; so does one that has such a failure already. The new failures are the last ones;
/// returns how many. Doing it again changes nothing.
std::size_t verify(results::Result& result);

/// The "family/workload" whose answers were only compared among the variants, because the reference gave none; sorted.
std::vector<std::string> without_reference(const results::Result& result);

}  // namespace lab::judge
