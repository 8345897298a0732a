/// A comparison as text, Markdown, JSON and JUnit XML. Verdicts come before numbers.
#pragma once

#include <string>

#include "harness/judge/comparison.h"

namespace lab::report {

struct TextOptions {
  bool colour = false;
  bool all = false;       ///< every row and change; otherwise rows that are the same are one line, exact changes kShown
  std::size_t width = 0;  ///< maximum columns of the table; 0: unlimited
};

inline constexpr std::size_t kShown = 20;

std::string to_text(const judge::Comparison& comparison, const TextOptions& options);

/// For a comment on a pull request: the sentence, a table of the rows that are not the same, the rest folded.
std::string to_markdown(const judge::Comparison& comparison);

/// One object on one line; format: harness/docs/formats.md.
std::string to_json(const judge::Comparison& comparison);

/// JUnit XML: one test case per row and per exact change. A regression or worse metric is a failure, an unknown row is
/// skipped.
std::string to_junit(const judge::Comparison& comparison);

}  // namespace lab::report
