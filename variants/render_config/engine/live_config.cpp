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
    : file_(std::move(file)), tools_(std::move(tools)), compiler_(tools_.lib), size_{width, height}, thread_([this] {
        work();
      }) {}

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
  if (Size{width, height} == size_) return;
  size_ = {width, height};
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
    if (!stop_ && watch_.changed()) load();
    // Also if what was just loaded is broken.
    if (!stop_ && good_ && good_->size != size()) {
      auto plan = make_plan(*good_);
      if (plan) {
        publish(std::move(*plan), {});
      } else {
        LoadStatus failed;
        failed.problem = plan.error();
        publish(nullptr, std::move(failed));
      }
    }
  }
}

LiveConfig::Size LiveConfig::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
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
      auto plan = make_plan(loaded);
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
  publish(std::move(made), std::move(ended));
}

Expected<std::unique_ptr<Plan>> LiveConfig::make_plan(Loaded& loaded) {
  loaded.size = size();
  const ReadFile read = [&loaded](const std::filesystem::path& file) { return loaded.files.read(file); };
  return Plan::make(loaded.config, compiler_, read, *tools_.objects, loaded.size.width, loaded.size.height);
}

void LiveConfig::publish(std::unique_ptr<Plan> plan, std::optional<LoadStatus> ended) {
  std::unique_ptr<Plan> unused;  // a plan that no frame has taken
  const std::lock_guard lock(mutex_);
  if (ended) {
    ended->loads = status_.loads + 1;
    ended->plans = status_.plans;
    status_ = std::move(*ended);
  }
  if (plan == nullptr) return;
  unused = std::exchange(next_, std::move(plan));
  ++status_.plans;
}

void LiveConfig::drop_retired() {
  std::vector<std::unique_ptr<Plan>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(retired_);
}

}  // namespace lab::render_config
