/// What the tests of the language share: a good configuration to edit, and single values and sections to read.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/base/scratch_folder.h"
#include "variants/render_config/language/read_config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// An edit of the good configuration, and what is wrong then.
struct Mistake {
  std::string from, to, expected;
};

/// Every word of the language once. Each test edits it.
inline const std::string kGood = R"({
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
inline const std::string kLibrary = R"({
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
  void expect_problems(const std::vector<Mistake>& mistakes, bool of_library = false) {
    for (const auto& [from, to, expected] : mistakes)
      EXPECT_EQ(problem(from, to, of_library), expected) << from << " -> " << to;
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

/// Reads values without a configuration around them.
class ReadPart : public testing::Test {
 protected:
  static Node node(const std::string& text) {
    const Expected<Node> parsed = parse_located(text, "a.json");
    EXPECT_TRUE(parsed) << text;
    return parsed ? *parsed : Node{};
  }
  /// The first problem since the last call, with its hint, or "".
  std::string problem() {
    std::string text;
    if (problems_.any())
      text = problems_.first().what + (problems_.first().hint.empty() ? "" : " | " + problems_.first().hint);
    problems_ = {};
    return text;
  }

  Problems problems_;
  std::vector<Member> settings_ = node(R"({"size": 64, "on": true, "name": "x"})").members;
  Values values_{settings_, problems_};
  RenderEnvironment environment_;
};

}  // namespace lab::render_config
