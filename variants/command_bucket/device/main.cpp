// usage: command_bucket_render [--driver pinned|machine] [--device N] [--meshes N] [--lights N] [--secondaries N]
//                              [--seed N] [--edge N] [--frames N] [--check 0|1] [--validate 0|1] [--out DIR]
// Renders a frame of version 7 on a real Vulkan device. Prints one line of JSON, and a sentence to standard error.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/usage_error.h"
#include "variants/command_bucket/device/drawable_scene.h"
#include "variants/command_bucket/device/render_run.h"
#include "variants/command_bucket/device/scene_renderer.h"
#include "variants/vulkan/driver_process.h"
#include "variants/vulkan/memory.h"

namespace lab::command_bucket {

namespace {

constexpr const char* kUsage =
    "usage: command_bucket_render [--driver pinned|machine] [--device N] [--meshes N] [--lights N] [--secondaries N]\n"
    "                             [--seed N] [--edge N] [--frames N] [--check 0|1] [--validate 0|1] [--out DIR]\n";

struct Number {
  std::uint32_t value, least, most;
};

struct Options {
  std::string driver = "pinned", loader, out;
  std::map<std::string_view, Number> numbers{{"--device", {0, 0, 63}},
                                             {"--meshes", {1000, 1, kMostDrawn}},
                                             {"--lights", {1000, 1, kMostDrawn}},
                                             {"--secondaries", {0, 0, 64}},
                                             {"--seed", {1, 0, 4'000'000'000}},
                                             {"--edge", {512, 512, 4096}},
                                             {"--frames", {1, 1, 1'000'000}},
                                             {"--check", {0, 0, 1}},
                                             {"--validate", {1, 0, 1}}};

  std::uint32_t number(std::string_view flag) const { return numbers.at(flag).value; }
};

Expected<Options> options_of(std::span<const std::string> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& flag = words[i];
    if (i + 1 == words.size()) return usage_error(fmt::format("{}: expected a value", flag));
    const std::string& value = words[i + 1];
    if (const auto found = options.numbers.find(flag); found != options.numbers.end()) {
      Number& number = found->second;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number.value);
      if (error != std::errc{} || end != value.data() + value.size() || number.value < number.least ||
          number.value > number.most)
        return usage_error(
            fmt::format("{}: expected a number from {} to {}, found '{}'", flag, number.least, number.most, value));
    } else if (flag == "--driver") {
      if (std::ranges::find(vulkan::kDrivers, value) == std::end(vulkan::kDrivers))
        return usage_error(
            fmt::format("--driver: expected one of {}, found '{}'", fmt::join(vulkan::kDrivers, ", "), value));
      options.driver = value;
    } else if (flag == "--out") {
      options.out = value;
    } else if (flag == "--loader") {
      options.loader = value;
    } else {
      return usage_error(fmt::format("there is no flag '{}'", flag));
    }
  }
  return options;
}

Expected<RenderReport> report_of(const Options& options) {
  RenderReport report;
  vulkan::Validation validation;
  {
    const auto device = vulkan::Device::open({.loader = options.loader,
                                              .index = options.number("--device"),
                                              .validate = options.number("--validate") != 0,
                                              .draws = true,
                                              .features = SceneRenderer::features()},
                                             validation);
    if (!device) return device.error();
    report.device = (*device)->name();
    report.driver = (*device)->driver_info();
    report.made_by_cpu = (*device)->is_cpu();
    report.validated = validation.active();
    if (report.validated) {
      const auto planted = vulkan::plant_violation(**device);
      if (!planted) return in_context("planting a violation", planted.error());
      report.planted = planted->what;
      report.caught = planted->caught;
    }
    const RenderSpec spec{.meshes = options.number("--meshes"),
                          .lights = options.number("--lights"),
                          .secondaries = options.number("--secondaries"),
                          .seed = options.number("--seed"),
                          .edge = options.number("--edge"),
                          .frames = options.number("--frames"),
                          .check = options.number("--check") != 0,
                          .out = options.out};
    if (const auto rendered = render(**device, spec, report); !rendered) return rendered.error();
  }
  for (const std::string& message : validation.messages()) report.validation.add(message);
  return report;
}

Expected<int> status_of(std::span<const std::string> words) {
  const Expected<Options> options = options_of(words);
  if (!options) return options.error();
  if (options->loader.empty()) return vulkan::run_on_driver(options->driver, {words.begin(), words.end()});
  const Expected<RenderReport> report = report_of(*options);
  if (!report) return report.error();
  fmt::print("{}\n", json::serialize(to_json(*report)));
  fmt::print(stderr, "command_bucket_render: {}\n", report->sentence());
  return static_cast<int>(report->passed() ? ExitStatus::kOk : ExitStatus::kFailed);
}

}  // namespace

}  // namespace lab::command_bucket

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const lab::Expected<int> status = lab::command_bucket::status_of(words);
  if (status) return *status;
  fmt::print(stderr, "command_bucket_render: error: {}\n", status.error().what);
  if (!status.error().hint.empty()) fmt::print(stderr, "hint: {}\n", status.error().hint);
  if (status.error().status == lab::ExitStatus::kUsage) fmt::print(stderr, "{}", lab::command_bucket::kUsage);
  return static_cast<int>(status.error().status);
}
