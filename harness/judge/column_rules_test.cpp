#include "harness/judge/column_rules.h"

#include <gtest/gtest.h>

#include <functional>

#include "harness/base/error.h"
#include "harness/base/layout.h"

namespace lab::judge {

namespace {

using results::DriverColumn;
using results::Needs;

// A column that keeps every rule: types 0 device local, 1 host visible.
DriverColumn good_column() {
  DriverColumn c;
  c.memory_types = {{0, {"device local"}}, {0, {"host visible", "host coherent"}}};
  c.limits = {{"minStorageBufferOffsetAlignment", 16}, {"minUniformBufferOffsetAlignment", 64}};
  c.images = {{1, 1, 4096, 4096, 3}, {1, 2, 4096, 4096, 3}, {2, 1, 4096, 4096, 3}, {4096, 1, 0, 0, 0}};
  c.buffers = {{1, 16, 16}, {100, 112, 16}};
  c.buffer_memory_type_bits = {3};
  results::SweepAnswers& wide = c.sweeps.emplace_back();
  wide.name = "wide";
  wide.refusals = {"", "no"};
  wide.images = {
      {{"R8_UNORM", "2d", "optimal", "sampled", "", 1, 1, 1},
       {{64, 64, 1, {4096, 256, 3}}, {128, 64, 1, {8192, 256, 3}}}},
      {{"R8_UNORM", "2d", "linear", "sampled", "", 1, 1, 1}, {{64, 64, 1, {4096, 256, 2}}, {65, 64, 1, {0, 0, 0, 1}}}},
      {{"D32_SFLOAT", "2d", "optimal", "sampled", "", 1, 1, 1}, {{64, 64, 1, {16384, 256, 1}}}}};
  wide.buffers = {{{"uniform buffer+vertex buffer", ""}, {{100, {128, 64, 3}}}}};
  return c;
}

// "rule: count, what, found", with '*' before a rule of the specification.
std::vector<std::string> broken(const std::function<void(DriverColumn&)>& change) {
  DriverColumn column = good_column();
  change(column);
  std::vector<std::string> found;
  for (const BrokenRule& b : broken_rules(column))
    found.push_back((b.of_the_specification ? "*" : "") + b.rule + ": " + std::to_string(b.count) + ", " + b.what +
                    ", " + b.found);
  return found;
}

Needs& image(DriverColumn& column, std::size_t table, std::size_t row) {
  return column.sweeps[0].images[table].rows[row].needs;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST(BrokenRules, are_none_in_a_good_column_and_in_the_reference) {
  EXPECT_EQ(broken([](DriverColumn&) {}), Lines{});
  const auto reference = results::load_atlas(std::string(LAB_SOURCE_DIR) + "/results/reference/atlas");
  ASSERT_TRUE(reference) << reference.error().what;
  ASSERT_FALSE(reference->empty());
  for (const DriverColumn& column : *reference)
    for (const BrokenRule& rule : broken_rules(column))
      EXPECT_FALSE(rule.of_the_specification) << column.name << rule.rule;
}

TEST(BrokenRules, name_the_first_point_and_count_the_others) {
  EXPECT_EQ(broken([](DriverColumn& c) {
              image(c, 0, 0).alignment = 3;
              image(c, 2, 0).alignment = 0;
            }),
            Lines{"*the alignment is a power of two: 2, 64x64 R8_UNORM, optimal, sampled, alignment 3"});
  EXPECT_EQ(broken([](DriverColumn& c) { image(c, 2, 0).memory_type_bits = 0; }),
            Lines{"*at least one memory type can hold it: 1, 64x64 D32_SFLOAT, optimal, sampled, memory type bits 0"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { image(c, 2, 0).memory_type_bits = 5; }),
      Lines{"*only existing memory types can hold it: 1, 64x64 D32_SFLOAT, optimal, sampled, memory type bits 0x5 of "
            "2 types"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { image(c, 1, 0).memory_type_bits = 1; }),
      Lines{"*host-visible memory can hold a linear image and a buffer: 1, 64x64 R8_UNORM, linear, sampled, memory "
            "type bits 0x1"});
  EXPECT_EQ(broken([](DriverColumn& c) { image(c, 0, 1).memory_type_bits = 1; }),
            Lines{"*the memory types are the same for the same tiling and flags: 1, 128x64 R8_UNORM, optimal, sampled, "
                  "memory type bits 0x1, elsewhere 0x3"});
  EXPECT_EQ(
      broken([](DriverColumn& c) {
        c.buffer_memory_type_bits = {2, 3};
      }),
      Lines{"*the memory types are the same for the same tiling and flags: 1, storage buffers of different sizes, 2 "
            "sets of memory types"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { c.sweeps[0].buffers[0].rows[0].needs.alignment = 32; }),
      Lines{"*a buffer's alignment is a multiple of the least offset alignment: 1, 100 bytes, uniform buffer+vertex "
            "buffer, alignment 32, minUniformBufferOffsetAlignment 64"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { image(c, 2, 0).size = 16383; }),
      Lines{"the size is at least that of the packed texels or bytes: 1, 64x64 D32_SFLOAT, optimal, sampled, 16383 "
            "bytes of 16384"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { c.buffers[1].size = 99; }),
      Lines{"the size is at least that of the packed texels or bytes: 1, 100 bytes, storage buffer, 99 bytes of 100"});
  EXPECT_EQ(
      broken([](DriverColumn& c) { c.images[1].size = 8; }),
      Lines{"a wider or higher image of one kind is not smaller: 1, 1x2 R8G8B8A8_UNORM, optimal, sampled, 8 bytes, "
            "and 4096 of 1x1"});
}

TEST(BrokenRules, of_memory_types_need_memory_types) {
  EXPECT_EQ(broken([](DriverColumn& c) {
              c.memory_types.clear();
              c.buffer_memory_type_bits.clear();
              for (results::ImageRow& row : c.images) row.memory_type_bits = 0;
              image(c, 0, 1).memory_type_bits = 9;
            }),
            Lines{});
}

TEST(BrokenRules, allow_other_memory_types_for_sparse_and_for_depth_images) {
  EXPECT_EQ(broken([](DriverColumn& c) {
              c.sweeps[0].images[0].kind.flags = "mutable format+sparse binding";
              image(c, 0, 0).memory_type_bits = image(c, 0, 1).memory_type_bits = 1;
            }),
            Lines{});
  EXPECT_EQ(broken([](DriverColumn& c) {
              c.sweeps[0].images[1].kind.flags = "not sparse binding";
              image(c, 1, 0).memory_type_bits = 1;
            }),
            Lines{"*host-visible memory can hold a linear image and a buffer: 1, 64x64 R8_UNORM, linear, sampled, not "
                  "sparse binding, memory type bits 0x1"});
}

}  // namespace lab::judge
