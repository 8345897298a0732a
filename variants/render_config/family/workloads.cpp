#include "variants/render_config/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/temporary_folder.h"
#include "harness/bench/checksum.h"
#include "harness/bench/exhibits.h"
#include "variants/render_config/engine/device_objects.h"
#include "variants/render_config/engine/live_config.h"
#include "variants/render_config/engine/stage.h"
#include "variants/render_config/engine/without_device.h"
#include "variants/vulkan/measured_device.h"

namespace lab::render_config {

namespace {

using enum bench::MetricKind;
using enum bench::Better;
using vulkan::required;

constexpr std::uint32_t kWidth = 320, kHeight = 180;  // a device may be a program on the CPU
constexpr std::size_t kObjects = 64;                  // few, so that passes count
constexpr std::size_t kFrames = 16, kDeviceFrames = 4;
constexpr double kSecondsBetween = 3.7;  // the camera has moved, and draws come in another order

struct Named {
  CodedFrame which;
  const char *name, *title;
};
constexpr std::array<Named, 3> kConfigurations{
    {{CodedFrame::kForward, "forward", "lit where it is drawn"},
     {CodedFrame::kDeferred, "deferred", "deferred, with cascaded shadows"},
     {CodedFrame::kGreyscale, "greyscale", "deferred with shadows, and a greyscale effect"}}};

double seconds_of(std::size_t frame) {
  return kSecondsBetween * static_cast<double>(frame);
}

std::map<std::string, double> counters_of(const CommandCounts& counts) {
  return {{"passes", static_cast<double>(counts.passes)}, {"draws", static_cast<double>(counts.draws)}};
}
const std::vector<bench::Metric> kCountMetrics{{"passes", "Passes of a frame", "", kExact, kNeither},
                                               {"draws", "Draws of a frame", "", kExact, kNeither}};

/// What records a frame, on handles without a device.
struct Recording {
  Recording(const Renderer& renderer, CodedFrame which, std::uint64_t seed, std::size_t objects)
      : scene(seed, objects) {
    const std::unique_ptr<FrameMaker> maker = renderer.make_maker();
    required(maker->read(which), "reading the configuration");
    frame = required(maker->make(handles, kWidth, kHeight), "making the frame");
  }
  void record(const vulkan::DeviceFunctions& vk) const {
    frame->record({vk, VK_NULL_HANDLE, NumberedObjects::binding(), scene});
  }

  Scene scene;
  NumberedObjects handles;
  std::unique_ptr<FrameRenderer> frame;
};

/// Records frames into functions that do nothing: what remains is the cost of the description.
class CommandsTask final : public bench::Task {
 public:
  CommandsTask(const Renderer& renderer, CodedFrame which, std::uint64_t seed, std::size_t objects)
      : recording_(renderer, which, seed, objects) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum all;
    for (std::size_t i = 0; i < kFrames; ++i) {
      recording_.scene.set_time(seconds_of(i), double{kWidth} / kHeight);
      clock.time(0, [this] { recording_.record(silent_); });
      recording_.record(CommandDigest::begin());
      all.word(CommandDigest::value());
    }
    counts_ = CommandDigest::counts();
    return all.value();
  }
  std::map<std::string, double> counters() const override { return counters_of(counts_); }

 private:
  Recording recording_;
  const vulkan::DeviceFunctions silent_ = silent_commands();
  CommandCounts counts_;
};

/// From files to a frame that can be recorded, without a device: the shaders were compiled before.
class LoadTask final : public bench::Task {
 public:
  LoadTask(const Renderer& renderer, CodedFrame which, std::uint64_t seed)
      : which_(which), scene_(seed, kObjects), maker_(renderer.make_maker()) {
    scene_.set_time(0, double{kWidth} / kHeight);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [this] { required(maker_->read(which_), "reading the configuration"); });
    NumberedObjects handles;
    std::unique_ptr<FrameRenderer> frame;
    clock.time(1, [&] { frame = required(maker_->make(handles, kWidth, kHeight), "making the frame"); });
    frame->record({CommandDigest::begin(), VK_NULL_HANDLE, NumberedObjects::binding(), scene_});
    return CommandDigest::value();
  }

 private:
  CodedFrame which_;
  Scene scene_;
  std::unique_ptr<FrameMaker> maker_;
};

std::uint64_t digest_of(const bench::Picture& picture) {
  bench::Checksum checksum;
  checksum.bytes(picture.pixels.data(), picture.pixels.size());
  return checksum.value();
}

/// Frames on a device. The members end in reverse.
class FrameTask final : public bench::Task {
 public:
  FrameTask(const Renderer& renderer, CodedFrame which, const bench::Case& inputs)
      : device_(vulkan::measured_device(inputs.device, Stage::features())),
        scene_(inputs.seed, kObjects),
        stage_(required(Stage::create(*device_, scene_), "creating the scene")),
        objects_(*device_, stage_->layouts()) {
    // A driver may take memory from malloc for each command. So that it finds the same heap in every variant's process,
    // each makes the frame in every way, and keeps it.
    for (const auto& make_maker : {coded_maker, plan_maker, named_maker})
      others_.push_back(made(*makers_.emplace_back(make_maker()), which));
    frame_ = made(*makers_.emplace_back(renderer.make_maker()), which);
    coded_ = others_.front().get();
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum all;
    device_ns_.reset();
    for (std::size_t i = 0; i < kDeviceFrames; ++i) {
      if (i % 2 == 0) coded_ns_.push_back(render(*coded_, i));
      own_ns_.push_back(render(*frame_, i));
      clock.add(0, own_ns_.back());
      if (stage_->device_ns()) device_ns_ = device_ns_.value_or(0) + *stage_->device_ns() / kDeviceFrames;
      all.word(digest_of(picture()));
      if (i % 2 == 1) coded_ns_.push_back(render(*coded_, i));
    }
    return all.value();
  }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters{{"to_coded", median(own_ns_) / median(coded_ns_)}};
    vulkan::add_device_time(counters, *device_, device_ns_);
    return counters;
  }
  bench::Picture picture() { return required(stage_->picture(frame_->output()), "reading the image"); }

 private:
  // What recording took; nanoseconds.
  double render(const FrameRenderer& frame, std::size_t number) {
    required(stage_->prepare(frame, seconds_of(number)), "preparing a frame");
    required(stage_->record(frame), "recording a frame");
    const double ns = stage_->record_ns();
    required(stage_->execute(), "rendering a frame");
    return ns;
  }
  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }
  std::unique_ptr<FrameRenderer> made(FrameMaker& maker, CodedFrame which) {
    required(maker.read(which), "reading the configuration");
    return required(maker.make(objects_, kWidth, kHeight), "making the frame");
  }

  std::unique_ptr<vulkan::Device> device_;
  Scene scene_;
  std::unique_ptr<Stage> stage_;
  DeviceObjects objects_;
  std::vector<std::unique_ptr<FrameMaker>> makers_;
  std::vector<std::unique_ptr<FrameRenderer>> others_;
  std::unique_ptr<FrameRenderer> frame_;
  const FrameRenderer* coded_ = nullptr;
  std::vector<double> own_ns_, coded_ns_;  // of all frames, side by side
  std::optional<double> device_ns_;
};

/// What is edited, in the greyscale configuration: the first edit, which the second undoes.
struct Edit {
  const char *name, *title, *file;
  std::vector<std::pair<std::string, std::string>> changes;
  bool compiles = false;  ///< a shader: both edits also have a comment that is new, because known text is not compiled
  /// A shader that the second edit adds together with the rest, also with a new comment. That edit alone is timed.
  const char* added_shader = nullptr;

  std::size_t timed() const { return added_shader == nullptr ? 2 : 1; }
};
const std::array<Edit, 4> kEdits{
    {{"edit_setting",
      "a setting",
      "greyscale/settings.json",
      {{"\"greyscale_amount\": 1", "\"greyscale_amount\": 0.5"}}},
     {"edit_effect",
      "files that adds a post-processing effect with its library, image, pass and shader",
      "greyscale/greyscale.json",
      {{"\"shader_libraries\": [\"library.json\"],", ""},
       {"\"grey\": {\"format\": \"rgba8\"},", ""},
       {R"({"fullscreen": "greyscale", "inputs": {"image": "image"}, "constants": {"amount": "$greyscale_amount"}, )"
        R"("targets": ["grey"]},)",
        ""},
       {"[\"deferred\", \"greyscale\"]", "[\"deferred\"]"},
       {"\"output\": \"grey\"", "\"output\": \"image\""}},
      false,
      "greyscale/greyscale.frag"},
     {"edit_shadows",
      "the implementation of cascaded shadows",
      "greyscale/settings.json",
      {{"\"greyscale_amount\": 1", "\"greyscale_amount\": 1, \"shadows\": \"cascades_apart\""}}},
     {"edit_shader",
      "a shader",
      "greyscale/greyscale.frag",
      {{"vec3(0.2126, 0.7152, 0.0722)", "vec3(0.0722, 0.2126, 0.7152)"}},
      true}}};

/// Edits a file while frames go on, and waits for the first frame that shows it.
class EditTask final : public bench::Task {
 public:
  EditTask(const bench::Case& inputs, const Edit& edit)
      : edit_(edit),
        device_(vulkan::measured_device(inputs.device, Stage::features())),
        scene_(inputs.seed, kObjects),
        stage_(required(Stage::create(*device_, scene_), "creating the scene")),
        folder_(required(TemporaryFolder::create(), "creating a folder")) {
    std::filesystem::copy(configurations(), folder_.path(), std::filesystem::copy_options::recursive);
    edited_ = folder_.path() / edit.file;
    text_ = required(read_file(edited_), "reading the file to edit");
    if (edit.added_shader != nullptr) {
      added_ = folder_.path() / edit.added_shader;
      added_text_ = required(read_file(added_), "reading the shader to add");
    }
    live_ = std::make_unique<LiveConfig>(
        folder_.path() / "greyscale/settings.json", kWidth, kHeight,
        LoadTools{.lib = lib_dir(),
                  .environment = scene_environment(*device_),
                  .objects = std::make_unique<DeviceObjects>(*device_, stage_->layouts())});
    while ((shown_ = live_->begin_frame()) == nullptr)
      if (const auto problem = live_->status().problem) required(Expected<void>(*problem), "loading the configuration");
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    frames_ = 0;
    seen_ = 0;
    compile_ns_ = 0;
    for (const bool undone : {false, true}) {
      render();
      const std::uint64_t before_edit = image_digest();
      const std::string text = edited(undone);
      const auto written = std::chrono::steady_clock::now();
      const auto ns_since = [&] {
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - written).count();
      };
      // No file names the shader any more, so nobody looks at it until the edit is written.
      if (undone && !added_.empty()) required(write_file(added_, renewed(added_text_)), "writing the shader");
      required(write_file(edited_, text), "writing the edit");
      begins_.clear();
      for (const Plan* const before = shown_; shown_ == before;) {
        begins_.push_back(ns_since());
        render();
      }
      const double shown_ns = ns_since();
      if (undone || added_.empty()) {
        clock.add(0, shown_ns);
        const double compile_ns = 1e9 * live_->status().compile_seconds;
        compile_ns_ += compile_ns;
        frames_ += std::ranges::count_if(begins_, [&](double begin) { return begin >= compile_ns; });
      }
      seen_ += image_digest() != before_edit ? 1 : 0;
    }
    return image_digest();
  }
  std::map<std::string, double> counters() const override {
    const auto timed = static_cast<double>(edit_.timed());
    return {{"edits_seen", static_cast<double>(seen_)},
            {"frames_until_new", static_cast<double>(frames_) / timed},
            {"compile", compile_ns_ / timed}};
  }

 private:
  void render() {
    shown_ = live_->begin_frame();
    required(stage_->prepare(*shown_, 0), "preparing a frame");
    required(stage_->record(*shown_), "recording a frame");
    required(stage_->execute(), "rendering a frame");
  }
  std::uint64_t image_digest() { return digest_of(required(stage_->picture(shown_->output()), "reading the image")); }
  std::string edited(bool undone) {
    std::string text = text_;
    for (const auto& [from, to] : edit_.changes)
      if (!undone) text.replace(text.find(from), from.size(), to);
    return edit_.compiles ? renewed(text) : text;
  }
  /// A text that the compiler of shaders does not know yet.
  std::string renewed(const std::string& text) { return text + fmt::format("// Edit {}.\n", ++edits_); }

  const Edit& edit_;
  std::unique_ptr<vulkan::Device> device_;
  Scene scene_;
  std::unique_ptr<Stage> stage_;
  TemporaryFolder folder_;
  std::filesystem::path edited_, added_;  // added_: empty without such a shader
  std::string text_, added_text_;
  std::unique_ptr<LiveConfig> live_;
  const Plan* shown_ = nullptr;
  std::vector<double> begins_;  // of frames, since the edit
  std::uint64_t edits_ = 0;
  std::ptrdiff_t frames_ = 0;
  int seen_ = 0;
  double compile_ns_ = 0;
};

bench::Workload commands_workload(const Renderer& renderer, const Named& of) {
  bench::Workload workload;
  workload.name = fmt::format("commands_{}", of.name);
  workload.title = fmt::format("The commands of a frame alone, without a driver: {}", of.title);
  workload.phases = {"record"};
  workload.operations = kFrames;
  workload.operation = "frame";
  workload.metrics = kCountMetrics;
  workload.prepare = [renderer, which = of.which](const bench::Case& inputs) {
    return std::make_unique<CommandsTask>(renderer, which, inputs.seed, kObjects);
  };
  return workload;
}

bench::Workload objects_workload(const Renderer& renderer) {
  bench::Workload workload = commands_workload(renderer, kConfigurations[1]);
  workload.name = "commands_objects";
  workload.title = "The commands of a deferred frame alone, by the number of objects";
  workload.axis = bench::Axis{"objects", "", {{16}, {64}, {256}, {1024}, {4096}}};
  workload.metrics.clear();
  workload.prepare = [renderer](const bench::Case& inputs) {
    return std::make_unique<CommandsTask>(renderer, CodedFrame::kDeferred, inputs.seed,
                                          static_cast<std::size_t>(inputs.point));
  };
  return workload;
}

bench::Workload load_workload(const Renderer& renderer, const Named& of) {
  bench::Workload workload;
  workload.name = fmt::format("load_{}", of.name);
  workload.title = fmt::format("From files to a frame that can be recorded, without a driver: {}", of.title);
  workload.phases = {"read", "make"};
  workload.operations = 1;
  workload.operation = "load";
  workload.prepare = [renderer, which = of.which](const bench::Case& inputs) {
    return std::make_unique<LoadTask>(renderer, which, inputs.seed);
  };
  return workload;
}

/// A workload on a device, whose threads and clocks are its own.
bench::Workload on_device(std::string name, std::string title) {
  bench::Workload workload;
  workload.name = std::move(name);
  workload.title = std::move(title);
  workload.parallel = true;
  workload.repeatable = false;
  workload.unsupported = vulkan::no_measured_device();
  return workload;
}

bench::Workload frame_workload(const Renderer& renderer, const Named& of) {
  bench::Workload workload = on_device(fmt::format("frame_{}", of.name),
                                       fmt::format("Frames of {} x {} pixels: {}", kWidth, kHeight, of.title));
  workload.phases = {"record"};
  workload.operations = kDeviceFrames;
  workload.operation = "frame";
  workload.metrics = {{vulkan::kGpuTime, vulkan::kGpuTimeTitle, "ns", kTime, kLess},
                      {vulkan::kGpuTimeByCpu, vulkan::kGpuTimeByCpuTitle, "ns", kTime, kLess},
                      {"to_coded", "Recording by that of the frame in C++, in the same process", "", kQuality, kLess}};
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [renderer, which = of.which](const bench::Case& inputs) {
    return std::make_unique<FrameTask>(renderer, which, inputs);
  };
  workload.exhibits = {{"image", fmt::format("The last frame: {}", of.title), bench::ExhibitKind::kImage}};
  workload.exhibit = [renderer, which = of.which](const bench::Case& inputs, bench::ExhibitFiles& files) {
    bench::PhaseClock clock(1);
    FrameTask task(renderer, which, inputs);
    task.repeat(clock);
    files.image("image", task.picture());
  };
  return workload;
}

bench::Workload edit_workload(const Renderer& renderer, const Edit& edit) {
  bench::Workload workload =
      on_device(edit.name, fmt::format("From an edit of {} to the end of the first frame that shows it", edit.title));
  workload.phases = {"until_new"};
  workload.operations = edit.timed();
  workload.operation = "edit";
  if (edit.added_shader != nullptr)
    workload.version = 2;  // version 1 kept all but the pass, and timed the removal, too
  workload.metrics = {
      {"edits_seen", "Of an edit and its undoing, those that changed the image", "", kExact, kMore},
      {"frames_until_new", "Frames that an edit takes, without those of the shaders' compiler", "", kQuality, kLess},
      {"compile", "Of it, in the compiler of shaders", "ns", kTime, kLess}};
  if (!renderer.reloads) workload.unsupported = "it does not reload files";
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [&edit](const bench::Case& inputs) { return std::make_unique<EditTask>(inputs, edit); };
  return workload;
}

}  // namespace

std::vector<bench::Workload> make_workloads(const Renderer& renderer) {
  std::vector<bench::Workload> workloads;
  for (const Named& of : kConfigurations) workloads.push_back(commands_workload(renderer, of));
  workloads.push_back(objects_workload(renderer));
  for (const Named& of : kConfigurations) workloads.push_back(load_workload(renderer, of));
  for (const Named& of : kConfigurations) workloads.push_back(frame_workload(renderer, of));
  for (const Edit& edit : kEdits) workloads.push_back(edit_workload(renderer, edit));
  return workloads;
}

}  // namespace lab::render_config
