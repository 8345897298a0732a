/// Structs to JSON and back from one list of fields a struct:
///
///   template <typename Fields> void fields(Fields& f, Cache& c) { f("type", c.type); f("level", c.level); }
///
/// Writing keeps the order of that list. Reading says where a value is and what was expected and found
/// ("machine.gpus[0]: expected a string, found a number"); a field that is missing is an error, one that is not known
/// is passed over, so that a later writer may add fields.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/error.h"

namespace lab::results {

namespace json = boost::json;

template <typename T>
json::value to_json(const T& value);

/// Collects a struct's fields into an object.
class FieldWriter {
 public:
  template <typename T>
  void operator()(std::string_view name, const T& value) {
    object[name] = to_json(value);
  }
  json::object object;
};

namespace detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsMap : std::false_type {};
template <typename T>
struct IsMap<std::map<std::string, T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// JSON has no NaN and no infinity: null, which no reader takes for a number. Whole numbers are written as such.
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
  } else if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
    return json::value(value);
  } else if constexpr (detail::IsOptional<T>::value) {
    return value ? to_json(*value) : json::value(nullptr);
  } else if constexpr (detail::IsVector<T>::value) {
    json::array array;
    array.reserve(value.size());
    for (const auto& element : value) array.push_back(to_json(element));
    return array;
  } else if constexpr (detail::IsMap<T>::value) {
    json::object object;
    for (const auto& [key, element] : value) object[key] = to_json(element);
    return object;
  } else {
    FieldWriter writer;
    // One list of fields serves both ways; writing through it changes nothing.
    fields(writer, const_cast<T&>(value));
    return std::move(writer.object);
  }
}

/// Reads one value at a path; the first error stays.
class FieldReader {
 public:
  FieldReader(const json::value& value, std::string path) : value_(&value), path_(std::move(path)) {}

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
    } else if constexpr (detail::IsOptional<T>::value) {
      out.reset();
      if (!value_->is_null()) read(out.emplace());
    } else if constexpr (detail::IsVector<T>::value) {
      if (!value_->is_array()) return expected("an array");
      out.clear();
      out.reserve(value_->get_array().size());
      for (const json::value& element : value_->get_array()) {
        if (failed()) return;
        const std::string path = fmt::format("{}[{}]", path_, out.size());
        read_into(element, path, out.emplace_back());
      }
    } else if constexpr (detail::IsMap<T>::value) {
      if (!value_->is_object()) return expected("an object");
      out.clear();
      for (const auto& member : value_->get_object()) {
        if (failed()) return;
        read_into(member.value(), path_of(member.key()), out[std::string(member.key())]);
      }
    } else {
      if (!value_->is_object()) return expected("an object");
      fields(*this, out);
    }
  }

  /// One field of the struct that is being read.
  template <typename T>
  void operator()(std::string_view name, T& out) {
    if (failed()) return;
    const json::value* found = value_->get_object().if_contains(name);
    if (found == nullptr)
      error_ = fmt::format("{}: missing", path_of(name));
    else
      read_into(*found, path_of(name), out);
  }

 private:
  template <typename T>
  void read_number(T& out) {
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

  std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  void expected(std::string_view what) {
    const auto found = [this]() -> std::string {
      if (value_->is_number()) return json::serialize(*value_);
      if (value_->is_null()) return "null";
      return value_->is_string()   ? "a string"
             : value_->is_array()  ? "an array"
             : value_->is_object() ? "an object"
                                   : "a truth value";
    };
    error_ = fmt::format("{}: expected {}, found {}", path_.empty() ? "the document" : path_, what, found());
  }

  template <typename T>
  void read_into(const json::value& value, std::string path, T& out) {
    FieldReader reader(value, std::move(path));
    reader.read(out);
    if (reader.failed()) error_ = reader.error();
  }

  const json::value* value_;
  std::string path_;
  std::string error_;
};

/// A T from JSON, or where it is not one and why (ExitStatus::kUsage). `path` is where `value` lies in its document.
template <typename T>
Expected<T> from_json(const json::value& value, std::string path = "") {
  T out{};
  FieldReader reader(value, std::move(path));
  reader.read(out);
  if (reader.failed()) return Error{reader.error(), "", ExitStatus::kUsage};
  return out;
}

}  // namespace lab::results
