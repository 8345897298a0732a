/// The production NightEnvironment: the harness executable as a child, git, and the clocks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/night.h"
#include "harness/base/child.h"
#include "harness/base/interrupt.h"
#include "harness/base/utc.h"

namespace lab::app {

class HarnessNightEnvironment : public NightEnvironment {
 public:
  struct Paths {
    std::filesystem::path executable;  ///< the harness
    std::filesystem::path root;        ///< the checkout
    std::filesystem::path results;     ///< passed to children as LAB_RESULTS
    int lock = -1;  ///< the night's lock; children inherit it, so it stays locked while any child runs
  };
  /// `print_line` prints a line for people.
  HarnessNightEnvironment(Paths paths, std::function<void(std::string_view)> print_line)
      : paths_(std::move(paths)), print_line_(std::move(print_line)) {}

  std::time_t now() override { return std::time(nullptr); }
  double clock() override { return monotonic_seconds(); }
  Expected<std::string> machine() override;
  Expected<std::vector<std::string>> commits(const std::vector<std::string>& range) override;
  Expected<VerbOutcome> run_verb(const std::string& verb, const std::vector<std::string>& arguments) override;
  HistoryText history_text() override;
  void print_line(std::string_view line) override { print_line_(line); }
  bool interrupted() override { return guard_.interrupted(); }
  int stop_file() override { return guard_.file(); }

 private:
  ChildSpec command(const std::vector<std::string>& arguments) const;

  Paths paths_;
  std::function<void(std::string_view)> print_line_;
  InterruptGuard guard_;
};

}  // namespace lab::app
