#include "variants/render_config/language/read_config.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/base/scratch_folder.h"

namespace lab::render_config {

namespace {

/// Every word of the language once. Each test edits it.
const std::string kGood = R"({
  "shader_libraries": ["library.json"],
  "settings": {"size": 512, "effect": true, "shadows": "near", "strength": 0.5},
  "global_resources": {
    "depth": {"format": "depth32"},
    "shadow": {"format": "depth16", "pixels": ["$size", 256]},
    "lit": {"format": "rgba16f", "scale": 1},
    "half": {"format": "r8", "scale": 0.5},
    "image": {"format": "rgba8"},
  },
  "views": {
    "first": {"cascade": 0, "of": 2, "reach": 50, "split": 0.5, "fit": "box", "pixels": "$size"}
  },
  "layers": {"solid": {"order": "front_to_back"}, "shadow": {}},
  "resource_generators": {
    "near": [
      {"draw": "shadow", "view": "first", "depth": "shadow", "viewport": [0, 0, 0.5, 1], "clear": {"shadow": 1}}
    ],
    "far": [],
    "main": [
      {"generate": "near", "when": {"shadows": "near"}},
      {"draw": "solid", "targets": ["lit"], "depth": "depth", "clear": {"lit": [0, 0, 0, 1], "depth": 1}},
      {"fullscreen": "blur", "targets": ["half"], "inputs": {"source": {"resource": "lit", "filter": "linear"},
       "last": {"resource": "half", "previous": true}}, "constants": {"amount": "$strength", "offset": [1, 2]}},
    ],
    "show": [
      {"fullscreen": "show", "inputs": {"lit": "lit", "half": "half"}, "targets": ["image"]}
    ]
  },
  "frame": ["main", {"generate": "show", "when": {"effect": true}}],
  "output": "image"
}
)";
const std::string kLibrary = R"({
  "shaders": {
    "mesh": {"vertex": "mesh.vert", "fragment": "mesh.frag", "cull": "back", "depth": "less"},
    "depth_only": {"vertex": "mesh.vert", "depth": "less", "cull": "front"},
    "blur": {"vertex": "all.vert", "fragment": "blur.frag"},
    "show": {"vertex": "all.vert", "fragment": "show.frag", "blend": "none", "depth_write": false}
  },
  "materials": {"solid": {"solid": "mesh", "shadow": "depth_only"}}
}
)";

class ReadConfig : public testing::Test {
 protected:
  Expected<Config> read(const std::string& name = "a.json") {
    files_ = {};
    return read_config(scratch_.path() / name, environment_, files_);
  }
  /// What is wrong with the good files after an edit: "a.json:5: ..."; and the hint.
  std::string problem(const std::string& from, const std::string& to, bool of_library = false) {
    std::string text = of_library ? kLibrary : kGood;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    scratch_.write("a.json", of_library ? kGood : text);
    scratch_.write("library.json", of_library ? text : kLibrary);
    return problem_of("a.json");
  }
  std::string problem_of(const std::string& name) {
    const Expected<Config> config = read(name);
    if (config) return "";
    EXPECT_EQ(config.error().status, ExitStatus::kUsage);
    std::string what = config.error().what;
    const std::string folder = scratch_.path().string() + "/";
    for (std::size_t at; (at = what.find(folder)) != std::string::npos;) what.erase(at, folder.size());
    return config.error().hint.empty() ? what : what + " | " + config.error().hint;
  }

  ScratchFolder scratch_;
  RenderEnvironment environment_{.materials = {"solid", "glass"},
                                 .orders = {"by_material", "front_to_back", "back_to_front"},
                                 .most_views = 3,
                                 .most_targets = 4,
                                 .most_pixels = 4096,
                                 .supports = [](Format format) { return format != Format::kRgb8; },
                                 .filters = [](Format format) { return !is_depth(format); },
                                 .blends = [](Format format) { return format != Format::kR8; }};
  FileSet files_;
};

}  // namespace

TEST_F(ReadConfig, resolves_all_names) {
  EXPECT_EQ(problem("512", "512"), "");
  const Expected<Config> config = read();
  ASSERT_TRUE(config) << config.error().what;
  ASSERT_EQ(config->frame.size(), 4u);
  const Pass& shadow = config->frame[0];
  EXPECT_EQ(shadow.name, "near[0]");
  EXPECT_EQ(shadow.view, 1u);
  EXPECT_EQ(config->resources[*shadow.depth].name, "shadow");
  EXPECT_EQ(config->resources[*shadow.depth].pixels, (std::array<std::uint32_t, 2>{512, 256}));
  EXPECT_EQ(config->shaders[*shadow.material_shaders[0]].name, "depth_only");
  EXPECT_FALSE(shadow.material_shaders[1]);
  const Pass& blur = config->frame[2];
  EXPECT_TRUE(blur.fullscreen);
  EXPECT_TRUE(blur.covers);
  EXPECT_TRUE(blur.inputs[0].linear);
  EXPECT_FALSE(blur.inputs[0].previous);
  EXPECT_TRUE(blur.inputs[1].previous);
  EXPECT_EQ(blur.inputs[1].resource, blur.targets[0]);
  EXPECT_EQ(config->histories(), (std::vector<bool>{false, false, false, true, false}));
  EXPECT_EQ(blur.constants[0].values, std::vector<float>{0.5f});
  EXPECT_EQ(blur.constants[1].values, (std::vector<float>{1, 2}));
  EXPECT_EQ(config->size_of(blur.targets[0], 101, 1), (std::array<std::uint32_t, 2>{50, 1}));
  EXPECT_EQ(config->resources[config->output].name, "image");
  EXPECT_FALSE(config->views[0].sphere);
}

TEST_F(ReadConfig, numbers_the_views_that_the_frame_names) {
  const std::string view =
      "\"first\": {\"cascade\": 0, \"of\": 2, \"reach\": 50, \"split\": 0.5, \"fit\": \"box\", \"pixels\": \"$size\"}";
  const auto of = [](const std::string& name) { return "\"" + name + "\": {\"cascade\": 0, \"of\": 1}"; };
  EXPECT_EQ(problem(view, of("a") + ", " + of("b") + ", " + view + ", " + of("c") + ", " + of("d")), "");
  const Expected<Config> config = read();
  ASSERT_TRUE(config) << config.error().what;
  ASSERT_EQ(config->views.size(), 1u);
  EXPECT_EQ(config->views[0].name, "first");
  EXPECT_EQ(config->frame[0].view, 1u);
  // As many as a frame may have, and one more.
  const auto passes = [&](const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names)
      all += "{\"draw\": \"shadow\", \"view\": \"" + name + "\", \"depth\": \"shadow\", \"clear\": {\"shadow\": 1}},";
    scratch_.write("library.json", kLibrary);
    std::string text = kGood;
    text.replace(text.find(view), view.size(), of("a") + ",\n" + of("b") + ",\n" + view + ",\n" + of("c"));
    const std::size_t at = text.find("{\"draw\": \"shadow\"");
    text.insert(at, all);
    scratch_.write("a.json", text);
    return problem_of("a.json");
  };
  EXPECT_EQ(passes({"a", "c"}), "");
  EXPECT_EQ(read()->frame[1].view, 3u);
  EXPECT_EQ(passes({"a", "b", "c"}), "a.json:15: expected at most 3 views, found 4");
}

TEST_F(ReadConfig, leaves_out_what_the_settings_leave_out) {
  EXPECT_EQ(problem("\"shadows\": \"near\"", "\"shadows\": \"none\""), "");
  EXPECT_EQ(read()->frame.size(), 3u);
}

TEST_F(ReadConfig, settings_override_those_of_the_render_config) {
  problem("512", "512");
  scratch_.write("settings.json", R"({"render_config": "a.json", "settings": {"shadows": "far", "size": 64}})");
  const Expected<Config> config = read("settings.json");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->frame.size(), 3u);
  EXPECT_EQ(config->resources[1].pixels[0], 64u);
  scratch_.write("settings.json", "{\"render_config\": \"a.json\",\n\"settings\": {\"sizes\": 64}}");
  EXPECT_EQ(
      problem_of("settings.json"),
      "settings.json:2: expected a setting of the render config (size, effect, shadows, strength), found 'sizes' | "
      "did you mean 'size'?");
  scratch_.write("settings.json", "{\"render_config\": \"a.json\",\n\"settings\": {\"size\": true}}");
  EXPECT_EQ(
      problem_of("settings.json"),
      "settings.json:2: expected a number for the setting 'size', as its default the number 512 in a.json:3, found "
      "true");
  scratch_.write("settings.json", "{\"render_config\":\n \"b.json\"}");
  EXPECT_EQ(problem_of("settings.json"),
            "settings.json:2: expected a render config, found no 'b.json': No such file or directory");
}

TEST_F(ReadConfig, extends_another_one) {
  problem("512", "512");
  scratch_.write("b.json", R"({"extends": "a.json", "settings": {"size": 32}, "frame": ["main", "show"],
                               "resource_generators": {"near": []}})");
  const Expected<Config> config = read("b.json");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->frame.size(), 3u);
  EXPECT_EQ(config->resources[1].pixels[0], 32u);
  EXPECT_EQ(files_.files().size(), 3u);
  scratch_.write("c.json", "{\n\"extends\": \"d.json\"}");
  scratch_.write("d.json", "{\"extends\":\n\n\"c.json\"}");
  EXPECT_EQ(problem_of("c.json"),
            "d.json:3: expected files that do not extend each other in a circle, found 'c.json' again");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake) {
  const struct {
    std::string from, to, expected;
  } rows[]{
      {"\"frame\":", "\"frames\":",
       "a.json:30: expected a field (extends, shader_libraries, settings, global_resources, views, layers, "
       "resource_generators, frame, output), found 'frames' | did you mean 'frame'?"},
      {"\"output\": \"image\"", "\"output\": \"imag\"",
       "a.json:31: expected a global resource (depth, shadow, lit, half, image), found 'imag' | did you mean 'image'?"},
      {"\"output\": \"image\"", "\"output\": \"lit\"",
       "a.json:31: expected an output of the format rgba8, found 'lit' with rgba16f"},
      {"\"targets\": [\"lit\"]", "\"targets\": [\"lid\"]",
       "a.json:22: expected a global resource (depth, shadow, lit, half, image), found 'lid' | did you mean 'lit'?"},
      {"\"format\": \"r8\"", "\"format\": \"rgb8\"",
       "a.json:8: expected a format that this device can draw to and sample (r8, rg8, rgba8, r16f, rg16f, rgba16f, "
       "r32f, "
       "rg32f, rgba32f, rgb10a2, r11g11b10f, rgb16f, rgb32f, depth16, depth24, depth32, depth24_stencil8), found "
       "'rgb8'"},
      {"\"format\": \"r8\"", "\"format\": 8", "a.json:8: expected format, found the number 8"},
      {"\"scale\": 0.5", "\"scale\": 0", "a.json:8: expected a scale from 0.0009765625 to 4, found the number 0"},
      {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$size\", 5000]",
       "a.json:6: expected a whole number from 1 to 4096, found the number 5000"},
      {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$siz\", 256]",
       "a.json:6: expected a setting after '$' (size, effect, shadows, strength), found 'siz' | did you mean 'size'?"},
      {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$effect\", 256]",
       "a.json:6: expected a whole number from 1 to 4096, found true"},
      {"{\"generate\": \"near\", \"when\"", "{\"generate\": \"main\", \"when\"",
       "a.json:21: expected generators that do not run each other in a circle, found main -> main"},
      {"{\"generate\": \"near\", \"when\"", "{\"generate\": \"nearer\", \"when\"",
       "a.json:21: expected a resource generator (near, far, main, show), found 'nearer' | did you mean 'near'?"},
      {"\"when\": {\"shadows\": \"near\"}", "\"when\": {\"shadows\": 1}",
       "a.json:21: expected a string, as the setting 'shadows' is, found the number 1"},
      {"\"when\": {\"effect\": true}", "\"when\": {\"effects\": true}",
       "a.json:30: expected a setting (size, effect, shadows, strength), found 'effects' | did you mean 'effect'?"},
      {"\"fullscreen\": \"blur\"", "\"fullscreen\": \"blurr\"",
       "a.json:23: expected a shader (mesh, depth_only, blur, show), found 'blurr' | did you mean 'blur'?"},
      {"\"draw\": \"solid\"", "\"draw\": \"glass\"", "a.json:22: expected a layer (solid, shadow), found 'glass'"},
      {"\"view\": \"first\"", "\"view\": \"second\"", "a.json:17: expected a view (camera, first), found 'second'"},
      {"\"depth\": \"depth\", \"clear\"", "\"depth\": \"half\", \"clear\"",
       "a.json:22: expected a resource with a depth format, found 'half' with r8"},
      {"\"targets\": [\"half\"]", "\"targets\": [\"depth\"]",
       "a.json:23: expected a resource with a colour format, found 'depth' with depth32"},
      {"\"targets\": [\"half\"]", "\"targets\": [\"half\", \"half\"]",
       "a.json:23: expected each target once, found 'half' again"},
      {"\"targets\": [\"half\"]", "\"targets\": [\"half\", \"image\"]",
       "a.json:23: expected targets of one size, found 'half' with a scale of 0.5 and 'image' with a scale of 1"},
      {"\"targets\": [\"half\"]", "\"targets\": [\"lit\"]",
       "a.json:23: expected an input that the pass does not write, found 'lit' | \"previous\": true reads what it held "
       "at the end of the last frame"},
      {"\"previous\": true", "\"previous\": false",
       "a.json:24: expected an input that the pass does not write, found 'half' | \"previous\": true reads what it "
       "held "
       "at the end of the last frame"},
      {"\"previous\": true", "\"previous\": 1", "a.json:24: expected a boolean, found the number 1"},
      {"\"previous\": true", "\"last\": true",
       "a.json:24: expected a field (resource, filter, previous), found 'last'"},
      {"{\"resource\": \"half\", \"previous\": true}}", "{\"resource\": \"shadow\", \"previous\": true}}", ""},
      {"{\"resource\": \"half\", \"previous\": true}}", "{\"resource\": \"image\", \"previous\": true}}",
       "a.json:24: expected a resource other than the output, to read what it held at the end of the last frame, found "
       "'image' | what shows the output may draw over it: a pass can copy it to another resource before"},
      {", \"clear\": {\"lit\": [0, 0, 0, 1], \"depth\": 1}", "",
       "a.json:22: expected \"clear\" for 'lit', because no earlier pass of the frame writes it, found none"},
      {"\"clear\": {\"lit\": [0, 0, 0, 1],", "\"clear\": {\"lit\": [0, 0, 0],",
       "a.json:22: expected four numbers, found 3 values"},
      {"\"clear\": {\"lit\": [0, 0, 0, 1],", "\"clear\": {\"half\": [0, 0, 0, 1],",
       "a.json:22: expected a target of this pass (lit, depth), found 'half'"},
      {"[\"main\", {", "[{", "a.json:27: expected a resource that an earlier pass of the frame writes, found 'lit'"},
      {"[\"main\", {\"generate\": \"show\", \"when\": {\"effect\": true}}]", "[]",
       "a.json:30: expected a frame with at least one pass, found none"},
      {"{\"resource\": \"lit\", \"filter\": \"linear\"}", "{\"resource\": \"depth\", \"filter\": \"linear\"}",
       "a.json:23: expected a resource that this device can filter, found 'depth' with depth32"},
      {"{\"resource\": \"lit\", \"filter\": \"linear\"}", "{\"resource\": \"lit\", \"filter\": \"cubic\"}",
       "a.json:23: expected filter (nearest, linear), found 'cubic'"},
      {"\"offset\": [1, 2]", "\"offset\": [1, \"2\"]",
       "a.json:24: expected a number from -1000000000 to 1000000000, found '2'"},
      {"\"offset\": [1, 2]", "\"offset\": []", "a.json:24: expected 1 to 4 numbers, found 0 values"},
      {"\"viewport\": [0, 0, 0.5, 1]", "\"viewport\": [0.75, 0, 0.5, 1]",
       "a.json:17: expected a viewport within 0 to 1, found it from 0.75 to 1.25"},
      {"\"viewport\": [0, 0, 0.5, 1]", "\"viewport\": [0, 0, 1]",
       "a.json:17: expected x, y, width and height, found 3 values"},
      {"\"cascade\": 0", "\"cascade\": 2", "a.json:12: expected a whole number from 0 to 1, found the number 2"},
      {"\"first\": {", "\"camera\": {", "a.json:12: expected a name other than 'camera', which always exists"},
      {"\"order\": \"front_to_back\"", "\"order\": \"random\"",
       "a.json:14: expected an order (by_material, front_to_back, back_to_front), found 'random'"},
      {"\"strength\": 0.5", "\"strength\": [0.5]",
       "a.json:3: expected a number, a boolean or a string for the setting 'strength', found an array"},
      {"[\"library.json\"]", "[\"lib.json\"]",
       "a.json:2: expected a shader library, found no 'lib.json': No such file or directory"},
      {"\"far\": []", "\"far\": [{\"targets\": [\"lit\"]}]",
       "a.json:19: expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", found none"},
      {"\"far\": []", "\"far\": 3", "a.json:19: expected an array of passes, found the number 3"},
      {"{\"fullscreen\": \"show\",", "{\"fullscreen\": \"show\", \"draw\": \"solid\",",
       "a.json:27: expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", found two"},
  };
  for (const auto& row : rows) EXPECT_EQ(problem(row.from, row.to), row.expected) << row.from << " -> " << row.to;
}

TEST_F(ReadConfig, what_is_read_as_of_the_last_frame_is_written_in_each_frame) {
  problem("512", "512");
  const std::string config = R"({"extends": "a.json", "settings": {"shadows": "near"}, "resource_generators": {"show": [
      {"fullscreen": "show", "inputs": {"lit": "lit", "half": {"resource": "shadow", "previous": true}},
       "targets": ["image"]}]}})";
  scratch_.write("b.json", config);
  EXPECT_EQ(problem_of("b.json"), "");
  scratch_.write("b.json", std::string(config).replace(config.find("near"), 4, "none"));
  EXPECT_EQ(problem_of("b.json"),
            "b.json:2: expected a resource that a pass of the frame writes, to read what it held at the end of the "
            "last frame, found 'shadow'");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_a_library) {
  const struct {
    std::string from, to, expected;
  } rows[]{
      {"\"cull\": \"back\"", "\"cull\": \"bak\"",
       "library.json:3: expected cull (none, back, front), found 'bak' | did you mean 'back'?"},
      {"\"vertex\": \"mesh.vert\", \"depth\"", "\"fragment\": \"mesh.vert\", \"depth\"",
       "library.json:4: expected a shader with \"vertex\", found none"},
      {"\"depth_write\": false", "\"depth_write\": 0", "library.json:6: expected a boolean, found the number 0"},
      {"{\"solid\": {\"solid\"", "{\"stone\": {\"solid\"",
       "library.json:8: expected a material of the scene (solid, glass), found 'stone'"},
      {"\"shadow\": \"depth_only\"", "\"shadows\": \"depth_only\"",
       "library.json:8: expected a layer (solid, shadow), found 'shadows' | did you mean 'shadow'?"},
      {"\"shadow\": \"depth_only\"", "\"shadow\": \"depth\"",
       "library.json:8: expected a shader (mesh, depth_only, blur, show), found 'depth'"},
      {"\"fragment\": \"blur.frag\"", "\"fragment\": \"blur.frag\", \"blend\": \"add\"",
       "a.json:23: expected a target that this device can blend for the shader 'blur', found 'half' with r8"},
  };
  for (const auto& row : rows) EXPECT_EQ(problem(row.from, row.to, true), row.expected) << row.from << " -> " << row.to;
}

TEST_F(ReadConfig, ends_for_any_bytes) {
  // Each byte of the good file cut out, doubled or changed: an answer, and never a crash.
  problem("512", "512");
  for (std::size_t i = 0; i < kGood.size(); ++i)
    for (const std::string& byte : {std::string(), std::string(2, kGood[i]), std::string("\""), std::string("7")}) {
      scratch_.write("a.json", kGood.substr(0, i) + byte + kGood.substr(i + 1));
      const Expected<Config> config = read();
      if (!config) {
        EXPECT_NE(config.error().what.find(".json:"), std::string::npos) << config.error().what;
      }
    }
}

TEST_F(ReadConfig, a_generator_that_doubles_at_every_level_is_refused) {
  std::string generators = "\"g0\": [{\"fullscreen\": \"show\", \"inputs\": {}, \"targets\": [\"image\"]}]";
  for (int i = 1; i < 40; ++i)
    generators += ", \"g" + std::to_string(i) + "\": [{\"generate\": \"g" + std::to_string(i - 1) +
                  "\"}, {\"generate\": \"g" + std::to_string(i - 1) + "\"}]";
  problem("512", "512");
  scratch_.write("b.json",
                 "{\"extends\": \"a.json\", \"resource_generators\": {" + generators + "}, \"frame\": [\"g39\"]}");
  EXPECT_EQ(problem_of("b.json"), "b.json:1: expected at most 256 passes in a frame, found more");
  generators.replace(0, generators.find("}]") + 2, "\"g0\": []");
  scratch_.write("b.json",
                 "{\"extends\": \"a.json\", \"resource_generators\": {" + generators + "}, \"frame\": [\"g39\"]}");
  EXPECT_EQ(problem_of("b.json"), "b.json:1: expected at most 1024 runs of generators in a frame, found more");
}

}  // namespace lab::render_config
