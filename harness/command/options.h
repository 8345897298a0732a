/// The command line as a table: a command lists its options once, for parsing, help and "did you mean".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/error.h"

namespace lab::command {

struct Option {
  std::string name;   ///< with dashes: "--filter"
  std::string value;  ///< the value's name in help ("GLOB"); "" for a flag
  std::string help;   ///< half a line
};

/// The parsed command line. Every getter except `positional` expects an option's name with dashes.
class Options {
 public:
  /// Parses `arguments` by the table. `--name value` and `--name=value` are equivalent, but a value that
  /// begins with two dashes needs the second form. An empty value is an error.
  /// All arguments after `--` are positional.
  static Expected<Options> parse(std::span<const Option> table, std::span<const std::string> arguments);

  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> value(const std::string& name) const;  ///< the last one given
  std::vector<std::string> values(const std::string& name) const;   ///< all of them, in order
  /// Sets `number` to the option's value, which must be in [low, high]. Leaves it unchanged if the option is not given.
  /// Number is int, double or std::uint64_t.
  template <typename Number>
  Expected<void> read(const std::string& name, Number& number, std::type_identity_t<Number> low,
                      std::type_identity_t<Number> high) const;
  template <typename Number>
  Expected<void> read(const std::string& name, std::optional<Number>& number, std::type_identity_t<Number> low,
                      std::type_identity_t<Number> high) const {
    return has(name) ? read(name, number.emplace(), low, high) : Expected<void>();
  }
  /// An error if there are arguments without a dash.
  Expected<void> refuse_arguments(std::string_view command, std::string_view hint = "") const;
  const std::vector<std::string>& positional() const { return positional_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positional_;
};

struct Command {
  std::string name;
  std::string usage;    ///< the text after the name: "[--filter GLOB]... [--out FILE]"
  std::string summary;  ///< half a line
  std::vector<Option> options;
  /// Prints its data to standard output. dispatch() prints an error, which decides the exit status.
  Expected<ExitStatus> (*run)(const Options& options) = nullptr;
  std::string notes{};  ///< further help text, before the options
};

/// Runs the command named by the first of `arguments` (without the program's name). Prints help (80 columns), the
/// version, and errors. Without `version` there is no --version.
ExitStatus dispatch(std::span<const Command> commands, std::span<const std::string> arguments,
                    const std::function<std::string()>& version = {});

}  // namespace lab::command
