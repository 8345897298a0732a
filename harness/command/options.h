/// The command line as a table: a command names its options once; parsing, help and "did you mean" follow from that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::command {

struct Option {
  std::string name;   ///< with its dashes: "--filter"
  std::string value;  ///< what its value is called in help ("GLOB"); "" for a flag
  std::string help;   ///< half a line
};

/// What was given on the command line. Every getter but `positional` takes an option's name with its dashes.
class Options {
 public:
  /// Splits `arguments` by the table. `--name value` and `--name=value` are the same, an empty value is none;
  /// after `--` all is positional.
  static Expected<Options> parse(std::span<const Option> table, std::span<const std::string> arguments);

  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> value(const std::string& name) const;  ///< the last one given
  std::vector<std::string> values(const std::string& name) const;   ///< all of them, in order
  /// A number within [low, high], `fallback` where it is not given, or one sentence saying what was expected.
  Expected<std::int64_t> integer(const std::string& name, std::int64_t fallback, std::int64_t low,
                                 std::int64_t high) const;
  Expected<double> number(const std::string& name, double fallback, double low, double high) const;
  const std::vector<std::string>& positional() const { return positional_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positional_;
};

struct Command {
  std::string name;
  std::string usage;    ///< what follows the name: "[--filter GLOB]... [--out FILE]"
  std::string summary;  ///< half a line
  std::vector<Option> options;
  /// Prints its own data to standard output; an error is printed by main and decides the exit status.
  Expected<ExitStatus> (*run)(const Options& options) = nullptr;
  std::string notes{};  ///< what else help says, before the options
};

/// Finds and runs the command that `arguments` (without the program's name) begin with; prints help, which fits 80
/// columns, the version, and errors. Without `version` there is no --version.
ExitStatus dispatch(std::span<const Command> commands, std::span<const std::string> arguments,
                    const std::function<std::string()>& version = {});

}  // namespace lab::command
