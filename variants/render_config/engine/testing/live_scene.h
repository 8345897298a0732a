/// For tests on a device: a copy of the shipped configurations, one of which is rendered while the test edits files.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/bench/exhibits.h"
#include "variants/render_config/engine/device_objects.h"
#include "variants/render_config/engine/live_config.h"
#include "variants/render_config/engine/stage.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::render_config {

class LiveScene : public vulkan::OnDriver {
 protected:
  LiveScene() : OnDriver({.draws = true, .features = Stage::features()}) {}

  void SetUp() override {
    OnDriver::SetUp();
    if (!is_there()) return;
    std::filesystem::copy(std::filesystem::path(LAB_SOURCE_DIR) / "variants/render_config/configurations",
                          scratch_.path(), std::filesystem::copy_options::recursive);
    auto stage = Stage::create(device(), scene_);
    ASSERT_TRUE(stage) << stage.error().what;
    stage_ = std::move(*stage);
  }
  void TearDown() override {
    live_.reset();
    stage_.reset();
    OnDriver::TearDown();
  }

  void open(const std::string& file, double settle_seconds = 0.02) {
    live_ =
        std::make_unique<LiveConfig>(scratch_.path() / file, width_, height_,
                                     LoadTools{.lib = lib_dir(),
                                               .environment = scene_environment(device()),
                                               .objects = std::make_unique<DeviceObjects>(device(), stage_->layouts()),
                                               .settle_seconds = settle_seconds});
    loads_ = 0;
    wait_for_load();
  }

  /// A frame of the newest plan; null: there is none.
  const Plan* frame(double seconds = 0) {
    const Plan* const plan = live_->begin_frame();
    if (plan == nullptr) return nullptr;
    EXPECT_TRUE(stage_->prepare(*plan, seconds));
    EXPECT_TRUE(stage_->record(*plan));
    EXPECT_TRUE(stage_->execute());
    return plan;
  }
  bench::Picture picture(double seconds = 0) {
    const Plan* const plan = frame(seconds);
    EXPECT_NE(plan, nullptr);
    if (plan == nullptr) return {};
    auto picture = stage_->picture(plan->output());
    EXPECT_TRUE(picture);
    return std::move(*picture);
  }

  /// Renders until files have been loaded once more, well or not. Frames never end meanwhile.
  LoadStatus wait_for_load() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    LoadStatus status;
    do {
      frame();
      status = live_->status();
    } while (status.loads == loads_ && std::chrono::steady_clock::now() < until);
    EXPECT_GT(status.loads, loads_) << "no load";
    loads_ = status.loads;
    frame();
    return status;
  }

  std::string read(const std::string& file) const {
    const auto text = read_file(scratch_.path() / file);
    EXPECT_TRUE(text) << file;
    return text ? *text : "";
  }
  /// Replaces the file.
  LoadStatus edit(const std::string& file, const std::string& text) {
    EXPECT_TRUE(write_file(scratch_.path() / file, text));
    return wait_for_load();
  }
  LoadStatus edit(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return edit(file, text.replace(at, from.size(), to));
  }
  /// "" or the problem and its hint, without the scratch folder.
  std::string problem_in(const LoadStatus& status) const {
    if (!status.problem) return "";
    std::string what = status.problem->what;
    if (!status.problem->hint.empty()) what += " | " + status.problem->hint;
    const std::string folder = scratch_.path().string() + "/";
    for (std::size_t at; (at = what.find(folder)) != std::string::npos;) what.erase(at, folder.size());
    return what;
  }

  std::uint32_t width_ = 96, height_ = 54;
  ScratchFolder scratch_;
  Scene scene_{1, 64};
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<LiveConfig> live_;
  std::uint64_t loads_ = 0;
};

}  // namespace lab::render_config
