#include "harness/cli/build_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/utc.h"

namespace lab::cli {

namespace {

/// Without a terminal, make.py prints progress every ten seconds; the build's log has the output in between.
constexpr double kSecondsBetweenLines = 5;

/// Minimum columns for the prefix.
constexpr std::size_t kLeastName = 20;

}  // namespace

void BuildProgress::begin(std::string prefix) {
  prefix_ = std::move(prefix);
  last_ = monotonic_seconds();
  line_.show(prefix_);
}

void BuildProgress::show(std::string_view output) {
  output.remove_prefix(std::min(output.find_first_not_of(' '), output.size()));
  if (line_.live()) {
    // The changing text must stay visible, so a long prefix is cut at its end.
    const auto width = static_cast<std::size_t>(std::max(1, terminal_width(STDERR_FILENO) - 1));
    const std::size_t taken = std::min(width, text_width(output) + 2);
    const std::string prefix = wrapped(prefix_, std::max<std::size_t>(width - taken, kLeastName)).front();
    return line_.show(fmt::format("{}: {}", prefix, output));
  }
  const std::string text = fmt::format("{}: {}", prefix_, output);
  const double now = monotonic_seconds();
  if (now - last_ < kSecondsBetweenLines) return;
  last_ = now;
  line_.print(text);
}

}  // namespace lab::cli
