/// Which driver columns give the same answers, and how the others differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/atlas.h"

namespace lab::judge {

/// One answer of a column. Memory type bits are left out: they are indices into each driver's own list.
struct AtlasAnswer {
  std::string query;                      ///< "256x64", "100 bytes", or describe() of a wider sweep's query
  std::uint64_t size = 0, alignment = 0;  ///< bytes; both 0 if refused
  bool operator==(const AtlasAnswer&) const = default;
};

/// The answers to one part of the queries, in the order in which they are kept.
std::vector<AtlasAnswer> article_images(const results::DriverColumn& column);
std::vector<AtlasAnswer> article_buffers(const results::DriverColumn& column);
std::vector<AtlasAnswer> sweep_images(const results::SweepAnswers& sweep);
std::vector<AtlasAnswer> sweep_buffers(const results::SweepAnswers& sweep);

/// The column's answers to the sweep of that name; null if it was not asked.
const results::SweepAnswers* sweep_of(const results::DriverColumn& column, std::string_view name);

/// Columns with the same answers. Never empty.
struct SameAnswers {
  std::string hash;  ///< content_name of the answers
  std::vector<AtlasAnswer> answers;
  std::vector<const results::DriverColumn*> columns;  ///< in the order of the atlas
};

/// The columns by what `answers_of` gives for them, in the order of the atlas. Leaves out columns without answers.
using AnswersOf = std::vector<AtlasAnswer> (*)(const results::DriverColumn&);
std::vector<SameAnswers> same_answers(std::span<const results::DriverColumn> atlas, AnswersOf answers_of);

/// Two answers to one query.
struct AnswerPair {
  AtlasAnswer from, to;
  bool operator==(const AnswerPair&) const = default;
};

/// How `to` differs from `from`, over the queries that both were asked.
struct AnswersDifference {
  std::size_t compared = 0, different = 0;
  std::optional<AnswerPair> first = {};     ///< in the order of `from`
  std::optional<AnswerPair> largest = {};   ///< by the sizes' difference; none if only alignments and refusals differ
  std::optional<std::int64_t> always = {};  ///< every query has the same alignment and a size this much larger
  bool operator==(const AnswersDifference&) const = default;
};

AnswersDifference difference(std::span<const AtlasAnswer> from, std::span<const AtlasAnswer> to);

/// For each group the one with the fewest differences to it, of several the least different; none if there is no other.
std::vector<std::optional<std::size_t>> nearest(std::span<const SameAnswers> groups);

/// All groups: the first `fixed` ones, then always the one that differs most from those before it. What counts is the
/// distance in a graph with logarithmic axes.
std::vector<std::size_t> most_different_first(std::span<const SameAnswers> groups, std::size_t fixed);

}  // namespace lab::judge
