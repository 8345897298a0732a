/// Converts structs to JSON and back with one list of fields per struct:
///
///   void fields(auto& f, Cache& c) { f("type", c.type); f("level", c.level); }
///
/// Writing keeps the order of that list. Reading reports where a value is, what was expected and what was found
/// ("machine.gpus[0]: expected a string, found a number"). A missing field is an error unless it is listed with
/// f.added(). An unknown field is ignored, so a later writer may add fields. A json::object or json::array is copied
/// unchanged. A pair
/// or tuple is an array. An enum E whose values count from 0 is a string if `names_of(E)` returns an array of their
/// names; it is found by argument-dependent lookup.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace lab {

namespace json = boost::json;

/// JSON, or one sentence with ExitStatus::kUsage: empty, truncated, or not JSON (NaN included) and where. The sentence
/// calls the text `name`.
Expected<json::value> parse_json(std::string_view text, std::string_view name);
/// The same for text of another machine: its strings, also its fields' names, are printable (base/printable.h).
Expected<json::value> parse_printable_json(std::string_view text, std::string_view name);

/// Makes all strings of `value` printable, also its fields' names.
void make_printable(json::value& value);

template <typename T>
json::value to_json(const T& value);

/// Collects a struct's fields into an object.
class FieldWriter {
 public:
  template <typename T>
  void operator()(std::string_view name, const T& value) {
    object[name] = to_json(value);
  }
  /// A field that older files do not have.
  template <typename T>
  void added(std::string_view name, const T& value) {
    (*this)(name, value);
  }
  json::object object;
};

namespace detail {

/// Whether T is a std::vector, for example: is_a<T, std::vector>.
template <typename T, template <typename...> typename Template>
inline constexpr bool is_a = false;
template <template <typename...> typename Template, typename... Arguments>
inline constexpr bool is_a<Template<Arguments...>, Template> = true;
template <typename T>
concept IsTuple = requires {
  std::tuple_size<T>::value;
};
template <typename T>
concept IsNamedEnum = std::is_enum_v<T> && requires(T& value) {
  names_of(value);
};

/// JSON has no NaN and no infinity: they become null, which no reader accepts as a number. Whole numbers are written as
/// integers.
inline json::value number_to_json(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace detail

template <typename T>
json::value to_json(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return detail::number_to_json(value);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T> || std::is_same_v<T, json::object> ||
                       std::is_same_v<T, json::array>) {
    return json::value(value);
  } else if constexpr (detail::IsNamedEnum<T>) {
    return json::value(names_of(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (detail::is_a<T, std::optional>) {
    return value ? to_json(*value) : json::value(nullptr);
  } else if constexpr (detail::is_a<T, std::vector>) {
    json::array array;
    array.reserve(value.size());
    for (const auto& element : value) array.push_back(to_json(element));
    return array;
  } else if constexpr (detail::IsTuple<T>) {
    return std::apply([](const auto&... each) { return json::array{to_json(each)...}; }, value);
  } else if constexpr (detail::is_a<T, std::map>) {
    json::object object;
    for (const auto& [key, element] : value) object[key] = to_json(element);
    return object;
  } else {
    FieldWriter writer;
    // One list of fields serves both directions; FieldWriter does not modify the value.
    fields(writer, const_cast<T&>(value));
    return std::move(writer.object);
  }
}

/// Reads one value at a path; keeps the first error.
class FieldReader {
 public:
  /// `path` must outlive the reader.
  FieldReader(const json::value& value, std::string_view path) : value_(&value), name_(path) {}

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

  template <typename T>
  void read(T& out) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!value_->is_string()) return expected("a string");
      out = std::string(value_->get_string());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!value_->is_bool()) return expected("true or false");
      out = value_->get_bool();
    } else if constexpr (std::is_arithmetic_v<T>) {
      read_number(out);
    } else if constexpr (std::is_same_v<T, json::object>) {
      if (!value_->is_object()) return expected("an object");
      out = value_->get_object();
    } else if constexpr (std::is_same_v<T, json::array>) {
      if (!value_->is_array()) return expected("an array");
      out = value_->get_array();
    } else if constexpr (detail::IsNamedEnum<T>) {
      read_name(out);
    } else if constexpr (detail::is_a<T, std::optional>) {
      out.reset();
      if (!value_->is_null()) read(out.emplace());
    } else if constexpr (detail::is_a<T, std::vector>) {
      if (!value_->is_array()) return expected("an array");
      out.clear();
      out.reserve(value_->get_array().size());
      for (const json::value& element : value_->get_array()) {
        if (failed()) return;
        const std::size_t index = out.size();
        read_into(FieldReader(element, *this, index), out.emplace_back());
      }
    } else if constexpr (detail::IsTuple<T>) {
      if (!value_->is_array() || value_->get_array().size() != std::tuple_size_v<T>)
        return expected(fmt::format("an array of {} elements", std::tuple_size_v<T>));
      std::size_t index = 0;
      const auto read_next = [&](auto& each) {
        const std::size_t at = index++;
        if (!failed()) read_into(FieldReader(value_->get_array()[at], *this, at), each);
      };
      std::apply([&](auto&... each) { (read_next(each), ...); }, out);
    } else if constexpr (detail::is_a<T, std::map>) {
      if (!value_->is_object()) return expected("an object");
      out.clear();
      for (const auto& member : value_->get_object()) {
        if (failed()) return;
        read_into(FieldReader(member.value(), *this, member.key()), out[std::string(member.key())]);
      }
    } else {
      if (!value_->is_object()) return expected("an object");
      fields(*this, out);
    }
  }

  /// One field of the current struct.
  template <typename T>
  void operator()(std::string_view name, T& out) {
    if (failed()) return;
    const json::value* found = value_->get_object().if_contains(name);
    if (found == nullptr)
      error_ = fmt::format("{}: missing", FieldReader(*value_, *this, name).path());
    else
      read_into(FieldReader(*found, *this, name), out);
  }
  /// As above, but `out` is unchanged if the field is missing.
  template <typename T>
  void added(std::string_view name, T& out) {
    if (!failed() && value_->get_object().contains(name)) (*this)(name, out);
  }
  /// Refuses the value of a field.
  void refuse(std::string_view name, std::string_view why) {
    if (!failed()) error_ = fmt::format("{}: {}", FieldReader(*value_, *this, name).path(), why);
  }

 private:
  template <typename T>
  void read_number(T& out) {
    if constexpr (std::is_floating_point_v<T>) {
      // Most of a result is samples, and most samples are whole.
      if (const std::int64_t* whole = value_->if_int64()) {
        out = static_cast<T>(*whole);
        return;
      }
    }
    boost::system::error_code inexact;
    const T number = value_->is_number() ? value_->to_number<T>(inexact) : T{};
    bool good = value_->is_number() && !inexact;
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(number);
    if (good)
      out = number;
    else
      expected(std::is_floating_point_v<T> ? "a finite number"
               : std::is_signed_v<T>       ? "a whole number"
                                           : "a whole number from 0");
  }

  template <typename T>
  void read_name(T& out) {
    const auto& names = names_of(out);
    const json::string* const text = value_->if_string();
    const auto found = text == nullptr ? names.end() : std::find(names.begin(), names.end(), std::string_view(*text));
    if (found == names.end()) return expected(fmt::format("one of {}", fmt::join(names, ", ")), text);
    out = static_cast<T>(found - names.begin());
  }

  // The path is built only for an error: a result holds a hundred thousand values.
  FieldReader(const json::value& value, const FieldReader& parent, std::string_view name)
      : value_(&value), parent_(&parent), name_(name) {}
  FieldReader(const json::value& value, const FieldReader& parent, std::size_t index)
      : value_(&value), parent_(&parent), index_(index) {}

  std::string path() const {
    if (parent_ == nullptr) return std::string(name_);
    const std::string above = parent_->path();
    if (index_) return fmt::format("{}[{}]", above, *index_);
    return above.empty() ? std::string(name_) : fmt::format("{}.{}", above, name_);
  }

  /// `text`: a string to quote.
  void expected(std::string_view what, const json::string* text = nullptr) {
    const auto found = [this, text]() -> std::string {
      if (text != nullptr) return fmt::format("'{}'", std::string_view(*text));
      if (value_->is_number()) return json::serialize(*value_);
      if (value_->is_null()) return "null";
      return value_->is_string()   ? "a string"
             : value_->is_array()  ? "an array"
             : value_->is_object() ? "an object"
                                   : "a truth value";
    };
    const std::string where = path();
    error_ = fmt::format("{}: expected {}, found {}", where.empty() ? "the document" : where, what, found());
  }

  template <typename T>
  void read_into(FieldReader reader, T& out) {
    reader.read(out);
    if (reader.failed()) error_ = std::move(reader.error_);
  }

  const json::value* value_;
  const FieldReader* parent_ = nullptr;
  std::string_view name_;             // in the parent
  std::optional<std::size_t> index_;  // or the index there
  std::string error_;
};

/// Converts JSON to a T, or reports where it fails and why (ExitStatus::kUsage). `path` is the place of `value` in its
/// document.
template <typename T>
Expected<T> from_json(const json::value& value, std::string_view path = "") {
  T out{};
  FieldReader reader(value, path);
  reader.read(out);
  if (reader.failed()) return Error{reader.error(), "", ExitStatus::kUsage};
  return out;
}

/// Converts a text that parse_json accepts to a T. An error begins with `name`.
template <typename T>
Expected<T> parse_struct(std::string_view text, std::string_view name) {
  const Expected<json::value> value = parse_printable_json(text, name);
  if (!value) return value.error();
  Expected<T> parsed = from_json<T>(*value);
  if (!parsed) return in_context(name, parsed.error());
  return parsed;
}

}  // namespace lab
