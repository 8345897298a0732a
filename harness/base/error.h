/// Errors as values: what went wrong, what to do next, and the exit status of `main`.
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error_fwd.h"

namespace lab {

/// Exit statuses of every command; the contract of the command line.
enum class ExitStatus : int {
  kOk = 0,
  kFailed = 1,         ///< download, build, variant, driver, test or verify failed
  kUsage = 2,          ///< wrong usage or unreadable input
  kRegression = 3,     ///< a verdict found a regression
  kUnfit = 4,          ///< the session cannot support a verdict
  kSilent = 5,         ///< a machine of a farm has not measured for too long
  kInterrupted = 130,  ///< SIGINT or SIGTERM
  kNobodyReads = 141   ///< the reader of our output has gone, as with SIGPIPE; nothing is printed
};

struct Error {
  Error() = default;
  // At least two arguments, so that Expected<std::string> does not take its value for an error.
  Error(std::string sentence, std::string next, ExitStatus exit = ExitStatus::kFailed)
      : what(std::move(sentence)), hint(std::move(next)), status(exit) {}

  std::string what;  ///< one sentence: what was done, what was expected, what was found
  std::string hint;  ///< the next command or step; if empty, a usage error points to the command's help
  ExitStatus status = ExitStatus::kFailed;
};

/// The error of an operation that SIGINT or SIGTERM ended.
Error interrupted_error();

/// The same error, prefixed with what the caller was doing.
Error in_context(std::string_view doing, Error error);

/// Called by result::value() on an error, which is a bug in the caller: aborts.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace lab
