// What passes read of the last frame, and how they know where things were. Each test starts this executable again on
// the pinned lavapipe, and is skipped without one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "variants/render_config/engine/blank_frame.h"
#include "variants/render_config/engine/testing/live_scene.h"

namespace lab::render_config {

namespace {

/// Counts frames: one more than in the last frame, in an image of one texel, another as large as the output, and one of
/// depth. The output shows them.
constexpr const char* kCounter = R"({
  "extends": "forward.json", "shader_libraries": ["counter_library.json"],
  "settings": {"step": 1, "counts": true},
  "global_resources": {
    "texel": {"format": "r32f", "pixels": [1, 1]}, "whole": {"format": "r32f"},
    "deep": {"format": "depth32", "pixels": [1, 1]}, "shown": {"format": "rgba8"}
  },
  "resource_generators": {"count": [
    {"fullscreen": "count", "inputs": {"last": {"resource": "texel", "previous": true}}, "constants": {"step": "$step"},
     "targets": ["texel"]},
    {"fullscreen": "count", "inputs": {"last": {"resource": "whole", "previous": true}}, "constants": {"step": "$step"},
     "targets": ["whole"]},
    {"fullscreen": "count_deep", "inputs": {"last": {"resource": "deep", "previous": true}}, "depth": "deep",
     "targets": [], "clear": {"deep": 1}}
  ], "show_counts": [
    {"fullscreen": "show_counts", "inputs": {"texel": "texel", "whole": "whole", "deep": "deep"}, "targets": ["shown"]}
  ], "none": [{"fullscreen": "none", "targets": ["shown"]}]},
  "frame": [{"generate": "count", "when": {"counts": true}}, {"generate": "show_counts", "when": {"counts": true}},
            {"generate": "none", "when": {"counts": false}}],
  "output": "shown"
})";

constexpr const char* kCounterLibrary = R"({"shaders": {
  "count": {"vertex": "shaders/fullscreen.vert", "fragment": "count.frag"},
  "count_deep": {"vertex": "shaders/fullscreen.vert", "fragment": "count_deep.frag", "depth": "less"},
  "show_counts": {"vertex": "shaders/fullscreen.vert", "fragment": "show_counts.frag"},
  "none": {"vertex": "shaders/fullscreen.vert", "fragment": "none.frag"}
}})";

std::string fragment(const std::string& constants, const std::string& body) {
  std::string text = "#version 450\n#extension GL_GOOGLE_include_directive : require\n";
  if (!constants.empty()) text += "#define PASS_CONSTANTS " + constants + "\n";
  return text + "#include \"shaders/frame.glsl\"\nlayout(location = 0) in vec2 uv;\n" + body;
}

}  // namespace

class HistoryOnDriver : public LiveScene {
 protected:
  struct Counts {
    int texel = 0, whole = 0, deep = 0;
    bool operator==(const Counts&) const = default;
  };

  void open_counter() {
    scratch_.write("counter.json", kCounter);
    scratch_.write("counter_library.json", kCounterLibrary);
    scratch_.write("count.frag", fragment("float step;",
                                          "layout(set = 1, binding = 0) uniform sampler2D last;\n"
                                          "layout(location = 0) out float count;\n"
                                          "void main() { count = textureLod(last, uv, 0.0).r + pass.step; }\n"));
    scratch_.write("count_deep.frag", fragment("",
                                               "layout(set = 1, binding = 0) uniform sampler2D last;\n"
                                               "void main() { gl_FragDepth = textureLod(last, uv, 0.0).r + "
                                               "1.0 / 256.0; }\n"));
    scratch_.write("show_counts.frag",
                   fragment("",
                            "layout(set = 1, binding = 0) uniform sampler2D texel;\n"
                            "layout(set = 1, binding = 1) uniform sampler2D whole;\n"
                            "layout(set = 1, binding = 2) uniform sampler2D deep;\n"
                            "layout(location = 0) out vec4 shown;\n"
                            "void main() { shown = vec4(textureLod(texel, uv, 0.0).r, textureLod(whole, uv, 0.0).r,"
                            " textureLod(deep, uv, 0.0).r * 256.0, 255.0) / 255.0; }\n"));
    scratch_.write("none.frag", fragment("",
                                         "layout(location = 0) out vec4 shown;\n"
                                         "void main() { shown = vec4(0.0); }\n"));
    open("counter.json");
    ASSERT_EQ(problem_in(live_->status()), "");
  }
  // Of one more frame.
  Counts count() {
    const bench::Picture shown = picture();
    for (std::size_t i = 3; i < shown.pixels.size(); ++i) EXPECT_EQ(shown.pixels[i], shown.pixels[i - 3]);
    return {shown.pixels[0], shown.pixels[1], shown.pixels[2]};
  }
  // Waits until a plan is there that no frame has used.
  template <typename Change>
  void without_frames(const Change& change) {
    const std::uint64_t plans = live_->status().plans;
    change();
    ASSERT_TRUE(comes_true([&] { return live_->status().plans > plans; }));
  }
  void write(const std::string& from, const std::string& to) {
    without_frames([&] {
      std::string text = read("counter.json");
      scratch_.write("counter.json", text.replace(text.find(from), from.size(), to));
    });
  }
};

TEST_F(HistoryOnDriver, is_what_the_last_frame_left_and_stays_while_its_image_does) {
  if (!is_there()) return run_there();
  open_counter();
  // The first frame began with zeros.
  const int frames = static_cast<int>(stage_->frames());
  Counts expected = count();
  EXPECT_EQ(expected.texel, expected.whole);
  EXPECT_EQ(expected.texel, expected.deep);
  EXPECT_LE(expected.texel, frames + 1);
  const auto next = [&](int step) {
    expected.texel += step;
    expected.whole += step;
    expected.deep += 1;
  };
  for (int i = 0; i < 3; ++i) {
    next(1);
    EXPECT_EQ(count(), expected) << i;
  }
  // A setting: the images are the same, after an odd and after an even number of frames.
  for (const auto& [from, to] : {std::pair{1, 2}, {2, 3}, {3, 1}}) {
    write(fmt::format("\"step\": {}", from), fmt::format("\"step\": {}", to));
    next(to);
    EXPECT_EQ(count(), expected) << to;
    if (to == 2) {
      next(to);
      EXPECT_EQ(count(), expected) << to;
    }
  }
  // Another size of the output: what is as large as it begins again.
  without_frames([&] { live_->resize(50, 20); });
  expected.whole = 0;
  next(1);
  EXPECT_EQ(count(), expected);
  // Another format of one of them.
  write("\"texel\": {\"format\": \"r32f\"", "\"texel\": {\"format\": \"r16f\"");
  expected.texel = 0;
  next(1);
  EXPECT_EQ(count(), expected);
  // A plan that has no history, for one frame: though the images may still be there, nothing is left of before.
  write("\"counts\": true}", "\"counts\": false}");
  EXPECT_EQ(count(), Counts());
  write("\"counts\": false}", "\"counts\": true}");
  EXPECT_EQ(count(), (Counts{1, 1, 1}));
  EXPECT_EQ(count(), (Counts{2, 2, 2}));
}

TEST_F(HistoryOnDriver, of_an_image_that_another_renderer_had_a_frame_between_is_empty) {
  if (!is_there()) return run_there();
  open_counter();
  const Counts before = count();
  EXPECT_EQ(count(), (Counts{before.texel + 1, before.whole + 1, before.deep + 1}));
  DeviceObjects objects(device(), stage_->layouts());
  const auto blank = BlankFrame::make(objects, 8, 8);
  ASSERT_TRUE(blank);
  ASSERT_TRUE(stage_->prepare(**blank, 0) && stage_->record(**blank) && stage_->execute());
  EXPECT_EQ(count(), (Counts{1, 1, 1}));
}

TEST_F(HistoryOnDriver, is_found_where_a_surface_was_while_camera_and_objects_move) {
  if (!is_there()) return run_there();
  // Each surface shows where on its mesh it is. The last frame had the same at previous_uv().
  scratch_.write("places.json", R"({
    "extends": "common.json", "shader_libraries": ["places_library.json"],
    "settings": {"follow": 1},
    "global_resources": {"places": {"format": "rgba32f"}, "before": {"format": "rgba32f"}, "same": {"format": "rgba8"}},
    "resource_generators": {"places": [
      {"draw": "forward", "targets": ["places", "before"], "depth": "depth",
       "clear": {"places": [0, 0, 0, 0], "before": [0, 0, 0, 0], "depth": 1}},
      {"fullscreen": "compare",
       "inputs": {"places": "places", "last": {"resource": "places", "previous": true, "filter": "linear"}, "before": "before"},
       "constants": {"follow": "$follow"}, "targets": ["same"]}]},
    "frame": ["places"], "output": "same"})");
  scratch_.write("places_library.json", R"({"shaders": {
    "place": {"vertex": "place.vert", "fragment": "place.frag", "depth": "less", "cull": "back"},
    "compare": {"vertex": "shaders/fullscreen.vert", "fragment": "compare.frag"}
  }, "materials": {"solid": {"forward": "place"}}})");
  scratch_.write("place.vert", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "shaders/frame.glsl"
#include "shaders/objects.glsl"
layout(location = 0) out vec3 on_mesh;
layout(location = 1) out vec3 before;
layout(location = 2) flat out float object;
void main() {
  on_mesh = mesh_position;
  before = previous_object_position();
  object = float(gl_InstanceIndex);
  gl_Position = seen_from(pass.view, object_position());
}
)");
  scratch_.write("place.frag", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "shaders/frame.glsl"
layout(location = 0) in vec3 on_mesh;
layout(location = 1) in vec3 before;
layout(location = 2) flat in float object;
layout(location = 0) out vec4 place;
layout(location = 1) out vec4 was;
void main() {
  place = vec4(on_mesh, object);
  was = vec4(previous_uv(before), length(fwidth(on_mesh)), objects[int(object)].rows == objects[int(object)].previous_rows ? 0.0 : 1.0);
}
)");
  // was.z: how far the next pixel is on the mesh. Red: a surface that the last frame had there, too. Green: another
  // one. Blue: it moves.
  scratch_.write("compare.frag", fragment("float follow;", R"(
layout(set = 1, binding = 0) uniform sampler2D places;
layout(set = 1, binding = 1) uniform sampler2D last;
layout(set = 1, binding = 2) uniform sampler2D before;
layout(location = 0) out vec4 same;
void main() {
  const vec4 now = textureLod(places, uv, 0.0), was = textureLod(before, uv, 0.0);
  const vec4 there = textureLod(last, mix(uv, was.xy, pass.follow), 0.0);
  const bool found = there.w == now.w && distance(there.xyz, now.xyz) < 0.5 * was.z;  // half a pixel
  same = was.z == 0.0 ? vec4(0.0) : vec4(found ? 1.0 : 0.0, found ? 0.0 : 1.0, was.w, 1.0);
}
)"));
  width_ = 192;
  height_ = 108;
  open("places.json");
  ASSERT_EQ(problem_in(live_->status()), "");
  struct Shares {
    double still = 0, moving = 0;  // of their pixels, those that were found
  };
  const auto shares = [&](double seconds) {
    frame(5);
    const bench::Picture shown = picture(5 + seconds);
    Shares found, all;
    for (std::size_t i = 0; i < shown.pixels.size(); i += 3) {
      if (shown.pixels[i] == 0 && shown.pixels[i + 1] == 0) continue;
      const bool moves = shown.pixels[i + 2] != 0;
      (moves ? all.moving : all.still) += 1;
      (moves ? found.moving : found.still) += shown.pixels[i] != 0 ? 1 : 0;
    }
    EXPECT_GT(all.moving, 50);
    EXPECT_GT(all.still, 5000);
    return Shares{found.still / all.still, found.moving / all.moving};
  };
  constexpr double kShort = 0.2, kLong = 2;  // spheres move fast, and the camera slowly
  const Shares followed{shares(kLong).still, shares(kShort).moving};
  // But for what was hidden, and edges.
  EXPECT_GT(followed.still, 0.8);
  EXPECT_GT(followed.moving, 0.6);
  EXPECT_EQ(problem_in(edit("places.json", "\"follow\": 1", "\"follow\": 0")), "");
  const Shares not_followed{shares(kLong).still, shares(kShort).moving};
  EXPECT_LT(not_followed.still, followed.still / 2);
  EXPECT_LT(not_followed.moving, followed.moving / 2);
}

}  // namespace lab::render_config
