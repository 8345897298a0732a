#include "variants/render_config/engine/live_config.h"

#include <chrono>
#include <utility>

#include "variants/render_config/language/read_config.h"

namespace lab::render_config {

namespace {

// Also one if files never come to rest.
constexpr double kMostSeconds = 1;
constexpr double kLookSeconds = 0.25;  // between looks without a notice

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

LiveConfig::LiveConfig(std::filesystem::path file, std::uint32_t width, std::uint32_t height, LoadTools tools)
    : file_(std::move(file)),
      tools_(std::move(tools)),
      compiler_(tools_.lib),
      width_(width),
      height_(height),
      thread_([this] { work(); }) {}

LiveConfig::~LiveConfig() {
  stop_ = true;
  watch_.wake();
  thread_.join();
}

const Plan* LiveConfig::begin_frame() {
  const std::lock_guard lock(mutex_);
  if (next_ != nullptr) {
    if (current_ != nullptr) retired_.push_back(std::move(current_));
    current_ = std::move(next_);
    watch_.wake();
  }
  return current_.get();
}

void LiveConfig::resize(std::uint32_t width, std::uint32_t height) {
  const std::lock_guard lock(mutex_);
  if (width == width_ && height == height_) return;
  width_ = width;
  height_ = height;
  resized_ = true;
  watch_.wake();
}

LoadStatus LiveConfig::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void LiveConfig::work() {
  load();
  while (!stop_) {
    watch_.wait(kLookSeconds);
    drop_retired();
    bool resized;
    {
      const std::lock_guard lock(mutex_);
      resized = std::exchange(resized_, false);
    }
    if (!stop_ && watch_.changed()) {
      load();
    } else if (!stop_ && resized && good_) {
      auto plan = make_plan(good_->config, good_->files);
      if (plan) publish(std::move(*plan));
    }
  }
}

void LiveConfig::load() {
  LoadStatus ended;
  std::optional<Error> problem;
  std::unique_ptr<Plan> made;
  const auto start = Clock::now();
  const double compiled = compiler_.seconds();
  const std::size_t compilations = compiler_.compilations();
  while (true) {
    Loaded loaded;
    problem.reset();
    Expected<Config> config = read_config(file_, tools_.environment, loaded.files);
    if (config) {
      loaded.config = std::move(*config);
      auto plan = make_plan(loaded.config, loaded.files);
      if (plan)
        made = std::move(*plan);
      else
        problem = plan.error();
    } else {
      problem = config.error();
    }
    watch_.watch(loaded.files);
    if (!problem) good_ = std::move(loaded);
    if (!problem || stop_) break;
    // Perhaps a file is only half written.
    const auto broken = Clock::now();
    bool changed = false;
    while (!changed && !stop_ && seconds_since(broken) < tools_.settle_seconds) {
      watch_.wait(tools_.settle_seconds - seconds_since(broken));
      changed = watch_.changed();
    }
    if (!changed || seconds_since(start) > kMostSeconds) break;
  }
  ended.load_seconds = seconds_since(start);
  ended.compile_seconds = compiler_.seconds() - compiled;
  ended.compilations = compiler_.compilations() - compilations;
  ended.problem = std::move(problem);
  if (made != nullptr) publish(std::move(made));
  const std::lock_guard lock(mutex_);
  ended.loads = status_.loads + 1;
  ended.plans = status_.plans;
  status_ = std::move(ended);
}

Expected<std::unique_ptr<Plan>> LiveConfig::make_plan(const Config& config, FileSet& files) {
  std::uint32_t width, height;
  {
    const std::lock_guard lock(mutex_);
    width = width_;
    height = height_;
    resized_ = false;
  }
  const ReadFile read = [&files](const std::filesystem::path& file) { return files.read(file); };
  return Plan::make(config, compiler_, read, *tools_.objects, width, height);
}

void LiveConfig::publish(std::unique_ptr<Plan> plan) {
  std::unique_ptr<Plan> unused;  // a plan that no frame has taken
  const std::lock_guard lock(mutex_);
  unused = std::exchange(next_, std::move(plan));
  ++status_.plans;
}

void LiveConfig::drop_retired() {
  std::vector<std::unique_ptr<Plan>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(retired_);
}

}  // namespace lab::render_config
