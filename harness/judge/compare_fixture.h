/// Sessions of two arms for tests of comparisons.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/results/result_fixture.h"

namespace lab::judge {

/// Fixtures: benchmark i is "shelf/v<i>/store", at 100 ns times its factor, with 1 % of noise.
class SessionMaker {
 public:
  explicit SessionMaker(unsigned seed = 1) : random_(seed) {}

  /// A session of `arms`; `factor`: by how much a benchmark of an arm is slower.
  results::Result session(
      int rows, int blocks, const std::vector<std::string_view>& arms,
      const std::function<double(int, std::string_view)>& factor = [](int, std::string_view) { return 1.0; }) {
    results::Result result = results::fixture_result();
    result.session.id = fmt::format("session {}", ++sessions_);
    for (const std::string_view arm : arms) {
      result.arms.emplace_back();
      result.arms.back().name = arm;
    }
    for (int block = 0; block < blocks; ++block)
      for (int row = 0; row < rows; ++row)
        for (const std::string_view arm : arms) {
          if (arm == results::kControl && row != 0) continue;
          result.processes.push_back(results::fixture_process(fmt::format("shelf/v{}/store", row), block,
                                                              100 * std::exp(noise_(random_)) * factor(row, arm)));
          result.processes.back().arm = arm;
        }
    return result;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_{0, 0.01};
  int sessions_ = 0;
};

inline const ComparisonRow* find_row(const Comparison& comparison, const std::string& benchmark) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.benchmark == benchmark) return &row;
  return nullptr;
}

inline Verdict verdict_of(const Comparison& comparison, int row) {
  return find_row(comparison, fmt::format("shelf/v{}/store", row))->verdict;
}

/// 20 blocks of four benchmarks: as before, 5 % slower, 5 % faster, 1.5 % slower.
inline results::Result changed_session() {
  return SessionMaker().session(4, 20, {results::kBase, results::kHead}, [](int row, std::string_view arm) {
    constexpr double kFactors[]{1, 1.05, 0.95, 1.015};
    return arm == results::kHead ? kFactors[row] : 1;
  });
}

inline CompareSettings at(double threshold) {
  CompareSettings settings;
  settings.threshold = threshold;
  return settings;
}

/// Two sessions of one build of `rows` benchmarks; head is `factor` times slower in all of them.
inline std::pair<results::Result, results::Result> of_one_build(int rows, double factor) {
  SessionMaker maker;
  results::Result base = maker.session(rows, 10, {results::kHead});
  results::Result head = maker.session(rows, 10, {results::kHead}, [&](int, std::string_view) { return factor; });
  for (results::Result* session : {&base, &head})
    for (int row = 0; row < rows; ++row) session->arms[0].executables[fmt::format("shelf/v{}", row)] = "abc";
  return {base, head};
}

/// The warnings of one kind.
template <typename One>
std::vector<One> warnings_of(const Comparison& comparison) {
  std::vector<One> found;
  for (const Warning& warning : comparison.warnings)
    if (const One* one = std::get_if<One>(&warning)) found.push_back(*one);
  return found;
}

}  // namespace lab::judge
