#include "variants/render_config/viewer/viewer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/interrupt.h"
#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/bench/exhibits.h"
#include "variants/render_config/engine/blank_frame.h"
#include "variants/render_config/engine/device_objects.h"
#include "variants/render_config/engine/live_config.h"
#include "variants/render_config/engine/overlay.h"
#include "variants/render_config/engine/stage.h"
#include "variants/render_config/viewer/window.h"
#include "variants/vulkan/presenter.h"

namespace lab::render_config {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kObjects = 160;
constexpr double kSecondsPerFile = 1.0 / 30;  // of the scene, between frames that are written
constexpr std::chrono::milliseconds kPatience{2};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Whoever does not read the messages still has the window, so a failure ends nothing.
void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

// A result, unlike a message.
Expected<void> announce(const std::filesystem::path& file) {
  if (std::fputs((file.string() + "\n").c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return {};
  const int code = errno;
  if (reader_gone(STDOUT_FILENO)) return Error{"", "", ExitStatus::kNobodyReads};
  return Error{fmt::format("writing to standard output: {}", std::strerror(code)), ""};
}

/// The members end in reverse: the window after what presents to it.
class Viewer {
 public:
  Viewer(const ViewOptions& options, std::unique_ptr<Window> window, vulkan::Device& device)
      : options_(options), window_(std::move(window)), device_(device), scene_(kSeed, kObjects), resources_(device) {}

  Expected<void> run() {
    if (const auto made = create(); !made) return made.error();
    while (!interrupt_.interrupted()) {
      if (window_ != nullptr && !handle_events()) return {};
      const Plan* const plan = live_->begin_frame();
      if (plan == nullptr && has_end()) {
        // Nothing to count yet, or ever.
        if (const auto problem = live_->status().problem) return *problem;
        std::this_thread::sleep_for(kPatience);
        continue;
      }
      report();
      if (window_ == nullptr && !is_to_write(plan)) {
        std::this_thread::sleep_for(kPatience);
        continue;
      }
      if (const auto shown = show(plan); !shown) return shown.error();
      if (has_end() && frames_ >= *options_.frames) return {};
    }
    // Whoever interrupts a view that has no end ends it.
    return has_end() ? Expected<void>(interrupted_error()) : Expected<void>();
  }

 private:
  Expected<void> create() {
    auto stage = Stage::create(device_, scene_);
    if (!stage) return stage.error();
    stage_ = std::move(*stage);
    if (window_ != nullptr) {
      auto presenter =
          vulkan::Presenter::create(device_, {window_->connection(), window_->window()}, vulkan::Pace::kRefresh);
      if (!presenter) return presenter.error();
      presenter_ = std::move(*presenter);
    }
    constexpr VkImageLayout kReadable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    auto overlay = Overlay::create(device_, resources_, kReadable, kReadable);
    if (!overlay) return overlay.error();
    overlay_ = std::move(*overlay);
    blank_objects_ = std::make_unique<DeviceObjects>(device_, stage_->layouts());
    if (const auto made = make_blank(options_.width, options_.height); !made) return made.error();
    live_ =
        std::make_unique<LiveConfig>(options_.config, options_.width, options_.height,
                                     LoadTools{.lib = lib_dir(),
                                               .environment = scene_environment(device_),
                                               .objects = std::make_unique<DeviceObjects>(device_, stage_->layouts())});
    return {};
  }

  bool has_end() const { return options_.frames && *options_.frames != 0; }

  // Each frame of a plan; with frames 0 each new plan and each new problem.
  bool is_to_write(const Plan* plan) const {
    return options_.frames == 0u ? plan != written_plan_ || lines_ != written_lines_ : plan != nullptr;
  }

  Expected<void> make_blank(std::uint32_t width, std::uint32_t height) {
    auto blank = BlankFrame::make(*blank_objects_, width, height);
    if (!blank) return blank.error();
    blank_ = std::move(*blank);
    return {};
  }

  // False: the window was closed.
  bool handle_events() {
    for (const WindowEvent& event : window_->poll()) {
      if (event.kind == WindowEvent::Kind::kClosed) return false;
      if (event.width == 0 || event.height == 0) continue;
      presenter_->resized();
      live_->resize(event.width, event.height);
    }
    return true;
  }

  // What the last load found, once.
  void report() {
    const LoadStatus status = live_->status();
    if (status.loads == reported_) return;
    reported_ = status.loads;
    if (status.problem) {
      say("view: error: " + status.problem->what);
      if (!status.problem->hint.empty()) say("hint: " + status.problem->hint);
    } else {
      std::string loaded = fmt::format("view: loaded in {:.0f} ms", status.load_seconds * 1e3);
      if (status.compilations > 0)
        loaded += fmt::format(", {:.0f} ms of it to compile {} shader{}", status.compile_seconds * 1e3,
                              status.compilations, status.compilations == 1 ? "" : "s");
      say(loaded);
    }
    std::vector<std::string> lines;
    if (status.problem) lines = {status.problem->what, status.problem->hint};
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    lines_ = std::move(lines);
  }

  Expected<void> show(const Plan* plan) {
    if (plan == nullptr && window_ != nullptr &&
        (blank_->output().width != window_->width() || blank_->output().height != window_->height()))
      if (const auto made = make_blank(window_->width(), window_->height()); !made) return made.error();
    const FrameRenderer& frame = plan != nullptr ? static_cast<const FrameRenderer&>(*plan) : *blank_;
    const FrameOutput& output = frame.output();
    const double seconds =
        options_.out || window_ == nullptr ? kSecondsPerFile * static_cast<double>(frames_) : seconds_since(start_);
    if (const auto prepared = stage_->prepare(frame, seconds); !prepared) return prepared.error();
    const bool over = !lines_.empty();
    if (over) {
      if (const auto set = overlay_->set_target(output.view, output.width, output.height); !set) return set.error();
      if (const auto set = overlay_->set_text(lines_); !set) return set.error();
    }
    const auto recorded = stage_->record(frame, [&](VkCommandBuffer commands) {
      if (over) overlay_->draw(commands);
    });
    if (!recorded) return recorded.error();
    if (const auto executed = stage_->execute(); !executed) return executed.error();
    if (plan != nullptr) ++frames_;
    if (const auto written = write(output, plan); !written) return written.error();
    if (presenter_ == nullptr) return {};
    const auto presented = presenter_->present(output.image, output.width, output.height);
    // A window that has gone is reported by its next event.
    if (!presented) return is_closed() ? Expected<void>() : Expected<void>(presented.error());
    if (!*presented) std::this_thread::sleep_for(kPatience);
    retitle();
    return {};
  }

  bool is_closed() {
    return std::ranges::any_of(window_->poll(),
                               [](const WindowEvent& event) { return event.kind == WindowEvent::Kind::kClosed; });
  }

  Expected<void> write(const FrameOutput& output, const Plan* plan) {
    if ((window_ != nullptr && !options_.out) || !is_to_write(plan)) return {};
    written_plan_ = plan;
    written_lines_ = lines_;
    const auto picture = stage_->picture(output);
    if (!picture) return picture.error();
    // The working folder may be a checkout, of which no file changes unasked.
    const std::filesystem::path folder =
        options_.out.value_or(place_in_build(build_dir(), "view") / options_.config.stem());
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return file_error("creating", folder, failed.value());
    const std::filesystem::path file =
        folder / (options_.frames == 0u ? "frame.png" : fmt::format("frame-{:04}.png", frames_ - 1));
    if (const auto written = write_file(file, bench::png_of(*picture)); !written) return written.error();
    return announce(file);
  }

  // Twice a second: what a frame costs.
  void retitle() {
    constexpr double kEvery = 0.5;
    if (seconds_since(titled_) < kEvery) return;
    const double frames = static_cast<double>(stage_->frames() - titled_frames_) / seconds_since(titled_);
    titled_ = Clock::now();
    titled_frames_ = stage_->frames();
    std::string title = fmt::format("{} - {:.0f} frames/s, {:.0f} us to record", options_.config.string(), frames,
                                    stage_->record_ns() * 1e-3);
    if (stage_->device_ns())
      title += fmt::format(", {:.1f} ms on the device{}", *stage_->device_ns() * 1e-6,
                           device_.is_cpu() ? " (a program on the CPU)" : "");
    window_->set_title(title);
  }

  const ViewOptions& options_;
  InterruptGuard interrupt_;
  std::unique_ptr<Window> window_;
  vulkan::Device& device_;
  Scene scene_;
  vulkan::Resources resources_;  // of the overlay
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<vulkan::Presenter> presenter_;
  std::unique_ptr<Overlay> overlay_;
  std::unique_ptr<DeviceObjects> blank_objects_;
  std::unique_ptr<BlankFrame> blank_;
  std::unique_ptr<LiveConfig> live_;
  std::uint64_t reported_ = 0;
  std::uint64_t frames_ = 0;  // of plans, not of the blank frame
  std::vector<std::string> lines_, written_lines_;
  const Plan* written_plan_ = nullptr;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point titled_ = start_;
  std::uint64_t titled_frames_ = 0;
};

}  // namespace

Expected<void> view(const ViewOptions& given, const std::string& loader) {
  ViewOptions options = given;
  std::unique_ptr<Window> window;
  if (options.display) {
    auto opened = Window::open(options.width, options.height, options.config.string());
    if (opened)
      window = std::move(*opened);
    else
      say(fmt::format("view: {}; frames are written as files", opened.error().what));
  }
  if (window == nullptr && !options.frames) options.frames = 1;
  vulkan::Validation unwatched;
  const auto device = vulkan::Device::open({.loader = loader,
                                            .validate = false,
                                            .draws = true,
                                            .presents = window != nullptr,
                                            .features = Stage::features()},
                                           unwatched);
  if (!device) return device.error();
  return Viewer(options, std::move(window), **device).run();
}

}  // namespace lab::render_config
