#include "variants/vulkan/driver_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/own_loader.h"
#include "harness/base/vulkan_driver.h"

namespace lab::vulkan {

namespace fs = std::filesystem;

namespace {

Expected<EnvironmentVariables> environment_of(std::string_view driver) {
  const fs::path lib = lib_dir(), generated = place_in_build(build_dir(), "vulkan");
  const Expected<fs::path> layers = validation_layers(lib, generated / "layers");
  EnvironmentVariables environment = current_environment();
  if (driver == "machine") {
    // The machine's driver, but never its validation layers: what they say depends on their version.
    environment["VK_LAYER_PATH"] = layers ? *layers : generated / "no-layers";
    return environment;
  }
  const fs::path package = pinned_package(lib, "lavapipe");
  if (package.empty())
    return Error{fmt::format("no Vulkan driver: expected '{}'", (lib / "lavapipe-<version>").string()),
                 "python3 make.py spm install lavapipe", ExitStatus::kUnfit};
  const fs::path manifest = generated / "drivers/lavapipe.json";
  if (const auto written = write_driver_manifest(manifest, package / "libvulkan_lvp.so"); !written)
    return written.error();
  return driver_environment(std::move(environment), manifest, pinned_libraries(lib), layers ? *layers : fs::path());
}

// Set in a process that is in a driver's environment: the driver, and the process, which may have children without.
constexpr const char* kEntered = "LAB_VULKAN_ENTERED";

std::string entered_mark(std::string_view driver) {
  return fmt::format("{} {}", driver, getpid());
}

}  // namespace

bool has_pinned_driver() {
  return !pinned_package(lib_dir(), "lavapipe").empty();
}

Expected<std::string> enter_driver(std::string_view driver) {
  const char* const entered = std::getenv(kEntered);
  if (entered != nullptr && entered == entered_mark(driver)) return loader_library(lib_dir());
  Expected<EnvironmentVariables> environment = environment_of(driver);
  if (!environment) return environment.error();
  (*environment)[kEntered] = entered_mark(driver);  // execve keeps the process's number
  const std::string program = own_executable();
  const Expected<std::string> line = read_file("/proc/self/cmdline");
  if (!line) return line.error();
  std::vector<std::string> words;  // each ends with a zero
  for (std::size_t at = 0; at < line->size(); at += words.back().size() + 1) words.emplace_back(&(*line)[at]);
  // Where a loader was started as the program, the words before ours are the loader's.
  if (const auto own = std::ranges::find(words, program); own != words.end()) words.erase(words.begin(), own);
  words.front() = program;
  words = by_bundled_loader(std::move(words), (*environment)["LD_LIBRARY_PATH"]);
  const std::size_t arguments = words.size();
  for (const auto& [name, value] : *environment) words.push_back(fmt::format("{}={}", name, value));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.insert(pointers.begin() + static_cast<std::ptrdiff_t>(arguments), nullptr);
  pointers.push_back(nullptr);
  ::execve(pointers.front(), pointers.data(), pointers.data() + arguments + 1);
  return Error{fmt::format("starting '{}' in the environment of its driver: {}", program, std::strerror(errno)), ""};
}

Expected<int> run_on_driver(std::string_view driver, const std::vector<std::string>& arguments) {
  const Expected<EnvironmentVariables> environment = environment_of(driver);
  if (!environment) return environment.error();
  ChildSpec child;
  child.command = {own_executable()};
  child.command.insert(child.command.end(), arguments.begin(), arguments.end());
  child.command.insert(child.command.end(), {"--loader", loader_library(lib_dir())});
  for (const auto& [name, value] : *environment) child.environment.push_back(fmt::format("{}={}", name, value));
  child.inherits_environment = false;
  child.timeout_seconds = std::numeric_limits<double>::infinity();
  child.core_dump = false;
  child.on_line = [](std::string_view line) { fmt::print("{}\n", line); };
  child.on_error = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  const ChildOutcome outcome = run_child(child);
  if (outcome.end == ChildEnd::kExited) return outcome.code;
  return Error{fmt::format("the process on the Vulkan driver: {}", describe_end(child, outcome)), ""};
}

}  // namespace lab::vulkan
