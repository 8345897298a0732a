#include "variants/vulkan/device_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <span>
#include <utility>

#include "harness/base/usage_error.h"
#include "variants/vulkan/driver_process.h"

namespace lab::vulkan {

namespace {

Expected<void> set(Flags& flags, const std::string& flag, const std::string& value) {
  if (const auto found = flags.numbers.find(flag); found != flags.numbers.end()) {
    auto& [number, least, most] = found->second;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most)
      return usage_error(fmt::format("{}: expected a number from {} to {}, found '{}'", flag, least, most, value));
    return {};
  }
  const auto found = flags.texts.find(flag);
  if (found == flags.texts.end()) return usage_error(fmt::format("there is no flag '{}'", flag));
  auto& [text, choices] = found->second;
  if (!choices.empty() && std::ranges::find(choices, value) == choices.end())
    return usage_error(fmt::format("{}: expected one of {}, found '{}'", flag, fmt::join(choices, ", "), value));
  text = value;
  return {};
}

Expected<void> parse(Flags& flags, std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return usage_error(fmt::format("{}: expected a value", words[i]));
    if (const auto done = set(flags, words[i], words[i + 1]); !done) return done.error();
  }
  return {};
}

}  // namespace

void Finding::add(const std::string& sentence) {
  if (count++ == 0) first = sentence;
}

std::string validation_sentence(bool validated, const std::string& caught, const Finding& validation) {
  if (!validated) return "Nobody watched: there is no validation layer.";
  if (caught.empty()) return "The validation layer missed a planted violation.";
  if (validation.count > 0) return fmt::format("The validation layer complained {} times.", validation.count);
  return "The validation layer was silent, and it had caught a planted violation.";
}

int run_program(Program program, int argc, char** argv,
                const std::function<Expected<ProgramOutput>(const Flags& flags, const std::string& loader)>& run) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Flags& flags = program.flags;
  flags.texts["--driver"] = {"pinned", {std::begin(kDrivers), std::end(kDrivers)}};
  flags.texts["--loader"] = {};
  const auto status = [&]() -> Expected<int> {
    if (const auto parsed = parse(flags, words); !parsed) return parsed.error();
    if (flags.text("--loader").empty()) return run_on_driver(flags.text("--driver"), words);
    const Expected<ProgramOutput> output = run(flags, flags.text("--loader"));
    if (!output) return output.error();
    fmt::print("{}\n", output->json);
    fmt::print(stderr, "{}: {}\n", program.name, output->sentence);
    return static_cast<int>(output->passed ? ExitStatus::kOk : ExitStatus::kFailed);
  }();
  if (status) return *status;
  fmt::print(stderr, "{}: error: {}\n", program.name, status.error().what);
  if (!status.error().hint.empty()) fmt::print(stderr, "hint: {}\n", status.error().hint);
  if (status.error().status == ExitStatus::kUsage) fmt::print(stderr, "{}", program.usage);
  return static_cast<int>(status.error().status);
}

}  // namespace lab::vulkan
