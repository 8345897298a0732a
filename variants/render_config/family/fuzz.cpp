#include "variants/render_config/family/fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "variants/render_config/engine/named_frame.h"
#include "variants/render_config/engine/plan.h"
#include "variants/render_config/engine/without_device.h"
#include "variants/render_config/family/render_config.h"
#include "variants/render_config/language/read_config.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kObjects = 16;

// Without the package, so that no input starts the compiler: what ships is compiled.
ShaderCompiler& compiler() {
  static ShaderCompiler compiled("/none");
  return compiled;
}

std::string without_place(const Error& error) {
  if (error.what.find(".json:") != std::string::npos || error.what.find(".glsl:") != std::string::npos ||
      error.what.find(".vert:") != std::string::npos || error.what.find(".frag:") != std::string::npos)
    return "";
  return fmt::format("a problem without a place: {}", error.what);
}

std::uint64_t digest_of(const FrameRenderer& frame, const Scene& scene, FrameNumber number) {
  frame.record({CommandDigest::begin(), VK_NULL_HANDLE, NumberedObjects::binding(), scene, number});
  return CommandDigest::value();
}

}  // namespace

std::string fuzz(std::span<const std::uint8_t> input) {
  const auto middle = std::ranges::find(input, 0);
  FileSet files;
  const std::filesystem::path file = configurations() / "fuzz.json";
  files.provide(file, std::string(input.begin(), middle));
  files.provide(configurations() / "fuzz_library.json",
                std::string(middle == input.end() ? middle : middle + 1, input.end()));
  const auto config = read_config(file, scene_environment(), files);
  if (!config) return without_place(config.error());
  NumberedObjects objects;
  const ReadFile read = [&](const std::filesystem::path& path) { return files.read(path); };
  auto plan = Plan::make(*config, compiler(), read, objects, 64, 36);
  if (!plan) return without_place(plan.error());
  static Scene scene(1, kObjects);
  const std::uint64_t first = digest_of(**plan, scene, 0), digest = digest_of(**plan, scene, 1);
  const CommandCounts counts = CommandDigest::counts();
  if (counts.passes != config->frame.size() || counts.pushes != config->frame.size())
    return fmt::format("{} passes in the configuration, {} begun, {} with constants", config->frame.size(),
                       counts.passes, counts.pushes);
  if (digest_of(**plan, scene, 1) != digest) return "a frame has other commands the second time";
  const std::vector<bool> histories = config->histories();
  if (std::ranges::find(histories, true) == histories.end() && first != digest)
    return "a frame without histories has other commands than the next one";
  const NamedFrame named(*config, std::move(*plan));
  if (digest_of(named, scene, 1) != digest || digest_of(named, scene, 0) != first)
    return "a frame by names has other commands than one by steps";
  return "";
}

}  // namespace lab::render_config
