#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/base/layout.h"
#include "variants/render_config/engine/named_frame.h"
#include "variants/render_config/engine/plan.h"
#include "variants/render_config/family/render_config.h"
#include "variants/render_config/language/read_config.h"

namespace lab::render_config {

namespace {

class CodedMaker final : public FrameMaker {
  Expected<void> read(CodedFrame which) override {
    which_ = which;
    return {};
  }
  Expected<std::unique_ptr<FrameRenderer>> make(Objects& objects, std::uint32_t width, std::uint32_t height) override {
    return make_coded(which_, objects, width, height);
  }

  CodedFrame which_ = CodedFrame::kForward;
};

class PlanMakerOfFiles : public FrameMaker {
 public:
  Expected<void> read(CodedFrame which) override {
    files_ = {};
    Expected<Config> config = read_config(file_of(which), environment_, files_);
    if (!config) return config.error();
    config_ = std::move(*config);
    return {};
  }
  Expected<std::unique_ptr<FrameRenderer>> make(Objects& objects, std::uint32_t width, std::uint32_t height) override {
    auto plan = make_plan(objects, width, height);
    if (!plan) return plan.error();
    return std::unique_ptr<FrameRenderer>(std::move(*plan));
  }

 protected:
  Expected<std::unique_ptr<Plan>> make_plan(Objects& objects, std::uint32_t width, std::uint32_t height) {
    const ReadFile read = [this](const std::filesystem::path& file) { return files_.read(file); };
    return Plan::make(config_, compiler_, read, objects, width, height);
  }
  const Config& config() const { return config_; }

 private:
  const RenderEnvironment environment_ = scene_environment();
  ShaderCompiler compiler_{lib_dir()};
  FileSet files_;
  Config config_;
};

class NamedMaker final : public PlanMakerOfFiles {
  Expected<std::unique_ptr<FrameRenderer>> make(Objects& objects, std::uint32_t width, std::uint32_t height) override {
    auto plan = make_plan(objects, width, height);
    if (!plan) return plan.error();
    return std::unique_ptr<FrameRenderer>(std::make_unique<NamedFrame>(config(), std::move(*plan)));
  }
};

}  // namespace

std::filesystem::path configurations() {
  return root_dir() / "variants" / LAB_FAMILY / "configurations";
}

std::filesystem::path file_of(CodedFrame which) {
  constexpr std::array<std::string_view, 3> kFiles{"forward.json", "deferred.json", "greyscale/settings.json"};
  return configurations() / kFiles[static_cast<std::size_t>(which)];
}

std::unique_ptr<FrameMaker> coded_maker() {
  return std::make_unique<CodedMaker>();
}
std::unique_ptr<FrameMaker> plan_maker() {
  return std::make_unique<PlanMakerOfFiles>();
}
std::unique_ptr<FrameMaker> named_maker() {
  return std::make_unique<NamedMaker>();
}

}  // namespace lab::render_config
