// command_bucket_render on the pinned lavapipe, and on it wrapped into drivers that differ in one thing
// (harness/probe/testing/wrapped_icd.cpp). Without a driver these tests are skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "variants/command_bucket/device/drawable_scene.h"
#include "variants/command_bucket/device/render_run.h"
#include "variants/vulkan/testing/device_program_test.h"

namespace lab::command_bucket {

namespace {

namespace fs = std::filesystem;

using vulkan::kFailed, vulkan::kNoDevice, vulkan::kOk;

class Rendered : public vulkan::DeviceProgramTest<RenderReport> {
 protected:
  Rendered() : DeviceProgramTest("command_bucket_render") {}
};

}  // namespace

TEST_F(Rendered, the_images_are_those_of_any_recording_and_show_each_wrong_command_and_the_layers_are_silent) {
  const fs::path pictures = scratch_.path() / "pictures";
  // The layers also look for hazards between the passes.
  const int status =
      run({"--meshes", "300", "--lights", "200", "--secondaries", "2", "--check", "1", "--out", pictures},
          {"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"});
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kOk) << printed_.output << printed_.error_tail;
  RenderReport found = report();
  EXPECT_TRUE(std::exchange(found.device, "").starts_with("llvmpipe")) << printed_.output;
  EXPECT_TRUE(std::exchange(found.driver, "").starts_with("Mesa 22.3.6")) << printed_.output;
  EXPECT_NE(std::exchange(found.caught, "").find("vkBindBufferMemory"), std::string::npos) << printed_.output;
  EXPECT_EQ(std::exchange(found.digest, "").size(), 16u);
  EXPECT_GT(std::exchange(found.record_ns, 1), 0);
  EXPECT_GT(std::exchange(found.execute_ms, 1), 0);
  EXPECT_GT(std::exchange(found.device_ns, std::nullopt).value_or(0), 0);
  const std::uint64_t binds = std::exchange(found.binds, 0);  // at least one of each kind in each part
  EXPECT_GE(binds, 12u);
  EXPECT_LT(binds, 2 * found.draws);
  EXPECT_EQ(json::serialize(to_json(found)),
            R"({"device":"","driver":"","made_by_cpu":true,"meshes":300,"lights":200,"secondaries":2,"draws":800,)"
            R"("maps":200,"binds":0,"digest":"","record_ns":1,"execute_ms":1,"device_ns":null,"unseen_draws":0,)"
            R"("right_frames":5,"other_images":{"count":0,"first":""},"wrong_frames":54,)"
            R"("unnoticed":{"count":0,"first":""},"validated":true,)"
            R"("planted":"a buffer bound at offset 32, with an alignment of 64","caught":"",)"
            R"("validation":{"count":0,"first":""}})");
  for (const char* name : {"gbuffer.png", "shadow_map.png", "lighting.png"}) {
    const Expected<std::string> picture = read_file(pictures / name);
    ASSERT_TRUE(picture) << picture.error().what;
    EXPECT_TRUE(picture->starts_with("\x89PNG")) << name;
  }
}

TEST_F(Rendered, every_draw_has_a_pixel_of_its_own_up_to_the_most_and_a_frame_of_one_is_right) {
  for (const auto& [components, edge] :
       std::vector<std::pair<std::size_t, int>>{{1, 512}, {2, 700}, {kMostDrawn, 512}}) {
    const std::string number = fmt::format("{}", components);
    const int status =
        run({"--meshes", number, "--lights", number, "--edge", fmt::format("{}", edge), "--secondaries", "3"});
    SKIP_WITHOUT_DEVICE(status);
    EXPECT_EQ(status, kOk) << printed_.error_tail;
    EXPECT_EQ(report().draws, 3 * components);
    EXPECT_EQ(report().unseen_draws, 0u);
  }
}

TEST_F(Rendered, images_that_are_never_read_back_are_found) {
  const std::vector<std::string> arguments{"--meshes", "10", "--lights", "10", "--check", "1", "--driver", "machine"};
  const int status = run(arguments, wrapped("wrong_read"));
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kFailed);
  EXPECT_GT(report().unseen_draws, 0u);
  EXPECT_GT(report().unnoticed.count, 0u);
  EXPECT_NE(printed_.error_tail.find(" draws have no pixel of their own."), std::string::npos) << printed_.error_tail;
}

TEST_F(Rendered, a_device_that_cannot_draw_is_unfit) {
  if (pinned_package(kLib, "lavapipe").empty()) GTEST_SKIP() << "needs the package lavapipe";
  EXPECT_EQ(run({"--driver", "machine"}, wrapped("gpu")), kNoDevice);
  EXPECT_EQ(printed_.error_tail,
            "command_bucket_render: error: no Vulkan device: expected a queue that can draw, found none\n");
}

TEST_F(Rendered, without_the_validation_layer_it_says_that_nobody_watched) {
  const int status = run({"--meshes", "10"}, {lib_of({"vulkan-loader", "lavapipe", "runtime"})});
  SKIP_WITHOUT_DEVICE(status);
  EXPECT_EQ(status, kOk) << printed_.error_tail;
  EXPECT_EQ(report().validated, false);
  EXPECT_TRUE(printed_.error_tail.ends_with("Nobody watched: there is no validation layer.\n")) << printed_.error_tail;
}

TEST_F(Rendered, without_a_driver_it_says_so_in_one_sentence_with_a_status_of_its_own) {
  expect_it_says_that_there_is_no_driver();
}

TEST_F(Rendered, a_wrong_command_line_is_refused) {
  expect_it_refuses({"--meshes"}, "--meshes: expected a value");
  expect_it_refuses({"--meshes", "0"}, "--meshes: expected a number from 1 to 16384, found '0'");
  expect_it_refuses({"--lights", "16385"}, "--lights: expected a number from 1 to 16384, found '16385'");
  expect_it_refuses({"--edge", "1x"}, "--edge: expected a number from 512 to 4096, found '1x'");
  expect_it_refuses({"--driver", "all"}, "--driver: expected one of pinned, machine, found 'all'");
  expect_it_refuses({"--quick", "1"}, "there is no flag '--quick'");
}

TEST(DrawableScene, names_triangles_and_vertices_that_its_buffers_have) {
  const Geometry geometry = make_geometry();
  const Scene scene = make_drawable_scene(7, 500, 300);
  std::set<std::pair<unsigned, unsigned>> buffers;
  for (const auto* components : {&scene.meshes, &scene.lights})
    for (const Component& component : *components) {
      ASSERT_LT(component.vertex_buffer, kVertexBuffers);
      ASSERT_LT(component.index_buffer, kIndexBuffers);
      buffers.emplace(component.vertex_buffer, component.index_buffer);
      const auto& vertices = geometry.vertices[component.vertex_buffer];
      const auto& indices = geometry.indices[component.index_buffer];
      ASSERT_GT(component.index_count, 0u);
      ASSERT_LE(component.first_index + component.index_count, indices.size());
      for (std::uint32_t i = 0; i < component.index_count; ++i)
        ASSERT_LT(component.base_vertex + indices[component.first_index + i], vertices.size());
    }
  EXPECT_EQ(buffers.size(), kVertexBuffers * kIndexBuffers);
  EXPECT_EQ(scene.meshes.size(), 500u);
  EXPECT_EQ(scene.lights.size(), 300u);
  EXPECT_EQ(scene.work_steps, 0u);
  EXPECT_EQ(make_drawable_scene(7, 500, 300).meshes[499].first_index, scene.meshes[499].first_index);
  EXPECT_NE(make_drawable_scene(8, 500, 300).salt, scene.salt);
}

TEST(DrawableScene, a_mesh_and_its_shadow_end_before_the_next_middle) {
  constexpr float kSun = 0.5f;  // as in shaders/draw.glsl
  float reach = 0;
  for (const auto& vertices : make_geometry().vertices)
    for (const Vertex& vertex : vertices) {
      EXPECT_LE(std::max(std::abs(vertex.x), std::abs(vertex.y)), 1.0001f);
      EXPECT_TRUE(vertex.z >= 0 && vertex.z <= 1) << vertex.z;
    }
  for (const std::size_t meshes : {100u, 10'000u, 16'384u}) {
    const Instances instances = mesh_instances(make_drawable_scene(1, meshes, 0), 512);
    ASSERT_EQ(instances.of.size(), meshes);
    const float cell = instances.of[1].x - instances.of[0].x;
    for (const auto& vertices : make_geometry().vertices)
      for (const Vertex& vertex : vertices) {
        const Instance& mesh = instances.of[0];
        reach = std::max(reach, (std::abs(vertex.x) * mesh.size + vertex.z * instances.top * kSun) / cell);
      }
    for (const Instance& mesh : instances.of) ASSERT_LE(mesh.height, instances.top);
  }
  EXPECT_LT(reach, 0.9f);
}

}  // namespace lab::command_bucket
