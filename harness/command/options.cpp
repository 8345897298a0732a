#include "harness/command/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "harness/base/fit.h"
#include "harness/base/nearest.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"

namespace lab::command {

namespace {

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string near = nearest_name(wanted, names);
  return near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near);
}

/// Columns of help: the usual terminal width.
constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kNameWidth = 12;
constexpr std::size_t kOptionWidth = 24;

/// "  name  help" in two columns; the help starts below a name that is too long for its column.
std::string help_row(const std::string& name, std::size_t width, const std::string& help) {
  const std::size_t indent = width + 3;
  if (name.size() > width)
    return fmt::format("  {}\n{:{}}{}\n", name, "", indent, wrapped_after(help, kHelpWidth, indent));
  return fmt::format("  {:<{}} {}\n", name, width, wrapped_after(help, kHelpWidth, indent));
}

/// Wraps the usage text, but never inside brackets.
std::string wrapped_usage(std::string text, std::size_t indent) {
  constexpr char kHeld = '\1';
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  int depth = 0;
  for (char& c : text) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ' ' && depth > 0) c = kHeld;
  }
  text = wrapped_after(text, kHelpWidth, indent);
  std::replace(text.begin(), text.end(), kHeld, ' ');
  return text;
}

/// Texts name commands as they are in a checkout. A bundle's launcher says how it was started.
std::string as_invoked(std::string text) {
  const char* const launcher = std::getenv("LAB_INVOKED");
  if (launcher != nullptr) boost::replace_all(text, "python3 make.py", launcher);
  return text;
}

std::string help(std::span<const Command> commands) {
  std::string text = "usage: python3 make.py COMMAND [OPTIONS]\n\n";
  for (const Command& command : commands) text += help_row(command.name, kNameWidth, command.summary);
  return text + "\npython3 make.py COMMAND --help for its options; --version for this build\n";
}

std::string help(const Command& command) {
  std::string text =
      fmt::format("{}\n\n{}\n", wrapped_after(command.summary, kHelpWidth, 0),
                  wrapped_usage(fmt::format("usage: python3 make.py {} {}", command.name, command.usage), 7));
  if (!command.notes.empty()) text += fmt::format("\n{}\n", wrapped_after(command.notes, kHelpWidth, 0));
  if (!command.options.empty()) text += "\n";
  for (const Option& option : command.options)
    text += help_row(option.value.empty() ? option.name : option.name + " " + option.value, kOptionWidth, option.help);
  return text;
}

/// Runs `act`, which prints. A write error (for example a full disk) is a failure, whatever `act` returns. If the
/// reader of standard output is gone, there is no error message.
template <typename Act>
Expected<ExitStatus> guarded(std::string_view name, const Act& act) {
  const auto failed = [&](std::string what) {
    return reader_gone(STDOUT_FILENO) ? Expected<ExitStatus>(ExitStatus::kNobodyReads) : Error{std::move(what), ""};
  };
  try {
    Expected<ExitStatus> status = act();
    if (!status || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return status;
    return failed("writing to standard output failed");
  } catch (const std::system_error& error) {
    // fmt::print and std::filesystem throw; the system's message is the best available.
    return failed(fmt::format("{}: {}", name, error.what()));
  }
}

/// Makes an error one line, even if it quotes a file's content: no control byte reaches the terminal.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

Expected<Options> Options::parse(std::span<const Option> table, std::span<const std::string> arguments) {
  Options options;
  bool only_positional = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (only_positional || argument.size() < 2 || argument[0] != '-') {
      options.positional_.push_back(argument);
      continue;
    }
    if (argument == "--") {
      only_positional = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto known = std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.name == name; });
    if (known == table.end()) {
      std::vector<std::string> names;
      for (const Option& option : table)
        if (!option.name.empty()) names.push_back(option.name);
      return usage_error(fmt::format("unknown option '{}'", name), did_you_mean(name, names));
    }
    if (known->value.empty()) {
      if (equals != std::string::npos) return usage_error(fmt::format("{} takes no value", name), "");
      options.values_[name].emplace_back();
      continue;
    }
    const bool follows = equals == std::string::npos && i + 1 < arguments.size();
    // Usually the value was forgotten. One that really begins with dashes can be written as --name=--value.
    if (follows && arguments[i + 1].starts_with("--"))
      return usage_error(fmt::format("{}: expected {}, found the option '{}'", name, known->value, arguments[i + 1]));
    const std::string value = follows ? arguments[++i] : equals == std::string::npos ? "" : argument.substr(equals + 1);
    // An empty value is usually an unset variable in a script.
    if (value.empty())
      return usage_error(fmt::format("{} needs a value", name), fmt::format("{} {}", name, known->value));
    options.values_[name].push_back(value);
  }
  return options;
}

std::optional<std::string> Options::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Options::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

template <typename Number>
Expected<void> Options::read(const std::string& name, Number& number, std::type_identity_t<Number> low,
                             std::type_identity_t<Number> high) const {
  const std::optional<std::string> text = value(name);
  if (!text) return {};
  const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || rest != text->data() + text->size() || !(number >= low && number <= high))
    return usage_error(fmt::format("{}: expected a number from {} to {}, found '{}'", name, low, high, *text));
  return {};
}

template Expected<void> Options::read(const std::string&, int&, int, int) const;
template Expected<void> Options::read(const std::string&, double&, double, double) const;
template Expected<void> Options::read(const std::string&, std::uint64_t&, std::uint64_t, std::uint64_t) const;

Expected<void> Options::refuse_arguments(std::string_view command, std::string_view hint) const {
  if (positional_.empty()) return {};
  return usage_error(fmt::format("{} takes no argument, found '{}'", command, positional_.front()), std::string(hint));
}

ExitStatus dispatch(std::span<const Command> commands, std::span<const std::string> arguments,
                    const std::function<std::string()>& version) {
  const auto fail = [&](const Error& error) {
    fmt::print(stderr, "harness: error: {}\n", one_line(as_invoked(error.what)));
    // A usage error without a hint refers to the command's help.
    const std::string hint = error.hint.empty() && error.status == ExitStatus::kUsage
                                 ? fmt::format("python3 make.py {} --help", arguments[0])
                                 : error.hint;
    if (!hint.empty()) fmt::print(stderr, "hint: {}\n", one_line(as_invoked(hint)));
    return error.status;
  };
  const auto print = [&](std::string_view name, const auto& text, ExitStatus good) {
    const Expected<ExitStatus> status = guarded(name, [&] {
      fmt::print("{}", as_invoked(text()));
      return Expected<ExitStatus>(good);
    });
    return status ? *status : fail(status.error());
  };
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h")
    return print(
        "help", [&] { return help(commands); }, arguments.empty() ? ExitStatus::kUsage : ExitStatus::kOk);
  if (version && arguments[0] == "--version") return print("version", version, ExitStatus::kOk);
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == arguments[0]; });
  if (command == commands.end()) {
    std::vector<std::string> names;
    for (const Command& known : commands) names.push_back(known.name);
    return fail(usage_error(fmt::format("unknown command '{}'", arguments[0]), did_you_mean(arguments[0], names)));
  }
  const auto rest = arguments.subspan(1);
  if (std::find_if(rest.begin(), rest.end(), [](const std::string& one) { return one == "--help" || one == "-h"; }) !=
      rest.end())
    return print(
        "help", [&] { return help(*command); }, ExitStatus::kOk);
  const Expected<Options> options = Options::parse(command->options, rest);
  if (!options) return fail(options.error());
  const Expected<ExitStatus> status = guarded(command->name, [&] { return command->run(*options); });
  return status ? *status : fail(status.error());
}

}  // namespace lab::command
