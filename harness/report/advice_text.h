/// The advice of `probe --advise` as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/results/advice.h"
#include "harness/results/article.h"

namespace lab::report {

/// The articles' errata about a figure of this calculation: the share of a heap of the same size for the same K.
std::vector<results::AdviceErratum> advice_errata(const results::Advice& advice,
                                                  const std::vector<results::Article>& articles);

/// What is over a limit comes first, then the allocations, then where each resource lies. At most `width` columns (0:
/// unlimited).
std::string to_text(const results::Advice& advice, std::size_t width);

/// One object on one line; format: harness/docs/formats.md.
std::string to_json(const results::Advice& advice);

}  // namespace lab::report
