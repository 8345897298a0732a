#include "harness/results/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "harness/base/error.h"

namespace lab::results {

namespace {

double applied(char what, double left, double right) {
  if (what == '+') return left + right;
  if (what == '-') return left - right;
  if (what == '*') return left * right;
  return what == '/' ? left / right : std::pow(left, right);
}

}  // namespace

/// Recursive descent; each rule appends its steps in postfix order.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) { formula_.text_ = text; }

  Expected<Formula> parse() {
    sum();
    if (problem_.empty() && next() != '\0') expect("an operator");
    if (!problem_.empty()) return Error{problem_, "", ExitStatus::kUsage};
    return std::move(formula_);
  }

 private:
  static constexpr int kMostNested = 50;

  void sum() {
    product();
    for (char sign = next(); problem_.empty() && (sign == '+' || sign == '-'); sign = next()) {
      ++at_;
      product();
      formula_.steps_.push_back({sign});
    }
  }
  void product() {
    power();
    for (char sign = next(); problem_.empty() && (sign == '*' || sign == '/'); sign = next()) {
      ++at_;
      power();
      formula_.steps_.push_back({sign});
    }
  }
  void power() {
    if (++nested_ > kMostNested) return expect(fmt::format("at most {} powers and parentheses", kMostNested));
    operand();
    if (problem_.empty() && next() == '^') {
      ++at_;
      power();
      formula_.steps_.push_back({'^'});
    }
    --nested_;
  }
  void operand() {
    const char first = next();
    const std::string_view rest = std::string_view(formula_.text_).substr(at_);
    if (first == '(') {
      ++at_;
      sum();
      if (problem_.empty() && next() != ')') return expect("')'");
      ++at_;
    } else if (std::isdigit(static_cast<unsigned char>(first)) != 0) {
      double number = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc()) return expect("a number");
      at_ += static_cast<std::size_t>(end - rest.data());
      formula_.steps_.push_back({'n', number});
    } else if (is_name(first)) {
      const auto end = std::ranges::find_if_not(rest, is_name);
      const std::string name(rest.begin(), end);
      at_ += name.size();
      const auto known = std::ranges::find(formula_.names_, name);
      const auto index = static_cast<std::size_t>(known - formula_.names_.begin());
      if (known == formula_.names_.end()) formula_.names_.push_back(name);
      formula_.steps_.push_back({'v', 0, index});
    } else {
      expect("a number, a name or '('");
    }
  }

  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  /// The next character that is no space; '\0' at the end.
  char next() {
    while (at_ < formula_.text_.size() && formula_.text_[at_] == ' ') ++at_;
    return at_ < formula_.text_.size() ? formula_.text_[at_] : '\0';
  }
  void expect(std::string_view what) {
    if (!problem_.empty()) return;
    problem_ = fmt::format("expected {} {}, found '{}'", what,
                           at_ < formula_.text_.size() ? fmt::format("at character {}", at_ + 1) : "at the end",
                           formula_.text_);
  }

  Formula formula_;
  std::size_t at_ = 0;
  int nested_ = 0;
  std::string problem_;
};

Expected<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).parse();
}

std::optional<double> Formula::evaluate(
    const std::function<std::optional<double>(const std::string&)>& value_of) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.what == 'n') {
      stack.push_back(step.number);
      continue;
    }
    if (step.what == 'v') {
      const std::optional<double> value = value_of(names_[step.name]);
      if (!value) return std::nullopt;
      stack.push_back(*value);
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    left = applied(step.what, left, right);
  }
  if (stack.size() != 1 || !std::isfinite(stack.front())) return std::nullopt;
  return stack.front();
}

}  // namespace lab::results
