// GLSL that is compiled while the program runs, with the pinned glslang.
#include "variants/render_config/engine/shader_compiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/base/layout.h"

namespace lab::render_config {

namespace {

const Place kFrom{"library.json", 7};

/// A fragment shader with declarations and a statement.
std::string fragment(const std::string& declarations, const std::string& statement = "") {
  return "#version 450\n" + declarations +
         "\nlayout(location = 0) out vec4 shown;\nvoid main() {\n  shown = vec4(1);\n  " + statement + "\n}\n";
}

class Compiling : public testing::Test {
 protected:
  Expected<std::shared_ptr<const CompiledShader>> compile(const std::string& file, ShaderStage stage) {
    return compiler_.compile(file, stage, kFrom, [this](const std::filesystem::path& path) -> Expected<std::string> {
      const auto found = files_.find(path.string());
      if (found == files_.end()) return Error{"No such file or directory", ""};
      return found->second;
    });
  }
  /// What is wrong with a fragment shader of this text.
  std::string problem(const std::string& text) {
    files_["a.frag"] = text;
    const auto compiled = compile("a.frag", ShaderStage::kFragment);
    return compiled ? "" : compiled.error().what;
  }

  std::map<std::string, std::string> files_;
  ShaderCompiler compiler_{lib_dir()};
};

}  // namespace

TEST_F(Compiling, finds_what_a_shader_reads_and_writes) {
  files_["a.frag"] = R"(#version 450
layout(push_constant) uniform Pass { uint view; float amount; vec3 tint; } pass;
layout(set = 1, binding = 2) uniform sampler2D colour;
layout(set = 1, binding = 0) uniform sampler2D depth;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 shown;
layout(location = 1) out float other;
void main() {
  shown = texture(colour, uv) * texture(depth, uv).r * pass.amount + vec4(pass.tint, float(pass.view));
  other = 1.0;
}
)";
  const auto compiled = compile("a.frag", ShaderStage::kFragment);
  ASSERT_TRUE(compiled) << compiled.error().what;
  const ShaderInterface& interface = (*compiled)->interface;
  EXPECT_EQ(interface.images, (std::map<std::string, std::uint32_t>{{"colour", 2}, {"depth", 0}}));
  ASSERT_EQ(interface.constants.size(), 2u);
  EXPECT_EQ(interface.constants.at("amount"), (ShaderInterface::Constant{4, 1}));
  EXPECT_EQ(interface.constants.at("tint"), (ShaderInterface::Constant{16, 3}));
  EXPECT_EQ(interface.inputs, (std::map<std::uint32_t, std::string>{{1, "2 x float"}}));
  EXPECT_EQ(interface.outputs, (std::map<std::uint32_t, std::string>{{0, "4 x float"}, {1, "float"}}));
}

TEST_F(Compiling, compiles_a_text_once) {
  files_["b.glsl"] = "float f() { return 1.0; }\n";
  const std::string text =
      fragment("#extension GL_GOOGLE_include_directive : require\n#include \"b.glsl\"", "shown.r = f();");
  EXPECT_EQ(problem(text), "");
  EXPECT_EQ(problem(text), "");
  EXPECT_EQ(compiler_.compilations(), 1u);
  files_["b.glsl"] = "float f() { return 0.5; }\n";
  EXPECT_EQ(problem(text), "");
  EXPECT_EQ(compiler_.compilations(), 2u);
}

TEST_F(Compiling, includes_a_file_in_the_branch_that_is_taken) {
  files_["b.glsl"] = "float f() { return 1.0; }\n";
  files_["c.glsl"] = "#include \"b.glsl\"\n";
  const std::string extension = "#extension GL_GOOGLE_include_directive : require\n";
  const std::string both =
      "#ifdef FANCY\n#include \"b.glsl\"\n#else\n#include \"b.glsl\"\n#endif\n#include \"c.glsl\"\n";
  EXPECT_EQ(problem(fragment(extension + both, "shown.r = f();")), "");
  EXPECT_EQ(problem(fragment(extension + "#define FANCY\n" + both, "shown.r = f();")), "");
  EXPECT_EQ(problem(fragment(extension + "#if 0\n#include \"c.glsl\"\n#endif\n", "shown.r = f();")).substr(0, 7),
            "a.frag:");
  // The second time only the circle's end is left.
  files_["b.glsl"] = "#include \"c.glsl\"\nfloat f() { return 1.0; }\n";
  EXPECT_EQ(problem(fragment(extension + both + "int after = missing;")),
            "a.frag:9: expected GLSL, found: 'missing' : undeclared identifier");
}

TEST_F(Compiling, refuses_more_includes_than_anybody_writes) {
  for (char name = 'b'; name < 'z'; ++name) {
    const std::string next = fmt::format("#include \"{}.glsl\"\n", static_cast<char>(name + 1));
    files_[fmt::format("{}.glsl", name)] = next + next;
  }
  files_["z.glsl"] = "";
  const std::string extension = "#extension GL_GOOGLE_include_directive : require\n";
  const std::string found = problem(fragment(extension + "#include \"b.glsl\"\n"));
  EXPECT_TRUE(found.ends_with(": expected at most 256 includes, found more")) << found;
}

TEST_F(Compiling, names_the_file_and_line_of_a_mistake_in_an_include) {
  files_["b.glsl"] = "\nfloat f() { return none; }\n";
  files_["c.glsl"] = "#include \"b.glsl\"\nfloat g() { return nothing; }\n";
  const std::string extension = "#extension GL_GOOGLE_include_directive : require\n";
  EXPECT_EQ(problem(fragment(extension + "#include \"b.glsl\"")),
            "b.glsl:2: expected GLSL, found: 'none' : undeclared identifier");
  files_["b.glsl"] = "#include \"a.frag\"\n";  // a circle: each file is included once
  EXPECT_EQ(problem(fragment(extension + "#include \"c.glsl\"")),
            "c.glsl:2: expected GLSL, found: 'nothing' : undeclared identifier");
  EXPECT_EQ(problem(fragment(extension + "#include \"c.glsl\"\nint after = missing;")).substr(0, 9), "c.glsl:2:");
  files_["c.glsl"] = "";
  EXPECT_EQ(problem(fragment(extension + "#include \"c.glsl\"\nint after = missing;")),
            "a.frag:4: expected GLSL, found: 'missing' : undeclared identifier");
  EXPECT_EQ(problem(fragment(extension + "\n#include \"d.glsl\"")),
            "a.frag:4: expected a file with GLSL, found no 'd.glsl': No such file or directory");
}

TEST_F(Compiling, refuses_what_no_pass_provides) {
  const struct {
    std::string declarations, statement, expected;
  } rows[]{
      {"layout(set = 0, binding = 3) uniform sampler2D a;", "shown = texture(a, vec2(0));",
       "expected 'a' in set 1 with a binding from 0 to 7, found set 0 and binding 3"},
      {"layout(set = 1, binding = 0) uniform sampler3D a;", "shown = texture(a, vec3(0));",
       "expected 'a' to be a sampler2D, found another kind of image"},
      {"layout(set = 1, binding = 0) uniform sampler2DArray a;", "shown = texture(a, vec3(0));",
       "expected 'a' to be a sampler2D, found another kind of image"},
      {"layout(set = 1, binding = 0) uniform sampler2DShadow a;", "shown.r = texture(a, vec3(0));",
       "expected 'a' to be a sampler2D, found another kind of image"},
      {"layout(set = 1, binding = 0) uniform usampler2D a;", "shown.r = float(texture(a, vec2(0)).r);",
       "expected 'a' to be a sampler2D, found another kind of image"},
      {"layout(set = 1, binding = 0) uniform sampler2D a[2];", "shown = texture(a[1], vec2(0));",
       "expected 'a' to be a sampler2D, found another kind of image"},
      {"layout(set = 1, binding = 0) uniform sampler2D a;\nlayout(set = 1, binding = 0) uniform sampler2D b;",
       "shown = texture(a, vec2(0)) + texture(b, vec2(0));", "expected each binding once, found 0 for '"},
      {"layout(set = 1, binding = 0, rgba8) uniform image2D a;", "imageStore(a, ivec2(0), shown);",
       "found 'a', a storage image"},
      {"layout(set = 1, binding = 0) uniform Own { vec4 colour; } own;", "shown = own.colour;",
       "expected the uniform buffer of frame.glsl, found '"},
      {"layout(set = 0, binding = 0) uniform Own { vec4 colour[100]; } own;", "shown = own.colour[99];",
       "expected the uniform buffer of frame.glsl of "},
      {"layout(set = 0, binding = 1) buffer Own { vec4 colour[]; } own;", "own.colour[0] = shown;",
       "expected a readonly buffer, found '"},
      {"layout(push_constant) uniform Pass { float amount; } pass;", "shown.r = pass.amount;",
       "expected the push constants to begin with uint view, found float amount"},
      {"layout(push_constant) uniform Pass { uint view; mat4 turned; } pass;", "shown = pass.turned[0];",
       "expected a push constant of float, vec2, vec3 or vec4, found 4 x float x 4 turned"},
      {"layout(push_constant) uniform Pass { uint view; vec4 many[9]; } pass;", "shown = pass.many[8];",
       "expected at most 128 bytes of push constants, found 160"},
      {"", "float many[300]; many[int(gl_FragCoord.x)] = 1.0; shown.r = many[int(gl_FragCoord.y)];",
       "expected arrays of at most 256 elements, found 300"},
      {"layout(location = 0, index = 1) out vec4 second;", "second = vec4(1);",
       "expected outputs of index 0, found another at location 0"},
      {"layout(location = 1) out ivec4 whole;", "whole = ivec4(1);",
       "expected outputs of float, found 4 x int at location 1"},
  };
  for (const auto& row : rows) {
    const std::string found = problem(fragment(row.declarations, row.statement));
    EXPECT_TRUE(found.starts_with("a.frag:1: ")) << found;
    EXPECT_NE(found.find(row.expected), std::string::npos) << row.declarations << "\n" << found;
  }
}

TEST_F(Compiling, without_the_compiler_says_what_to_install) {
  ShaderCompiler none("/nowhere");
  const auto compiled =
      none.compile("a.frag", ShaderStage::kFragment, kFrom,
                   [](const std::filesystem::path&) -> Expected<std::string> { return fragment(""); });
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().what,
            "library.json:7: expected the package glslang in '/nowhere' to compile a changed shader, found none");
  EXPECT_EQ(compiled.error().hint, "python3 make.py spm install glslang");
}

}  // namespace lab::render_config
