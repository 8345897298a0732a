#include "variants/object_visibility/family/python_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/child.h"
#include "harness/base/layout.h"
#include "harness/bench/checksum.h"
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
  explicit PythonLoopTask(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t repeat(bench::PhaseClock& clock) override {
    ChildSpec child;
    child.command = {"python3", (root_dir() / "variants" / LAB_FAMILY / "python_loop.py").string(),
                     fmt::format("{}", kPixels), "64", fmt::format("{}", seed_)};
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
  double seconds_ = 0;
};

}  // namespace

bench::Workload python_loop_workload() {
  bench::Workload workload;
  workload.name = "python_loop";
  workload.title = "The loop of the article's script in plain Python, over 1920 x 1080 pixels";
  workload.phases = {"count"};
  workload.operations = kPixels;
  workload.operation = "pixel";
  workload.repeatable = false;
  workload.metrics = {
      {"seconds", "The loop over the whole image", "s", bench::MetricKind::kQuality, bench::Better::kLess}};
  if (!has_python()) workload.unsupported = "there is no python3";
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [](const bench::Case& inputs) { return std::make_unique<PythonLoopTask>(inputs.seed); };
  return workload;
}

}  // namespace lab::object_visibility
