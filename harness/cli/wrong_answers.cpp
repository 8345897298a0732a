#include "harness/cli/wrong_answers.h"

#include <fmt/format.h>

#include <cstdio>

#include "harness/judge/column_rules.h"

namespace lab::cli {

bool print_wrong_answers(const results::DriverColumn& column) {
  for (const results::Contradiction& c : column.contradictions)
    fmt::print(stderr, "probe: {}: {}: first {}, then {}\n", column.name, c.what, c.first, c.second);
  bool wrong = column.contradicted != 0;
  for (const judge::BrokenRule& rule : judge::broken_rules(column)) {
    wrong = wrong || rule.of_the_specification;
    fmt::print(stderr, "probe: {}: {} that {}: {}, {}{}\n", column.name,
               rule.of_the_specification ? "breaks the rule" : "is unusual: expected", rule.rule, rule.what, rule.found,
               rule.count == 1 ? "" : fmt::format(", and {} more", rule.count - 1));
  }
  return wrong;
}

}  // namespace lab::cli
