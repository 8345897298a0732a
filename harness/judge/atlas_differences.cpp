#include "harness/judge/atlas_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/hash.h"

namespace lab::judge {

namespace {

using results::DriverColumn;
using results::SweepAnswers;

std::string table_text(std::span<const AtlasAnswer> answers) {
  std::string text;
  for (const AtlasAnswer& one : answers) text += fmt::format("{},{},{}\n", one.query, one.size, one.alignment);
  return text;
}

std::int64_t growth(const AnswerPair& pair) {
  return static_cast<std::int64_t>(pair.to.size) - static_cast<std::int64_t>(pair.from.size);
}

std::uint64_t extent(const AnswerPair& pair) {
  return static_cast<std::uint64_t>(std::abs(growth(pair)));
}

bool refused(const AtlasAnswer& answer) {
  return answer.size == 0;
}

/// Calls `visit` with both answers to each query that both have. Answers in equal order cost no search.
template <typename Visit>
void each_pair(std::span<const AtlasAnswer> from, std::span<const AtlasAnswer> to, const Visit& visit) {
  const bool aligned = std::equal(from.begin(), from.end(), to.begin(), to.end(),
                                  [](const AtlasAnswer& a, const AtlasAnswer& b) { return a.query == b.query; });
  std::map<std::string_view, const AtlasAnswer*> by_query;
  if (!aligned)
    for (const AtlasAnswer& one : to) by_query.emplace(one.query, &one);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (aligned) {
      visit(from[i], to[i]);
    } else if (const auto other = by_query.find(from[i].query); other != by_query.end()) {
      visit(from[i], *other->second);
    }
  }
}

std::size_t count_different(const SameAnswers& a, const SameAnswers& b) {
  std::size_t different = 0;
  each_pair(a.answers, b.answers,
            [&](const AtlasAnswer& one, const AtlasAnswer& other) { different += one == other ? 0 : 1; });
  return different;
}

/// The distance in a graph with logarithmic axes: a difference of a few bytes in each of many answers counts little.
double visible_difference(const SameAnswers& a, const SameAnswers& b) {
  const auto octaves = [](std::uint64_t one, std::uint64_t other) {
    return std::abs(std::log2(static_cast<double>(one) + 1) - std::log2(static_cast<double>(other) + 1));
  };
  double sum = 0;
  each_pair(a.answers, b.answers, [&](const AtlasAnswer& one, const AtlasAnswer& other) {
    sum += octaves(one.size, other.size) + octaves(one.alignment, other.alignment);
  });
  return sum;
}

}  // namespace

std::vector<AtlasAnswer> article_images(const DriverColumn& column) {
  std::vector<AtlasAnswer> answers;
  for (const results::ImageRow& row : column.images)
    answers.push_back({fmt::format("{}x{}", row.width, row.height), row.size, row.alignment});
  return answers;
}

std::vector<AtlasAnswer> article_buffers(const DriverColumn& column) {
  std::vector<AtlasAnswer> answers;
  for (const results::BufferRow& row : column.buffers)
    answers.push_back({counted(row.length, "byte"), row.size, row.alignment});
  return answers;
}

std::vector<AtlasAnswer> sweep_images(const SweepAnswers& sweep) {
  std::vector<AtlasAnswer> answers;
  for (const results::ImageTable& table : sweep.images)
    for (const results::ImageAnswer& row : table.rows)
      answers.push_back(
          {results::describe(table.kind, row.width, row.height, row.depth), row.needs.size, row.needs.alignment});
  return answers;
}

std::vector<AtlasAnswer> sweep_buffers(const SweepAnswers& sweep) {
  std::vector<AtlasAnswer> answers;
  for (const results::BufferTable& table : sweep.buffers)
    for (const results::BufferAnswer& row : table.rows)
      answers.push_back({results::describe(table.kind, row.length), row.needs.size, row.needs.alignment});
  return answers;
}

const SweepAnswers* sweep_of(const DriverColumn& column, std::string_view name) {
  const auto found = std::ranges::find(column.sweeps, name, &SweepAnswers::name);
  return found == column.sweeps.end() ? nullptr : &*found;
}

std::vector<SameAnswers> same_answers(std::span<const DriverColumn> atlas, AnswersOf answers_of) {
  std::vector<SameAnswers> groups;
  std::map<std::string, std::size_t> by_hash;
  for (const DriverColumn& column : atlas) {
    std::vector<AtlasAnswer> answers = answers_of(column);
    if (answers.empty()) continue;
    std::string hash = content_name(table_text(answers));
    const auto [at, is_new] = by_hash.emplace(hash, groups.size());
    if (is_new) groups.push_back({std::move(hash), std::move(answers), {}});
    groups[at->second].columns.push_back(&column);
  }
  return groups;
}

AnswersDifference difference(std::span<const AtlasAnswer> from, std::span<const AtlasAnswer> to) {
  AnswersDifference found;
  bool constant = true;
  each_pair(from, to, [&](const AtlasAnswer& one, const AtlasAnswer& other) {
    ++found.compared;
    const AnswerPair pair{one, other};
    if (refused(one) && refused(other)) return;  // neither has a size
    const bool both = !refused(one) && !refused(other);
    constant = constant && both && one.alignment == other.alignment;
    if (both && constant && !found.always) found.always = growth(pair);
    constant = constant && both && found.always == growth(pair);
    if (one == other) return;
    ++found.different;
    if (!found.first) found.first = pair;
    if (both && extent(pair) > (found.largest ? extent(*found.largest) : 0)) found.largest = pair;
  });
  if (!constant || found.always == 0) found.always.reset();
  return found;
}

std::vector<std::optional<std::size_t>> nearest(std::span<const SameAnswers> groups) {
  std::vector<std::optional<std::size_t>> found(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::pair<std::size_t, double> least;
    for (std::size_t j = 0; j < groups.size(); ++j) {
      if (i == j) continue;
      const std::size_t different = count_different(groups[i], groups[j]);
      if (different == 0) continue;  // they were asked nothing in common
      const std::pair distance{different, visible_difference(groups[i], groups[j])};
      if (found[i] && distance >= least) continue;
      least = distance;
      found[i] = j;
    }
  }
  return found;
}

std::vector<std::size_t> most_different_first(std::span<const SameAnswers> groups, std::size_t fixed) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> distance(groups.size(), std::numeric_limits<double>::infinity());
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at >= fixed) {
      const auto farthest = std::max_element(order.begin() + static_cast<std::ptrdiff_t>(at), order.end(),
                                             [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
      std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(at), farthest);
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
      distance[i] = std::min(distance[i], visible_difference(groups[order[at]], groups[i]));
  }
  return order;
}

}  // namespace lab::judge
