// Renders a frame of version 7 on a real Vulkan device. Prints one line of JSON, and a sentence to standard error.
#include "variants/command_bucket/device/drawable_scene.h"
#include "variants/command_bucket/device/render_run.h"
#include "variants/command_bucket/device/scene_renderer.h"
#include "variants/vulkan/device_program.h"

namespace lab::command_bucket {

namespace {

Expected<vulkan::ProgramOutput> run(const vulkan::Flags& flags, const std::string& loader) {
  RenderReport report;
  const vulkan::DeviceSpec device{.loader = loader,
                                  .index = flags.number("--device"),
                                  .validate = flags.number("--validate") != 0,
                                  .draws = true,
                                  .features = SceneRenderer::features()};
  const RenderSpec spec{.meshes = flags.number("--meshes"),
                        .lights = flags.number("--lights"),
                        .secondaries = flags.number("--secondaries"),
                        .seed = flags.number("--seed"),
                        .edge = flags.number("--edge"),
                        .frames = flags.number("--frames"),
                        .check = flags.number("--check") != 0,
                        .out = flags.text("--out")};
  const auto watched =
      vulkan::watch(device, report, [&](vulkan::Device& opened) { return render(opened, spec, report); });
  if (!watched) return watched.error();
  return vulkan::output_of(report);
}

}  // namespace

}  // namespace lab::command_bucket

int main(int argc, char** argv) {
  using lab::command_bucket::kMostDrawn;
  return lab::vulkan::run_program(
      {.name = "command_bucket_render",
       .usage = "usage: command_bucket_render [--driver pinned|machine] [--device N] [--meshes N] [--lights N]\n"
                "                             [--secondaries N] [--seed N] [--edge N] [--frames N] [--check 0|1]\n"
                "                             [--validate 0|1] [--out DIR]\n",
       .flags = {.numbers = {{"--device", {0, 0, 63}},
                             {"--meshes", {1000, 1, kMostDrawn}},
                             {"--lights", {1000, 1, kMostDrawn}},
                             {"--secondaries", {0, 0, 64}},
                             {"--seed", {1}},
                             {"--edge", {512, 512, 4096}},
                             {"--frames", {1, 1, 1'000'000}},
                             {"--check", {0, 0, 1}},
                             {"--validate", {1, 0, 1}}},
                 .texts = {{"--out", {}}}}},
      argc, argv, lab::command_bucket::run);
}
