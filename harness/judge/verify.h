/// Correctness first: removes the numbers of benchmarks whose checksum differs from the reference variant's, or whose
/// answer is farther from the reference's than the workload's tolerance.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::judge {

/// The expected checksum of every variant in every arm, by "family/workload" without a tolerance: that of head's
/// reference. If it gave none (it crashed, or was not reached), the checksum of more variants of head than any other;
/// "" if there is none.
std::map<std::string, std::string> expected_answers(const results::Result& result);

/// A benchmark with a process that differs from the expected checksum, or is not within its tolerance, loses all its
/// processes in that arm and gets one failure of kind "wrong answer"; so does one that already has such a failure.
/// Appends the new failures and returns their number. Idempotent.
std::size_t verify(results::Result& result);

/// The "family/workload" whose checksums were compared only among the variants, as the reference gave none; sorted. Not
/// those that the reference does not support: there, the family knows it.
std::vector<std::string> without_reference(const results::Result& result);

}  // namespace lab::judge
