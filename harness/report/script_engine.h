/// JavaScript in QuickJS, without a browser and within limits.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::report {

struct ScriptLimits {
  std::size_t memory_bytes = std::size_t{512} << 20;
  std::chrono::milliseconds time{20'000};  ///< processor time, for each script and for each call
};

class ScriptEngine {
 public:
  explicit ScriptEngine(ScriptLimits limits);
  ~ScriptEngine();

  /// Runs a script (followed by a zero byte) and its pending jobs.
  Expected<void> load(std::string_view name, std::string_view script);

  /// The texts of these fields of the object that a global function returns, after its pending jobs.
  Expected<std::vector<std::string>> call(std::string_view doing, const char* function, const std::string& argument,
                                          const std::vector<const char*>& fields);

  /// An error with JavaScript's message, or with the limit that was exceeded.
  Error explain(std::string_view doing, std::string message) const;

 private:
  struct State;
  Error thrown(std::string_view doing);
  Expected<void> finish(std::string_view doing);

  std::unique_ptr<State> state_;
};

}  // namespace lab::report
