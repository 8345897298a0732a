#include "variants/object_visibility/family/python_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/bench/checksum.h"
#include "variants/common/workloads/workload.h"
#include "variants/vulkan/measured_device.h"

namespace lab::object_visibility {

namespace {

constexpr std::uint64_t kPixels = 1920 * 1080;

bool has_python() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / "python3").c_str(), X_OK) == 0) return true;
  return false;
}

class PythonLoopTask final : public bench::Task {
 public:
  PythonLoopTask(std::uint64_t seed, std::string python, std::string over)
      : seed_(seed), python_(std::move(python)), over_(std::move(over)) {}
  std::uint64_t repeat(bench::PhaseClock& clock) override {
    ChildSpec child;
    child.command = {python_,
                     (root_dir() / "variants" / LAB_FAMILY / "python_loop.py").string(),
                     fmt::format("{}", kPixels),
                     "64",
                     fmt::format("{}", seed_),
                     over_};
    const ChildOutcome done = run_child(child);
    const std::size_t line = done.output.find('\n');
    if (done.end != ChildEnd::kExited || done.code != 0 || line == std::string::npos)
      vulkan::required(Expected<void>(Error(describe_end(child, done) + ": " + done.error_tail, "")),
                       "counting in Python");
    seconds_ = std::strtod(done.output.c_str(), nullptr);
    clock.add(0, seconds_ * 1e9);
    bench::Checksum all;
    all.bytes(done.output.data() + line, done.output.size() - line);
    return all.value();
  }
  std::map<std::string, double> counters() const override { return {{"seconds", seconds_}}; }

 private:
  std::uint64_t seed_;
  std::string python_;
  std::string over_;
  double seconds_ = 0;
};

bench::Workload loop_workload(std::string name, std::string title, std::string python, std::string over) {
  bench::Workload workload = make_workload(std::move(name), std::move(title), {"count"}, kPixels, "pixel");
  workload.repeatable = false;
  workload.metrics = {
      {"seconds", "The loop over the whole image", "s", bench::MetricKind::kQuality, bench::Better::kLess}};
  if (!has_python())
    workload.unsupported = "there is no python3";
  else if (python.empty())
    workload.unsupported = "python3 has no NumPy";
  else
    workload.prepare = [python = std::move(python), over = std::move(over)](const bench::Case& inputs) {
      return std::make_unique<PythonLoopTask>(inputs.seed, python, over);
    };
  return workload;
}

}  // namespace

std::string python_with_numpy() {
  for (const char* const python : {"python3", "/usr/bin/python3"}) {
    ChildSpec child;
    child.command = {python, "-c",
                     // The working folder may have anything of that name.
                     "import sys; sys.path.pop(0); import importlib.util as u; sys.exit(u.find_spec('numpy') is None)"};
    const ChildOutcome done = run_child(child);
    if (done.end == ChildEnd::kExited && done.code == 0) return python;
  }
  return "";
}

bench::Workload python_loop_workload() {
  return loop_workload("python_loop", "The loop of the article's script in plain Python, over a list of 1920 x 1080",
                       "python3", "list");
}

bench::Workload numpy_loop_workload() {
  return loop_workload("numpy_loop", "The same loop over an array of NumPy, as the script has it", python_with_numpy(),
                       "numpy");
}

}  // namespace lab::object_visibility
