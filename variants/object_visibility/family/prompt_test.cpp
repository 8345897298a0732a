#include "variants/object_visibility/family/prompt.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/patience_test.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "variants/object_visibility/family/prompt_command.h"

namespace lab::object_visibility {
namespace {

constexpr std::uint64_t kPixels = 1920 * 1080;

/// The article's four objects, at the distances that its two prompts follow from.
SceneFile article_scene(double sphere, double cone, double cube, double floor) {
  return {.camera = {{0, 0, 0}},
          .objects = {{1, "Plane", "A wooden floor", {floor, 0, 0}},
                      {2, "Sphere", "A sphere", {sphere, 0, 0}},
                      {3, "Cube", "A cube", {cube, 0, 0}},
                      {4, "Cone", "A cone", {cone, 0, 0}}}};
}

/// An .npy file of format 1.0.
std::string npy(const std::string& dictionary, const std::string& data) {
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 255) + static_cast<char>(length >> 8) +
         dictionary + data;
}
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

TEST(Prompt, of_the_articles_first_example_has_three_objects_and_not_the_cone) {
  const Counts counts{0, 453103, 481314, 616150, 85};
  const std::set<std::uint32_t> visible = visible_ids(counts, kPixels);
  EXPECT_EQ(visible, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(prompt_text(nearest_first(article_scene(2, 5, 3, 4)), visible), "A sphere,\nA cube,\nA wooden floor,\n");
}

TEST(Prompt, of_the_articles_second_example_has_all_four_objects) {
  const Counts counts{0, 1144784, 287860, 408275, 232240};
  const std::set<std::uint32_t> visible = visible_ids(counts, kPixels);
  EXPECT_EQ(visible, (std::set<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(prompt_text(nearest_first(article_scene(2, 3, 4, 5)), visible),
            "A sphere,\nA cone,\nA cube,\nA wooden floor,\n");
}

TEST(Visible, is_what_covers_more_than_the_threshold_of_all_pixels) {
  // 0.5 % of these is 10,368.
  EXPECT_EQ(visible_ids({0, 10368, 10369, 0}, kPixels), (std::set<std::uint32_t>{2}));
  EXPECT_EQ(visible_ids({0, 0, 1}, kPixels, 0), (std::set<std::uint32_t>{2}));
  EXPECT_EQ(visible_ids({0, 4}, 4, 1), std::set<std::uint32_t>());
}

TEST(Properties, list_every_object_with_an_index_nearest_first_as_the_script_writes_them) {
  SceneFile scene{.camera = {{1, 2, 3}},
                  .objects = {{7, "Far", "A far thing", {1, 2, -7}},
                              {0, "Light", "", {1, 2, 3}},
                              {2, "Near", "A near thing", {4, 6, 3}},
                              {3, "Same", "As near", {1, 7, 3}}}};
  EXPECT_EQ(properties_text(nearest_first(scene)),
            "objects.2.index = 2\nobjects.2.description = A near thing\nobjects.2.name = Near\n"
            "objects.2.distance = 5.0\n"
            "objects.3.index = 3\nobjects.3.description = As near\nobjects.3.name = Same\n"
            "objects.3.distance = 5.0\n"
            "objects.7.index = 7\nobjects.7.description = A far thing\nobjects.7.name = Far\n"
            "objects.7.distance = 10.0\n");
}

TEST(Objects, with_one_index_are_counted_together_and_listed_each_at_its_own_distance) {
  const SceneFile scene{
      .camera = {},
      .objects = {
          {5, "Left", "A chair", {3, 0, 0}}, {6, "Table", "A table", {2, 0, 0}}, {5, "Right", "A chair", {1, 0, 0}}}};
  // Left and right cover 6 pixels each of 2,000: alone neither would be visible.
  const std::set<std::uint32_t> visible = visible_ids({0, 0, 0, 0, 0, 12, 11}, 2000);
  EXPECT_EQ(prompt_text(nearest_first(scene), visible), "A chair,\nA table,\nA chair,\n");
  EXPECT_EQ(properties_text(nearest_first(scene)),
            "objects.5.index = 5\nobjects.5.description = A chair\nobjects.5.name = Right\nobjects.5.distance = 1.0\n"
            "objects.6.index = 6\nobjects.6.description = A table\nobjects.6.name = Table\nobjects.6.distance = 2.0\n"
            "objects.5.index = 5\nobjects.5.description = A chair\nobjects.5.name = Left\nobjects.5.distance = 3.0\n");
}

TEST(Distances, are_printed_as_python_prints_a_float) {
  // Printed by Python's repr().
  const std::vector<std::pair<double, const char*>> good{{0.0, "0.0"},
                                                         {-0.0, "-0.0"},
                                                         {1.0, "1.0"},
                                                         {10.0, "10.0"},
                                                         {0.1, "0.1"},
                                                         {0.1 + 0.2, "0.30000000000000004"},
                                                         {-12.375, "-12.375"},
                                                         {7.358891487121582, "7.358891487121582"},
                                                         {123456789.0, "123456789.0"},
                                                         {0.0001, "0.0001"},
                                                         {0.00012345, "0.00012345"},
                                                         {0.00001, "1e-05"},
                                                         {0.000012345, "1.2345e-05"},
                                                         {1e15, "1000000000000000.0"},
                                                         {1234567890123456.0, "1234567890123456.0"},
                                                         {1e16, "1e+16"},
                                                         {12345678901234567.0, "1.2345678901234568e+16"},
                                                         {1e22, "1e+22"},
                                                         {1e100, "1e+100"},
                                                         {1.7976931348623157e308, "1.7976931348623157e+308"},
                                                         {5e-324, "5e-324"},
                                                         {2.2250738585072014e-308, "2.2250738585072014e-308"},
                                                         {std::numeric_limits<double>::infinity(), "inf"},
                                                         {-std::numeric_limits<double>::infinity(), "-inf"},
                                                         {std::numeric_limits<double>::quiet_NaN(), "nan"}};
  for (const auto& [value, text] : good) EXPECT_EQ(python_float(value), text);
}

TEST(Distances, are_read_back_as_the_same_value) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    const std::string text = python_float(value);
    double back = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(end, text.data() + text.size()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << text;
  }
}

class PromptCommand : public testing::Test {
 protected:
  void SetUp() override {
    // 20 x 10: background, 150 of object 1, 1 of object 2, 9 of object 3.
    std::vector<float> values(200, 0);
    for (std::size_t i = 0; i < 150; ++i) values[i] = 1;
    values[150] = 2.25f;
    for (std::size_t i = 151; i < 160; ++i) values[i] = 2.75f;
    scratch_.write("image.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (10, 20), }", bytes_of(values)));
    scratch_.write("objects.json", R"({"camera": {"location": [0, 0, 0]}, "objects": [
      {"index": 1, "name": "Plane", "description": "A floor", "location": [0, 0, 9.5]},
      {"index": 2, "name": "Ball", "description": "A ball", "location": [0, 3, 4]},
      {"index": 3, "name": "Box", "description": "A box", "location": [0, 0, 1e-5]}]})");
  }
  std::string path(const char* name) const { return (scratch_.path() / name).string(); }
  std::string content(const char* name) const {
    const Expected<std::string> text = read_file(scratch_.path() / name);
    return text ? *text : text.error().what;
  }
  std::string failure(std::vector<std::string> words) const {
    const Expected<std::string> done = write_prompt(words);
    return done ? "none" : done.error().what;
  }
  ScratchFolder scratch_;
};

TEST_F(PromptCommand, writes_the_prompt_and_the_properties_with_fractions_truncated_or_rounded) {
  const std::vector<std::string> words{path("image.npy"), path("objects.json"), "--out", path("shot")};
  const Expected<std::string> truncated = write_prompt(words);
  ASSERT_TRUE(truncated) << truncated.error().what;
  EXPECT_EQ(*truncated, "Visibility: {1: 150, 2: 10}\nVisible: {1, 2}\n");
  EXPECT_EQ(content("shot.prompt.txt"), "A ball,\nA floor,\n");
  EXPECT_EQ(content("shot.properties"),
            "objects.3.index = 3\nobjects.3.description = A box\nobjects.3.name = Box\nobjects.3.distance = 1e-05\n"
            "objects.2.index = 2\nobjects.2.description = A ball\nobjects.2.name = Ball\nobjects.2.distance = 5.0\n"
            "objects.1.index = 1\nobjects.1.description = A floor\nobjects.1.name = Plane\n"
            "objects.1.distance = 9.5\n");
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--round", "--threshold", "0.006"});
  const Expected<std::string> rounded = write_prompt(more);
  ASSERT_TRUE(rounded) << rounded.error().what;
  EXPECT_EQ(*rounded, "Visibility: {1: 150, 2: 1, 3: 9}\nVisible: {1, 3}\n");
  EXPECT_EQ(content("shot.prompt.txt"), "A box,\nA floor,\n");
}

TEST_F(PromptCommand, reads_locations_as_python_reads_them) {
  // Each location is read as the nearest double, whose distance from the origin is itself.
  const std::vector<std::string> good{"19287.937964178167",
                                      "7.358891487121582",
                                      "0.30000000000000004",
                                      "99.77487761460732",
                                      "1e-05",
                                      "8.41e+21",
                                      "2.5e-07",
                                      "0.1",
                                      "1.3e+154"};
  std::string objects;
  for (const std::string& number : good)
    objects += (objects.empty() ? "" : ", ") +
               fmt::format(R"({{"index": 1, "name": "a \\\"7", "description": "x", "location": [{}, 0, 0]}})", number);
  scratch_.write("exact.json", fmt::format(R"({{"camera": {{"location": [0, 0, 0]}}, "objects": [{}]}})", objects));
  const Expected<std::string> done =
      write_prompt({path("image.npy"), path("exact.json"), "--threshold", "0", "--out", path("exact")});
  ASSERT_FALSE(done);  // the image has ids that the list lacks
  scratch_.write("image.npy",
                 npy("{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1), }", bytes_of<std::uint32_t>({1})));
  const Expected<std::string> again =
      write_prompt({path("image.npy"), path("exact.json"), "--threshold", "0", "--out", path("exact")});
  ASSERT_TRUE(again) << again.error().what;
  const std::string properties = content("exact.properties");
  for (const std::string& number : good)
    EXPECT_NE(properties.find("objects.1.distance = " + number + "\n"), std::string::npos) << number << properties;
  scratch_.write("exact.json", R"({"camera": {"location": [0.5, 0, 0], "location": [0, 0, 0]}, "objects": []})");
  EXPECT_EQ(failure({path("image.npy"), path("exact.json"), "--out", path("exact")}),
            fmt::format("'{}': expected each key once in an object, found 'location' twice", path("exact.json")));
  // The same key in two ways, the first of which has a value without a number.
  for (const char* const first : {R"("index": "x")", R"("index": null)", R"("\u0069ndex": "x")"}) {
    scratch_.write("exact.json",
                   fmt::format(R"({{"camera": {{"location": [0.5, 0, 0]}}, "objects": [{{{}, "name": "a",)"
                               R"( "description": "b", "location": [10.5, 0.5, 0.5], "index": 1}}]}})",
                               first));
    EXPECT_THAT(failure({path("image.npy"), path("exact.json"), "--out", path("exact")}),
                testing::HasSubstr("expected each key once in an object"));
  }
}

TEST_F(PromptCommand, refuses_wrong_words_and_files_in_one_sentence) {
  const std::string image = path("image.npy"), objects = path("objects.json"), out = path("none");
  EXPECT_EQ(failure({}), "expected an image and a file of objects, found 0 files");
  EXPECT_EQ(failure({image, objects}), "expected --out PREFIX");
  EXPECT_EQ(failure({image, objects, "--out"}), "--out: expected a value");
  EXPECT_EQ(failure({image, objects, "--outt", "x"}), "there is no flag '--outt'");
  EXPECT_EQ(failure({image, objects, "--out", out, "--threshold", "2"}),
            "--threshold: expected a share from 0 to 1, found '2'");
  EXPECT_EQ(failure({image, objects, "--out", out, "--threshold", "nan"}),
            "--threshold: expected a share from 0 to 1, found 'nan'");
  EXPECT_EQ(failure({image, objects, "--out", out, "--channels", "0"}),
            "--channels: expected a number from 1 to 4, found '0'");
  EXPECT_EQ(
      failure({objects, objects, "--out", out}),
      fmt::format("'{}': expected a file of NumPy, which begins with \\x93NUMPY and a version, found '{{\"camera'",
                  objects));
  scratch_.write("two.json", R"({"camera": {"location": [0, 0, 0]}, "objects": [
      {"index": 1, "name": "Plane", "description": "A floor", "location": [0, 0, 9.5]}]})");
  EXPECT_EQ(
      failure({image, path("two.json"), "--out", out}),
      fmt::format("'{}': pixel (10, 7): expected an id of at most 1, the largest of a known object, found 2", image));
  scratch_.write("two.json", R"({"camera": {"location": [0, 0, 0]}, "objects": [
      {"index": 1, "name": "Plane", "description": "A\nfloor", "location": [0, 0, 9.5]}]})");
  EXPECT_EQ(failure({image, path("two.json"), "--out", out}),
            fmt::format("'{}': objects[0].description: expected one line", path("two.json")));
  scratch_.write("two.json", R"({"camera": {"location": [0, 0, 0]}, "objects": [
      {"index": 1048576, "name": "Plane", "description": "A floor", "location": [0, 0, 9.5]}]})");
  EXPECT_EQ(failure({image, path("two.json"), "--out", out}),
            fmt::format("'{}': objects[0].index: expected at most 1048575, found 1048576", path("two.json")));
  scratch_.write("two.json", R"({"camera": {"location": [0, 0]}, "objects": []})");
  EXPECT_EQ(failure({image, path("two.json"), "--out", out}).substr(path("two.json").size() + 4),
            "camera.location: expected an array of 3 elements, found an array");
  EXPECT_FALSE(std::filesystem::exists(out + ".prompt.txt"));
  EXPECT_FALSE(std::filesystem::exists(out + ".properties"));
}

TEST_F(PromptCommand, is_a_program_with_status_0_or_2_and_one_line_and_a_hint) {
  ChildSpec child;
  child.command = {std::string(LAB_BUILD_DIR) + "/object_visibility_prompt", path("image.npy"), path("objects.json"),
                   "--out", path("shot")};
  child.timeout_seconds = kPatience;
  ChildOutcome done = run_child(child);
  EXPECT_EQ(done.code, 0) << done.error_tail;
  EXPECT_EQ(done.output, "Visibility: {1: 150, 2: 10}\nVisible: {1, 2}\n");
  child.command.pop_back();
  done = run_child(child);
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.output, "");
  EXPECT_EQ(done.error_tail,
            "object_visibility_prompt: error: --out: expected a value\nhint: object_visibility_prompt --help\n");
}

}  // namespace lab::object_visibility
