// A configuration that is edited while it is rendered. Each test starts this executable again on the pinned lavapipe,
// and is skipped without one.
#include "variants/render_config/engine/live_config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/base/random.h"
#include "variants/render_config/engine/testing/live_scene.h"

namespace lab::render_config {

namespace {

namespace fs = std::filesystem;

/// .ci/full makes a thousand, which takes minutes: each edit loads a configuration, and half of them compile shaders.
const int kBrokenEdits = std::getenv("LAB_LONG_TESTS") != nullptr ? 1000 : 150;

bool same(const bench::Picture& a, const bench::Picture& b) {
  return a.width == b.width && a.height == b.height && a.pixels == b.pixels;
}

bool is_grey(const bench::Picture& picture) {
  for (std::size_t i = 0; i + 2 < picture.pixels.size(); i += 3)
    if (picture.pixels[i] != picture.pixels[i + 1] || picture.pixels[i] != picture.pixels[i + 2]) return false;
  return true;
}

/// The share of pixels that differ by more than a little.
double difference(const bench::Picture& a, const bench::Picture& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  std::size_t other = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i)
    other += std::abs(int{a.pixels[i]} - int{b.pixels[i]}) > 8 ? 1 : 0;
  return static_cast<double>(other) / static_cast<double>(a.pixels.size());
}

/// Cuts out all lines that contain a word.
std::string without_lines(const std::string& text, const std::vector<std::string>& words) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (std::ranges::none_of(words, [&](const std::string& word) { return line.find(word) != std::string::npos; }))
      kept += line;
    at = end;
  }
  return kept;
}

}  // namespace

class LiveConfigOnDriver : public LiveScene {
 protected:
  /// Edits a file at random, one of `data` or seldom one of `code`, and undoes it, many times. What is seen before and
  /// after.
  std::array<bench::Picture, 2> break_often(const std::string& shown, const std::vector<std::string>& data,
                                            const std::vector<std::string>& code, int edits) {
    width_ = 32;
    height_ = 18;
    open(shown, 0.001);
    const bench::Picture before_all = settled();
    Random random(7);
    int problems = 0, frames = 0;
    for (int i = 0; i < edits; ++i) {
      const std::vector<std::string>& files = i % 20 == 0 ? code : data;  // the compiler takes long
      const std::string& file = files[random.below(files.size())];
      const std::string text = read(file);
      std::string broken = text;
      const std::size_t at = random.below(text.size()),
                        length = 1 + random.below(std::min<std::size_t>(40, text.size() - at));
      switch (random.below(5)) {
        case 0:  // cut off
          broken.resize(at);
          break;
        case 1:  // cut out
          broken.erase(at, length);
          break;
        case 2:  // doubled
          broken.insert(at, text.substr(at, length));
          break;
        case 3:  // another byte
          broken[at] = static_cast<char>(random.below(256));
          break;
        default: {  // two numbers or words swapped
          const std::size_t to = random.below(text.size());
          std::swap(broken[at], broken[to]);
        }
      }
      if (broken == text) continue;
      const std::uint64_t before = stage_->frames();
      const LoadStatus status = edit(file, broken);
      problems += status.problem ? 1 : 0;
      frames += static_cast<int>(stage_->frames() - before);
      EXPECT_GT(stage_->frames(), before) << i;
      EXPECT_EQ(problem_in(edit(file, text)), "") << i << " " << file;
      if (HasFailure()) break;
    }
    EXPECT_GT(problems, edits / 2);
    RecordProperty("broken", problems);
    RecordProperty("frames", frames);
    return {before_all, settled()};
  }
  /// A picture of a scene that stands still, after what moved before is forgotten.
  bench::Picture settled() {
    for (int i = 0; i < 64 || stage_->frames() % 8 != 0; ++i) frame();
    return picture();
  }
};

TEST_F(LiveConfigOnDriver, a_greyscale_effect_is_added_by_editing_files) {
  if (!is_there()) return run_there();
  // The article's exercise, from a renderer that has no word of it.
  fs::remove_all(scratch_.path() / "greyscale");
  open("settings.json");
  const bench::Picture coloured = picture();
  EXPECT_FALSE(is_grey(coloured));
  // The shader library and its shader.
  std::string library = read("shaders/library.json");
  const std::string at = "    \"show\": ";
  scratch_.write("shaders/greyscale.frag", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float amount;
#include "frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 shown;
void main() {
  const vec4 colour = textureLod(image, uv, 0.0);
  shown = vec4(mix(colour.rgb, vec3(dot(colour.rgb, vec3(0.2, 0.7, 0.1))), pass.amount), 1.0);
}
)");
  library.insert(library.find(at),
                 "    \"greyscale\": {\"vertex\": \"fullscreen.vert\", \"fragment\": \"greyscale.frag\"},\n");
  EXPECT_EQ(problem_in(edit("shaders/library.json", library)), "");
  EXPECT_TRUE(same(picture(), coloured));
  // The render config: an image, a pass that is off, and another output.
  std::string config = read("common.json");
  config.replace(config.find("\"exposure\": 0.8"), 15, "\"exposure\": 0.8, \"grey\": 0");
  config.replace(config.find("    \"image\":"), 0, "    \"grey_image\": {\"format\": \"rgba8\"},\n");
  config.replace(config.rfind("    ],"), 0,
                 "      {\"fullscreen\": \"greyscale\", \"inputs\": {\"image\": \"image\"}, "
                 "\"constants\": {\"amount\": \"$grey\"}, \"targets\": [\"grey_image\"]},\n");
  config.replace(config.find("\"output\": \"image\""), 17, "\"output\": \"grey_image\"");
  const LoadStatus added = edit("common.json", config);
  EXPECT_EQ(problem_in(added), "");
  EXPECT_EQ(added.compilations, 1u);
  EXPECT_LT(difference(picture(), coloured), 0.001);
  // The settings.
  EXPECT_EQ(problem_in(edit("settings.json", "{\"render_config\": \"deferred.json\", \"settings\": {\"grey\": 1}}")),
            "");
  EXPECT_TRUE(is_grey(picture()));
  EXPECT_GT(difference(picture(), coloured), 0.1);
}

TEST_F(LiveConfigOnDriver, ambient_obscurance_of_past_frames_is_added_by_adding_files) {
  if (!is_there()) return run_there();
  // From a renderer that has no word of it, and reads no frame but the one it draws.
  const fs::path effect = scratch_.path() / "ambient_obscurance", later = scratch_.path() / "later";
  fs::rename(effect, later);
  open("settings.json");
  const bench::Picture before = picture();
  EXPECT_EQ(read("deferred.json").find("obscur"), std::string::npos);
  // While it runs: a folder with a render config, its library and its shaders. Then the line that points to it.
  fs::create_directory(effect);
  for (const fs::directory_entry& file : fs::directory_iterator(later)) {
    fs::copy(file.path(), effect);
    EXPECT_TRUE(same(picture(), before));
  }
  EXPECT_EQ(problem_in(edit("settings.json", R"({"render_config": "ambient_obscurance/ambient_obscurance.json"})")),
            "");
  const bench::Picture after = picture();
  EXPECT_GT(difference(after, before), 0.005);
  for (std::size_t i = 0; i < after.pixels.size(); ++i) ASSERT_LE(after.pixels[i], before.pixels[i]) << i;
  // And away again.
  EXPECT_EQ(problem_in(edit("settings.json", R"({"render_config": "deferred.json"})")), "");
  EXPECT_TRUE(same(picture(), before));
}

TEST_F(LiveConfigOnDriver, obscurance_of_few_samples_comes_near_that_of_many_by_past_frames) {
  if (!is_there()) return run_there();
  // So weak that few samples seldom find more than all light to be gone, which would be cut off.
  const auto settings = [](int samples, double similarity) {
    return fmt::format(R"({{"render_config": "ambient_obscurance/ambient_obscurance.json", "settings": {{
        "show": "obscurance", "obscurance_intensity": 1, "obscurance_samples": {}, "low_velocity_similarity": {}}}}})",
                       samples, similarity);
  };
  // After `frames`, of which the last is a multiple of 8: their samples come again after 8.
  const auto seen_after = [&](int frames) {
    for (int i = 0; i < frames || stage_->frames() % 8 != 0; ++i) frame();
    return picture();
  };
  const auto mean_difference = [](const bench::Picture& a, const bench::Picture& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
    return sum / static_cast<double>(a.pixels.size());
  };
  scratch_.write("obscured.json", settings(64, 0));
  open("obscured.json");
  ASSERT_EQ(problem_in(live_->status()), "");
  const bench::Picture many = seen_after(0);
  EXPECT_EQ(problem_in(edit("obscured.json", settings(6, 0))), "");
  const bench::Picture few = seen_after(0);
  EXPECT_FALSE(same(few, picture())) << "the next frame has other samples";
  EXPECT_TRUE(same(few, seen_after(0))) << "and nothing of the last ones";
  EXPECT_EQ(problem_in(edit("obscured.json", settings(6, 0.95))), "");
  const bench::Picture reprojected = seen_after(64);
  EXPECT_LT(mean_difference(reprojected, many), mean_difference(few, many) / 2);
  // It comes to rest: what 8 frames change becomes less.
  open("obscured.json");
  const bench::Picture at_8 = seen_after(1), at_16 = seen_after(1);
  const bench::Picture at_72 = seen_after(56), at_80 = seen_after(1);
  EXPECT_LE(mean_difference(at_72, at_80), mean_difference(at_8, at_16));
}

TEST_F(LiveConfigOnDriver, a_second_cascaded_shadow_is_added_by_editing_files) {
  if (!is_there()) return run_there();
  const std::string config = read("deferred.json"), library = read("shaders/library.json"),
                    shader = read("shaders/light_apart.frag");
  // Before: the renderer without it.
  std::string before = config;
  const std::size_t pass = before.find("      {\n        \"fullscreen\": \"light_apart\"");
  ASSERT_NE(pass, std::string::npos);
  before.erase(pass, before.find("      },\n", pass) + 9 - pass);
  const std::vector<std::string> words{
      "shadow_0", "shadow_1", "shadow_2", "apart_0", "apart_1", "apart_2", "\"generate\": \"cascades_apart\""};
  before = without_lines(before, words);
  const std::size_t generator = before.find("    \"cascades_apart\": [\n");
  ASSERT_NE(generator, std::string::npos);
  before.erase(generator, before.find("    ],\n", generator) + 7 - generator);
  before.replace(before.find("or \"cascades_apart\" "), 20, "");
  EXPECT_EQ(before.find("apart"), std::string::npos);
  scratch_.write("deferred.json", before);
  scratch_.write("shaders/library.json", without_lines(library, {"light_apart"}));
  fs::remove(scratch_.path() / "shaders/light_apart.frag");
  scratch_.write("settings.json", R"({"render_config": "deferred.json", "settings": {"shadows": "none"}})");
  open("settings.json");
  ASSERT_NE(live_->begin_frame(), nullptr) << problem_in(live_->status());
  const bench::Picture none = picture();
  EXPECT_EQ(problem_in(edit("settings.json", R"({"render_config": "deferred.json"})")), "");
  const bench::Picture atlas = picture();
  // While it runs: a shader, its library, the passes, and the setting that swaps.
  scratch_.write("shaders/light_apart.frag", shader);
  EXPECT_EQ(problem_in(edit("shaders/library.json", library)), "");
  EXPECT_EQ(problem_in(edit("deferred.json", config)), "");
  EXPECT_TRUE(same(picture(), atlas));
  EXPECT_EQ(problem_in(edit("settings.json",
                            R"({"render_config": "deferred.json", "settings": {"shadows": "cascades_apart"}})")),
            "");
  const bench::Picture apart = picture();
  // Both have shadows in the same places, and not the same pixels.
  EXPECT_GT(difference(none, atlas), 0.01);
  EXPECT_GT(difference(none, apart), 0.01);
  EXPECT_LT(difference(atlas, apart), difference(none, atlas));
  EXPECT_FALSE(same(atlas, apart));
  EXPECT_EQ(problem_in(edit("settings.json", R"({"render_config": "deferred.json"})")), "");
  EXPECT_TRUE(same(picture(), atlas));
}

TEST_F(LiveConfigOnDriver, deferred_instead_of_forward_is_added_by_editing_files) {
  if (!is_there()) return run_there();
  const std::string deferred = read("deferred.json");
  fs::remove(scratch_.path() / "deferred.json");
  scratch_.write("settings.json", R"({"render_config": "forward.json"})");
  open("settings.json");
  const bench::Picture forward = picture();
  EXPECT_EQ(live_->begin_frame()->steps().size(), 3u);
  scratch_.write("deferred.json", deferred);
  EXPECT_EQ(problem_in(edit("settings.json", R"({"render_config": "deferred.json", "settings": {"shadows": "none"}})")),
            "");
  EXPECT_EQ(live_->begin_frame()->steps().size(), 4u);
  // Without shadows both light the same, but for what a G-buffer rounds.
  EXPECT_LT(difference(picture(), forward), 0.01);
}

TEST_F(LiveConfigOnDriver, the_next_frame_after_a_load_shows_it) {
  if (!is_there()) return run_there();
  open("greyscale/settings.json");
  for (int i = 0; i < 20; ++i) {
    const Plan* const before = frame();
    const std::uint64_t plans = live_->status().plans;
    scratch_.write("greyscale/settings.json",
                   fmt::format(R"({{"render_config": "greyscale.json", "settings": {{"greyscale_amount": {}}}}})",
                               i % 2 == 0 ? 0.5 : 1));
    // No frame begins: a plan comes without one.
    ASSERT_TRUE(comes_true([&] { return live_->status().plans > plans; }));
    EXPECT_NE(frame(), before) << i;
    EXPECT_EQ(is_grey(picture()), i % 2 == 1) << i;
  }
}

TEST_F(LiveConfigOnDriver, it_is_the_same_how_a_file_is_written) {
  if (!is_there()) return run_there();
  open("greyscale/settings.json");
  const auto text_of = [](int i) {
    return fmt::format("{{\n\"render_config\": \"greyscale.json\",\n\"settings\": {{\"greyscale_amount\": {}}}}}\n",
                       i % 2 == 0 ? "0.5" : "1.0");
  };
  const fs::path file = scratch_.path() / "greyscale/settings.json", other = scratch_.path() / "greyscale/next";
  const std::vector<std::pair<const char*, std::function<void(const std::string&)>>> ways{
      {"replaced by rename",
       [&](const std::string& text) {
         scratch_.write("greyscale/next", text);
         fs::rename(other, file);
       }},
      {"truncated, and written after a while",
       [&](const std::string& text) {
         fs::resize_file(file, 0);
         std::this_thread::sleep_for(std::chrono::milliseconds(5));
         scratch_.write("greyscale/settings.json", text);
       }},
      {"written in halves",
       [&](const std::string& text) {
         const int opened = ::open(file.c_str(), O_WRONLY | O_TRUNC);
         const std::size_t half = text.size() / 2;
         EXPECT_EQ(::write(opened, text.data(), half), static_cast<ssize_t>(half));
         std::this_thread::sleep_for(std::chrono::milliseconds(5));
         EXPECT_EQ(::write(opened, text.data() + half, text.size() - half), static_cast<ssize_t>(text.size() - half));
         ::close(opened);
       }},
      {"written over, with the same size",
       [&](const std::string& text) {
         const int opened = ::open(file.c_str(), O_WRONLY);
         EXPECT_EQ(::write(opened, text.data(), text.size()), static_cast<ssize_t>(text.size()));
         ::close(opened);
       }},
      {"removed, and written again",
       [&](const std::string& text) {
         fs::remove(file);
         std::this_thread::sleep_for(std::chrono::milliseconds(5));
         scratch_.write("greyscale/settings.json", text);
       }},
      {"behind a link that is moved",
       [&](const std::string& text) {
         const std::string name = fmt::format("greyscale/text{}", std::hash<std::string>()(text));
         scratch_.write(name, text);
         fs::remove(other);
         fs::create_symlink(scratch_.path() / name, other);
         fs::rename(other, file);
       }},
  };
  for (int round = 0; round < 2; ++round)
    for (const auto& [way, write] : ways)
      for (int i = 0; i < 2; ++i) {
        write(text_of(i));
        EXPECT_TRUE(comes_true([&] {
          frame();
          return live_->status().loads > 0 && !live_->status().problem && is_grey(picture()) == (i % 2 == 1);
        })) << way
            << " " << problem_in(live_->status());
      }
}

TEST_F(LiveConfigOnDriver, two_writes_in_one_tick_of_the_clock_with_one_size_are_seen) {
  if (!is_there()) return run_there();
  open("greyscale/settings.json");
  // The first write may be loaded, and the second leaves the file's size and perhaps its time as they were.
  for (int i = 0; i < 30; ++i) {
    for (const char* const amount : {"0.5", "1.0"}) {
      scratch_.write(
          "greyscale/settings.json",
          fmt::format(R"({{"render_config": "greyscale.json", "settings": {{"greyscale_amount": {}}}}})", amount));
      if (i % 3 == 0) frame();
    }
    EXPECT_TRUE(comes_true([&] { return is_grey(picture()); })) << i;
  }
}

TEST_F(LiveConfigOnDriver, each_mistake_names_its_line_and_the_last_good_image_stays) {
  if (!is_there()) return run_there();
  open("settings.json");
  const bench::Picture good = picture();
  const struct {
    std::string file, from, to, expected;
  } rows[]{
      {"deferred.json", "\"depth\": \"shadow_atlas\", \"viewport\": [0.5, 0, ",
       "\"depth\": \"shadow_atlass\", \"viewport\": [0.5, 0, ", "did you mean 'shadow_atlas'?"},
      {"common.json", "\"lit\": {\"format\": \"rgba16f\"}", "\"lit\": {\"format\": \"rgb8\"}",
       "common.json:7: expected a format that this device can draw to and sample ("},
      {"deferred.json", "{\"generate\": \"light\"},", "{\"generate\": \"deferred\"},",
       "expected generators that do not run each other in a circle, found deferred -> deferred"},
      {"shaders/library.json", "\"fragment\": \"show.frag\"", "\"fragment\": \"shown.frag\"",
       "shaders/library.json:13: expected a file with GLSL, found no 'shaders/shown.frag': No such file or directory"},
      {"shaders/show.frag", "light *= pass.exposure;", "light *= pass.exposed;",
       "shaders/show.frag:18: expected GLSL, found: 'exposed' : no such field in structure"},
      {"shaders/lighting.glsl", "vec3 sky(", "vec3 sky(float never, ",
       "shaders/glass.frag:17: expected GLSL, found: 'sky' : no matching overloaded function found"},
      {"shaders/show.frag", "#include \"lighting.glsl\"", "#include \"lightning.glsl\"",
       "shaders/show.frag:6: expected a file with GLSL, found no 'shaders/lightning.glsl': No such file or directory"},
      {"shaders/show.frag", "uniform sampler2D lit;", "uniform sampler2D dim;\n#define lit dim",
       "common.json:19: expected an image of the shader (dim), found 'lit'"},
      {"shaders/show.frag", "binding = 0) uniform", "binding = 9) uniform",
       "shaders/show.frag:1: expected 'lit' in set 1 with a binding from 0 to 7, found set 1 and binding 9"},
      {"common.json", "\"exposure\": \"$exposure\"", "\"exposure\": [1, 2]",
       "common.json:19: expected 1 numbers for the constant 'exposure', found 2"},
      {"shaders/gbuffer.frag", "layout(location = 1) out", "layout(location = 3) out",
       "expected as many targets as the shader"},
      {"common.json", "\"constants\": {\"exposure\": \"$exposure\"}, ", "",
       "common.json:19: expected a value for each constant of the shader, found none for 'exposure'"},
      {"common.json", "\"inputs\": {\"lit\": \"lit\"}, ", "",
       "common.json:19: expected an input for each image of the shader, found none for 'lit'"},
      {"shaders/library.json", "\"show\": {\"vertex\": \"fullscreen.vert\"", "\"show\": {\"vertex\": \"mesh.vert\"",
       "expected a vertex shader without inputs for the fullscreen pass finish[1]"},
      {"shaders/library.json", "\"gbuffer\": {\"vertex\": \"mesh.vert\"", "\"gbuffer\": {\"vertex\": \"shadow.vert\"",
       "from the vertex shader, found none"},
      {"settings.json", "\"cascades_atlas\"", "4", "settings.json:3: expected a string for the setting 'shadows'"},
      {"settings.json", "deferred.json", "defered.json",
       "settings.json:2: expected a render config, found no 'defered.json': No such file or directory"},
      {"deferred.json", "\"pixels\": [1024, 1024]", "\"pixels\": [1024, 1048576]",
       "expected a whole number from 1 to "},
      {"deferred.json", "\"albedo\": {\"format\": \"rgba8\"}",
       "\"albedo\": {\"format\": \"rgba32f\", \"pixels\": [16384, 16384]}",
       "expected targets of one size, found 'albedo' with 16384 x 16384 pixels"},
      {"deferred.json", "\"frame\": [\"deferred\"]", "\"frame\": [\"deferred\"", "deferred.json:"},
  };
  for (const auto& row : rows) {
    const std::string text = read(row.file);
    const std::string found = problem_in(edit(row.file, row.from, row.to));
    EXPECT_NE(found.find(row.expected), std::string::npos) << row.from << " -> " << row.to << "\n" << found;
    EXPECT_TRUE(same(picture(), good)) << row.to;
    EXPECT_EQ(problem_in(edit(row.file, text)), "");
    EXPECT_TRUE(same(picture(), good)) << row.to;
  }
}

TEST_F(LiveConfigOnDriver, many_broken_edits_neither_crash_nor_stall_it) {
  if (!is_there()) return run_there();
  const auto [before, after] = break_often(
      "greyscale/settings.json",
      {"greyscale/settings.json", "greyscale/greyscale.json", "greyscale/library.json", "deferred.json", "common.json",
       "shaders/library.json"},
      {"shaders/mesh.vert", "shaders/show.frag", "greyscale/greyscale.frag", "shaders/frame.glsl"}, kBrokenEdits);
  EXPECT_TRUE(same(before, after));
}

TEST_F(LiveConfigOnDriver, broken_edits_of_an_effect_of_past_frames_neither_crash_nor_stall_it) {
  if (!is_there()) return run_there();
  const std::string folder = "ambient_obscurance/";
  const auto [before, after] = break_often(
      folder + "settings.json", {folder + "settings.json", folder + "ambient_obscurance.json", folder + "library.json"},
      {folder + "gbuffer_motion.frag", folder + "half_depth.frag", folder + "obscurance.frag",
       folder + "reproject.frag"},
      kBrokenEdits / 5);
  EXPECT_LT(difference(before, after), 0.01);
}

TEST_F(LiveConfigOnDriver, another_size_gives_images_of_that_size_also_while_files_are_broken) {
  if (!is_there()) return run_there();
  open("greyscale/settings.json");
  EXPECT_NE(problem_in(edit("common.json", "{")), "");
  for (const auto& [width, height] : {std::pair{33u, 21u}, {1u, 1u}, {160u, 2u}, {96u, 54u}}) {
    live_->resize(width, height);
    EXPECT_TRUE(comes_true([&] {
      const Plan* const plan = frame();
      return plan->output().width == width && plan->output().height == height;
    }));
    EXPECT_EQ(picture().pixels.size(), std::size_t{3} * width * height);
  }
}

TEST_F(LiveConfigOnDriver, a_configuration_that_is_broken_at_first_or_not_there_comes_later) {
  if (!is_there()) return run_there();
  open("later.json");
  EXPECT_EQ(live_->begin_frame(), nullptr);
  EXPECT_EQ(problem_in(live_->status()), "later.json: No such file or directory");
  EXPECT_EQ(problem_in(edit("later.json", "{\"extends\": \"greyscale/nothing.json\"}")),
            "later.json:1: expected a render config to extend, found no 'greyscale/nothing.json': No such file or "
            "directory");
  EXPECT_EQ(problem_in(edit("later.json", "{\"extends\": \"forward.json\"}")), "");
  EXPECT_NE(live_->begin_frame(), nullptr);
  // A folder that comes later, too.
  EXPECT_NE(problem_in(edit("later.json", "{\"extends\": \"new/forward.json\"}")), "");
  fs::create_directory(scratch_.path() / "new");
  EXPECT_EQ(problem_in(edit("new/forward.json", "{\"extends\": \"../forward.json\"}")), "");
}

}  // namespace lab::render_config
