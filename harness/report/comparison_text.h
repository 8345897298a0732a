/// A comparison for people, scripts and farms. Verdicts come before any number.
#pragma once

#include <string>

#include "harness/judge/compare.h"

namespace lab::report {

struct TextOptions {
  bool colour = false;
  bool all = false;       ///< every row and change; else rows that are the same are one line, and exact changes kShown
  std::size_t width = 0;  ///< columns that the table fits; 0: as many as it needs
};

inline constexpr std::size_t kShown = 20;

std::string to_text(const judge::Comparison& comparison, const TextOptions& options);

/// For a comment on a pull request: the sentence, a table of what is not the same, the rest folded away.
std::string to_markdown(const judge::Comparison& comparison);

/// One object, on one line: harness/docs/formats.md shows it.
std::string to_json(const judge::Comparison& comparison);

/// JUnit's XML: a test case a row and an exact change, a regression or worse metric a failure, an unknown row skipped.
std::string to_junit(const judge::Comparison& comparison);

}  // namespace lab::report
