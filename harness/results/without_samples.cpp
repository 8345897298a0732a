#include "harness/results/without_samples.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <cmath>
#include <optional>

namespace lab::results {

namespace {

namespace json = boost::json;

/// Builds the document as Boost's own parser does, but for the numbers in benchmarks[].samples.<phase>: one of them is
/// kept, the least, because it tells what a check of all of them would. What is no number stays, to be refused.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  explicit Builder(json::storage_ptr memory) { stack_.reset(std::move(memory)); }

  json::value release() { return stack_.release(); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return begin(); }
  bool on_object_end(std::size_t count, json::error_code&) {
    stack_.push_object(count);
    return end();
  }
  bool on_array_begin(json::error_code&) {
    begin();
    if (skipping()) {
      least_.reset();
      kept_ = 0;
    }
    return true;
  }
  bool on_array_end(std::size_t count, json::error_code&) {
    if (skipping()) {
      if (least_) keep([this] { stack_.push_double(*least_); });
      count = kept_;
    }
    stack_.push_array(count);
    return end();
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view key, std::size_t, json::error_code&) {
    if (depth_ == 1) in_processes_ = key == "benchmarks";
    if (depth_ == 3) in_samples_ = in_processes_ && key == "samples";
    stack_.push_key(key);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view text, std::size_t, json::error_code&) {
    return keep([&] { stack_.push_string(text); });
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) {
    return skip(static_cast<double>(number)) || keep([&] { stack_.push_int64(number); });
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    return skip(static_cast<double>(number)) || keep([&] { stack_.push_uint64(number); });
  }
  bool on_double(double number, json::string_view, json::error_code&) {
    return (std::isfinite(number) && skip(number)) || keep([&] { stack_.push_double(number); });
  }
  bool on_bool(bool truth, json::error_code&) {
    return keep([&] { stack_.push_bool(truth); });
  }
  bool on_null(json::error_code&) {
    return keep([&] { stack_.push_null(); });
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  /// Directly within benchmarks[].samples.<phase>.
  bool skipping() const { return in_samples_ && depth_ == 5; }

  bool begin() {
    ++depth_;
    return true;
  }
  bool end() {
    --depth_;
    if (skipping()) ++kept_;
    return true;
  }
  bool skip(double number) {
    if (!skipping()) return false;
    least_ = std::min(least_.value_or(number), number);
    return true;
  }
  bool keep(const auto& push) {
    push();
    if (skipping()) ++kept_;
    return true;
  }

  json::value_stack stack_;
  int depth_ = 0;  // of objects and arrays that are open
  bool in_processes_ = false, in_samples_ = false;
  std::optional<double> least_;
  std::size_t kept_ = 0;
};

}  // namespace

Expected<Result> parse_without_samples(std::string_view text, std::string_view name) {
  // All of the document goes at once: nothing of it is freed one by one.
  json::monotonic_resource memory(1 << 16);
  json::basic_parser<Builder> parser{json::parse_options{}, &memory};
  json::error_code problem;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), problem);
  if (!problem && parser.done() && text.find_first_not_of(" \t\r\n", used) == std::string_view::npos) {
    if (Expected<Result> result = result_from(parser.handler().release(), name); result) return result;
  }
  // One place says what is wrong with a text.
  return parse_result(text, name);
}

}  // namespace lab::results
