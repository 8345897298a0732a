/// A formula over metrics, as an article prints one: "1 / (8 * leaf_bytes)", "2^levels * leaf_bytes".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::results {

/// Numbers, names, + - * / ^ and parentheses, with the usual precedence; ^ binds to the right.
class Formula {
 public:
  /// An error says what was expected, and where.
  static Expected<Formula> parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// The names in it, each once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }

  /// None if `value_of` lacks a name, or if the result is not finite.
  std::optional<double> evaluate(const std::function<std::optional<double>(const std::string&)>& value_of) const;

 private:
  friend class FormulaParser;

  /// A step of the formula in postfix order.
  struct Step {
    char what = 'n';  ///< 'n': a number; 'v': the value of a name; otherwise the operator
    double number = 0;
    std::size_t name = 0;
  };

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

}  // namespace lab::results
