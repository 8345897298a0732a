#include "variants/render_config/viewer/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "harness/base/nearest.h"
#include "harness/base/usage_error.h"
#include "variants/vulkan/driver_process.h"

namespace lab::render_config {

namespace {

constexpr std::uint32_t kMostPixels = 8192;

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Expected<void> set(ViewOptions& options, const std::string& flag, const std::string& value) {
  if (flag == "--size") {
    const std::size_t by = value.find('x');
    const bool numbers = by != std::string::npos &&
                         parse_number(std::string_view(value).substr(0, by), options.width) &&
                         parse_number(std::string_view(value).substr(by + 1), options.height);
    if (!numbers || options.width < 1 || options.height < 1 || options.width > kMostPixels ||
        options.height > kMostPixels)
      return usage_error(
          fmt::format("--size: expected WIDTHxHEIGHT from 1 to {} pixels, found '{}'", kMostPixels, value));
  } else if (flag == "--frames") {
    std::uint64_t frames = 0;
    if (!parse_number(value, frames)) return usage_error(fmt::format("--frames: expected a number, found '{}'", value));
    options.frames = frames;
  } else if (flag == "--out") {
    if (value.empty()) return usage_error("--out: expected a folder, found ''");
    options.out = value;
  } else if (flag == "--driver") {
    if (std::ranges::find(vulkan::kDrivers, value) == std::end(vulkan::kDrivers))
      return usage_error(
          fmt::format("--driver: expected one of {}, found '{}'", fmt::join(vulkan::kDrivers, ", "), value));
    options.driver = value;
  } else {
    if (value != "auto" && value != "none")
      return usage_error(fmt::format("--display: expected one of auto, none, found '{}'", value));
    options.display = value == "auto";
  }
  return {};
}

}  // namespace

Expected<ViewOptions> parse_options(std::span<const std::string> words) {
  const std::vector<std::string> flags{"--size", "--frames", "--out", "--driver", "--display"};
  ViewOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      if (!options.config.empty())
        return usage_error(
            fmt::format("expected one configuration, found '{}' and '{}'", options.config.string(), word));
      options.config = word;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    if (std::ranges::find(flags, flag) == flags.end()) {
      const std::string nearest = nearest_name(flag, flags);
      return usage_error(fmt::format("there is no flag '{}'", flag),
                         nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
    }
    if (equals == std::string::npos && i + 1 == words.size())
      return usage_error(fmt::format("{}: expected a value", flag));
    const std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
    if (const auto done = set(options, flag, value); !done) return done.error();
  }
  if (options.config.empty()) return usage_error("expected the file of a configuration, found none");
  return options;
}

}  // namespace lab::render_config
