#include "harness/probe/program.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <string>

#include "harness/base/scratch_folder.h"

namespace lab::probe {

namespace {

const std::string kGood = R"({"schema": 1, "heap_parts": 62, "largest_resource": 64000000, "heap_bytes": 8000000000,
  "images": [{"name": "albedo", "format": "VK_FORMAT_R8G8B8A8_UNORM", "type": "2d", "tiling": "linear",
              "usage": ["sampled"], "flags": ["cube compatible"], "width": 64, "height": 32, "depth": 1,
              "mip_levels": 3, "array_layers": 6, "samples": 4, "count": 7, "memory": ["host visible"]}],
  "buffers": [{"name": "vertices", "usage": ["vertex buffer"], "flags": ["sparse binding"], "length": 1000,
               "count": 9, "memory": ["VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT"]}]})";

std::string error_of(const std::string& text) {
  const Expected<Program> program = parse_program(text);
  return program ? "" : program.error().what + (program.error().hint.empty() ? "" : " | " + program.error().hint);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST(Program, is_read_with_every_field) {
  const Expected<Program> program = parse_program(kGood);
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(program->options.heap_parts, 62u);
  EXPECT_EQ(program->options.largest_resource, 64'000'000u);
  EXPECT_EQ(program->options.heap_bytes, 8'000'000'000u);
  ASSERT_EQ(program->images.size(), 1u);
  const ProgramImage& image = program->images[0];
  EXPECT_EQ(image.use.name, "albedo");
  EXPECT_EQ(image.use.count, 7u);
  EXPECT_EQ(image.use.memory, std::vector<std::string>{"host visible"});
  EXPECT_EQ(image.kind.format, VK_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(image.kind.type, VK_IMAGE_TYPE_2D);
  EXPECT_EQ(image.kind.tiling, VK_IMAGE_TILING_LINEAR);
  EXPECT_EQ(image.kind.usage, VK_IMAGE_USAGE_SAMPLED_BIT);
  EXPECT_EQ(image.kind.flags, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);
  EXPECT_EQ(image.kind.mip_levels, 3u);
  EXPECT_EQ(image.kind.array_layers, 6u);
  EXPECT_EQ(image.kind.samples, 4u);
  EXPECT_EQ(image.size, (Extent{64, 32, 1}));
  ASSERT_EQ(program->buffers.size(), 1u);
  const ProgramBuffer& buffer = program->buffers[0];
  EXPECT_EQ(buffer.use.count, 9u);
  EXPECT_EQ(buffer.use.memory, std::vector<std::string>{"device local"});
  EXPECT_EQ(buffer.kind.usage, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  EXPECT_EQ(buffer.kind.flags, VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
  EXPECT_EQ(buffer.length, 1000u);
}

TEST(Program, needs_no_more_than_names_formats_usages_and_sizes) {
  const Expected<Program> program = parse_program(R"({"schema": 1,
      "images": [{"name": "a", "format": "bc7 srgb block", "usage": ["sampled"], "width": 4, "height": 4},
                 {"name": "b", "format": "r8 unorm", "usage": ["sampled"], "width": 4, "height": 4,
                  "mip_levels": "full"}]})");
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(program->options.heap_parts, 62u);
  EXPECT_EQ(program->options.largest_resource, 64'000'000u);
  EXPECT_EQ(program->options.heap_bytes, std::nullopt);
  EXPECT_EQ(program->images[0].kind.tiling, VK_IMAGE_TILING_OPTIMAL);
  EXPECT_EQ(program->images[0].kind.mip_levels, 1u);
  EXPECT_EQ(program->images[0].use.count, 1u);
  EXPECT_EQ(program->images[1].kind.mip_levels, kFullChain);
  EXPECT_TRUE(parse_program(R"({"schema": 1, "buffers": [{"name": "a", "usage": ["index buffer"], "length": 1}]})"));
}

TEST(Program, reports_the_first_error_in_one_sentence) {
  EXPECT_EQ(error_of(kGood), "");
  EXPECT_EQ(error_of(""), "the program: empty");
  EXPECT_EQ(error_of("[]"), "the document: expected an object, found an array");
  EXPECT_EQ(error_of("{}"), "schema: missing");
  EXPECT_EQ(error_of(R"({"schema": 2, "textures": []})"), "schema 2, this build reads 1");
  EXPECT_EQ(error_of(R"({"schema": 1})"), "expected images or buffers, found none");
  const struct {
    const char *from, *to, *error;
  } cases[] = {
      {"\"schema\": 1", "\"schema\": \"1\"", "schema: expected a whole number, found a string"},
      {"\"heap_parts\"", "\"heap_part\"", "the document: unknown field 'heap_part' | did you mean 'heap_parts'?"},
      {"\"images\"", "\"image\"", "the document: unknown field 'image' | did you mean 'images'?"},
      {"\"heap_parts\": 62", "\"heap_parts\": 0", "heap_parts: expected a whole number from 1, found 0"},
      {"64000000,", "-1,", "largest_resource: expected a whole number from 0, found -1"},
      {"8000000000", "0", "heap_bytes: expected a whole number from 1, found 0"},
      {"\"albedo\"", "\"\"", "images[0].name: expected a name, found \"\""},
      {"\"vertices\"", "\"albedo\"", "buffers[0].name: expected a name that no other entry has, found \"albedo\""},
      {"\"tiling\"", "\"tilling\"", "images[0]: unknown field 'tilling' | did you mean 'tiling'?"},
      {"VK_FORMAT_R8G8B8A8_UNORM", "VK_FORMAT_R8G8B8A8_UNROM",
       "images[0].format: expected one of VK_FORMAT_UNDEFINED..., found \"VK_FORMAT_R8G8B8A8_UNROM\" | did you mean "
       "'VK_FORMAT_R8G8B8A8_UNORM'?"},
      {"VK_FORMAT_R8G8B8A8_UNORM", "R8G8B8A8_UNORM",
       "images[0].format: expected one of VK_FORMAT_UNDEFINED..., found \"R8G8B8A8_UNORM\" | did you mean "
       "'VK_FORMAT_R8G8B8A8_UNORM'?"},
      {"\"linear\"", "\"liner\"",
       "images[0].tiling: expected one of VK_IMAGE_TILING_OPTIMAL..., found \"liner\" | did you mean 'linear'?"},
      {"[\"sampled\"]", "[]", "images[0].usage: expected a list of usages, found []"},
      {"[\"sampled\"]", "[\"sample\"]",
       "images[0].usage: expected one of VK_IMAGE_USAGE_TRANSFER_SRC_BIT..., found \"sample\" | did you mean "
       "'sampled'?"},
      {"\"width\": 64", "\"width\": 0", "images[0].width: expected a whole number from 1 to 1073741824, found 0"},
      {"\"width\": 64, ", "", "images[0].width: missing"},
      {"\"mip_levels\": 3", "\"mip_levels\": 0",
       "images[0].mip_levels: expected a whole number from 1 to 32 or \"full\", found 0"},
      {"\"mip_levels\": 3", "\"mip_levels\": \"all\"",
       "images[0].mip_levels: expected a whole number from 1 to 32 or \"full\", found \"all\""},
      {"\"samples\": 4", "\"samples\": 3", "images[0].samples: expected a power of two, found 3"},
      {"\"samples\": 4", "\"samples\": 128", "images[0].samples: expected a whole number from 1 to 64, found 128"},
      {"\"count\": 7", "\"count\": 0", "images[0].count: expected a whole number from 1 to 1000000, found 0"},
      {"\"count\": 7", "\"count\": 1000000", "expected at most 1000000 resources in all, found 1000009"},
      {"\"host visible\"", "\"host visable\"",
       "images[0].memory: expected one of VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT..., found \"host visable\" | did you "
       "mean 'host visible'?"},
      {"\"length\": 1000", "\"length\": 0", "buffers[0].length: expected a whole number from 1, found 0"},
      {"\"length\": 1000", "\"length\": 1.5", "buffers[0].length: expected a whole number from 0, found 1.5E0"},
      {"\"vertex buffer\"", "\"vertex bufer\"",
       "buffers[0].usage: expected one of VK_BUFFER_USAGE_TRANSFER_SRC_BIT..., found \"vertex bufer\" | did you mean "
       "'vertex buffer'?"},
  };
  for (const auto& [from, to, error] : cases) EXPECT_EQ(error_of(with(from, to)), error) << from << " -> " << to;
}

TEST(Program, errors_name_the_file) {
  const ScratchFolder folder;
  folder.write("program.json", "{}");
  const std::string path = folder.path() / "program.json";
  EXPECT_EQ(load_program(path).error().what, "reading '" + path + "': schema: missing");
  EXPECT_EQ(load_program(path + "x").error().what, "opening '" + path + "x': No such file or directory");
}

TEST(Program, becomes_a_sweep_with_one_query_for_each_entry) {
  const Expected<Program> program = parse_program(with("\"mip_levels\": 3", "\"mip_levels\": \"full\""));
  ASSERT_TRUE(program) << program.error().what;
  const Expected<Sweep> sweep = parse_sweep(sweep_text(*program));
  ASSERT_TRUE(sweep) << sweep.error().what << " in " << sweep_text(*program);
  ASSERT_EQ(sweep->image_count(), 1u);
  ASSERT_EQ(sweep->buffer_count(), 1u);
  const ImageKind &asked = sweep->images[0].kinds[0], &wanted = program->images[0].kind;
  EXPECT_EQ(asked.format, wanted.format);
  EXPECT_EQ(asked.type, wanted.type);
  EXPECT_EQ(asked.tiling, wanted.tiling);
  EXPECT_EQ(asked.usage, wanted.usage);
  EXPECT_EQ(asked.flags, wanted.flags);
  EXPECT_EQ(asked.mip_levels, kFullChain);
  EXPECT_EQ(asked.array_layers, wanted.array_layers);
  EXPECT_EQ(asked.samples, wanted.samples);
  EXPECT_EQ(sweep->images[0].sizes, std::vector{program->images[0].size});
  EXPECT_EQ(sweep->buffers[0].kinds[0].usage, program->buffers[0].kind.usage);
  EXPECT_EQ(sweep->buffers[0].kinds[0].flags, program->buffers[0].kind.flags);
  EXPECT_EQ(sweep->buffers[0].lengths, std::vector<std::uint64_t>{1000});
}

}  // namespace lab::probe
