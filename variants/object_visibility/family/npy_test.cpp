#include "variants/object_visibility/family/npy.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "harness/base/random.h"

namespace lab::object_visibility {
namespace {

std::string file_of(const std::string& dictionary, const std::string& data, int major = 1) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 255);
  return file + dictionary + data;
}
std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// "2x1: 5 6", or the error.
std::string ids_of(const std::string& file, ToWhole way = ToWhole::kTruncated, std::uint32_t channels = 1) {
  const Expected<NpyArray> array = parse_npy(file);
  if (!array) return array.error().what;
  const Expected<OwnedImage> image = npy_ids(*array, way, channels);
  if (!image) return image.error().what;
  std::string text = std::to_string(image->width) + "x" + std::to_string(image->height) + ":";
  for (const std::uint32_t id : image->ids) text += " " + std::to_string(id);
  return text;
}

const std::string kWords = bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 6, 7, 8});

}  // namespace

TEST(Npy, of_every_type_shape_and_version_is_read) {
  EXPECT_EQ(ids_of(file_of(header("<u4", "(2, 4)"), kWords)), "4x2: 1 2 3 4 5 6 7 8");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(2, 4)"), kWords, 2)), "4x2: 1 2 3 4 5 6 7 8");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(8,)"), kWords)), "8x1: 1 2 3 4 5 6 7 8");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(8,)"), kWords), ToWhole::kTruncated, 4), "2x1: 1 5");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(1, 2, 4)"), kWords)), "2x1: 1 5");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(4, 2, 1)"), kWords)), "2x4: 1 2 3 4 5 6 7 8");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(0, 4)"), "")), "4x0:");
  EXPECT_EQ(ids_of(file_of(header("<u4", "(1, 1)"), bytes_of<std::uint32_t>({0xffffffff}))), "1x1: 4294967295");
  EXPECT_EQ(ids_of(file_of(header("<i4", "(1, 2)"), bytes_of<std::int32_t>({0, 2147483647}))), "2x1: 0 2147483647");
  const std::vector<double> fractions{0, 0.5, 0.999, 1.5, 2.5, 2.51, -0.4, 4294967295.0};
  EXPECT_EQ(ids_of(file_of(header("<f8", "(8,)"), bytes_of(fractions))), "8x1: 0 0 0 1 2 2 0 4294967295");
  EXPECT_EQ(ids_of(file_of(header("<f8", "(8,)"), bytes_of(fractions)), ToWhole::kRounded),
            "8x1: 0 0 1 2 2 3 0 4294967295");
  EXPECT_EQ(ids_of(file_of(header("<f4", "(1, 2)"), bytes_of<float>({3.75f, 16777216.0f}))), "2x1: 3 16777216");
  // Any order, quotes and spaces; no comma at the end.
  EXPECT_EQ(
      ids_of(file_of("{\"shape\":(1,1),\n'fortran_order' : False ,'descr':'<u4'}  \n", bytes_of<std::uint32_t>({9}))),
      "1x1: 9");
}

TEST(Npy, of_anything_else_is_refused_with_what_was_expected_and_found) {
  const auto good = file_of(header("<u4", "(2, 4)"), kWords);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "expected a file of NumPy, which begins with \\x93NUMPY and a version, found ''"},
      {"PK\x03\x04",
       "expected a file of NumPy, which begins with \\x93NUMPY and a version, found 'PK?"
       "?'"},
      {good.substr(0, 7), "expected a file of NumPy, which begins with \\x93NUMPY and a version, found '?NUMPY?'"},
      {file_of(header("<u4", "(8,)"), kWords, 3), "expected format 1.0 or 2.0, found 3.0"},
      {good.substr(0, 9), "expected the length of the header, found a file of 9 bytes"},
      {good.substr(0, 20), "expected a header of 59 bytes, found 10 in the file"},
      {good.substr(0, good.size() - 1), "expected 32 bytes of data for the shape (2, 4), found 31"},
      {good + "x", "expected 32 bytes of data for the shape (2, 4), found 33"},
      {file_of(header(">u4", "(8,)"), kWords), "descr: expected one of <u4, <i4, <f4, <f8, found '>u4'"},
      {file_of(header("<u2", "(8,)"), kWords), "descr: expected one of <u4, <i4, <f4, <f8, found '<u2'"},
      {file_of("{'descr': '<u4', 'fortran_order': True, 'shape': (8,), }", kWords),
       "fortran_order: expected False, found True"},
      {file_of("{'descr': '<u4', 'shape': (8,), }", kWords),
       "expected the keys descr, fortran_order and shape, found no fortran_order"},
      {file_of("{'descr': '<u4', 'descr': '<u4', }", kWords),
       "expected the keys descr, fortran_order and shape once each, found 'descr'"},
      {file_of("{'descr': '<u4', 'fortran_order': False, 'shape': (8,), 'more': 1}", kWords),
       "expected the keys descr, fortran_order and shape once each, found 'more'"},
      {file_of("['descr']", kWords), "the header: expected '{', found '['descr']'"},
      {file_of("{'descr' '<u4'}", kWords), "the header: expected ':', found ''<u4'}'"},
      {file_of("{'descr': 4}", kWords), "the header: expected a type, found '4}'"},
      {file_of("{'fortran_order': Maybe}", kWords), "the header: expected True or False, found 'Maybe}'"},
      {file_of("{'shape': 8}", kWords), "the header: expected '(', found '8}'"},
      {file_of("{'shape': (-8,)}", kWords), "the header: expected a length or ')', found '-8,)}'"},
      {file_of("{'shape': (99999999999999999999,)}", kWords),
       "the header: expected a length or ')', found '99999999999999999999'"},
      {file_of("{'shape': (8", kWords), "the header: expected ',' or ')', found the end"},
      {file_of("{'shape", kWords), "the header: expected a key or '}', found ''shape'"},
      {file_of(header("<u4", "(8,)") + "x", kWords), "the header: expected the end of the header, found 'x'"},
      {file_of(header("<u4", "(4294967296, 4294967296)"), kWords),
       "shape: expected fewer elements, found (4294967296, 4294967296)"},
      {file_of(header("<u4", "()"), bytes_of<std::uint32_t>({1})),
       "expected the shape (height, width), (height, width, channels) or a flat one, found ()"},
      {file_of(header("<u4", "(1, 2, 2, 2)"), kWords),
       "expected the shape (height, width), (height, width, channels) or a flat one, found (1, 2, 2, 2)"},
      {file_of(header("<u4", "(1, 1, 8)"), kWords), "expected 1 to 4 channels, found 8"},
      {file_of(header("<u4", "(5000000000, 0)"), ""), "expected sides below 4294967296, found (5000000000, 0)"},
      {file_of(header("<i4", "(2, 1)"), bytes_of<std::int32_t>({1, -1})),
       "pixel (0, 1): expected a value from 0 to 4294967295, found -1"},
      {file_of(header("<f4", "(1, 2)"), bytes_of<float>({1, std::numeric_limits<float>::quiet_NaN()})),
       "pixel (1, 0): expected a value from 0 to 4294967295, found nan"},
      {file_of(header("<f8", "(1, 2)"), bytes_of<double>({1, 1e300})),
       "pixel (1, 0): expected a value from 0 to 4294967295, found 1e+300"},
      {file_of(header("<f8", "(1, 2)"), bytes_of<double>({-1.5, 0})),
       "pixel (0, 0): expected a value from 0 to 4294967295, found -1.5"}};
  for (const auto& [file, sentence] : bad) EXPECT_EQ(ids_of(file), sentence);
  EXPECT_EQ(ids_of(file_of(header("<u4", "(8,)"), kWords), ToWhole::kTruncated, 3),
            "expected 3 channels a pixel, found 8 values");
}

TEST(Npy, with_random_damage_is_an_image_or_a_sentence_of_one_line) {
  Random random(1);
  const std::vector<std::string> good{file_of(header("<u4", "(2, 4)"), kWords),
                                      file_of(header("<f8", "(2, 1, 2)"), kWords, 2),
                                      file_of(header("<f4", "(8,)"), kWords)};
  std::size_t images = 0;
  for (int i = 0; i < 30'000; ++i) {
    std::string file = good[random.below(good.size())];
    for (std::uint64_t damages = random.below(4); damages-- > 0;) {
      const std::size_t at = random.below(file.size());
      switch (random.below(4)) {
        case 0:
          file[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          file.erase(at, random.below(9));
          break;
        case 2:
          file.insert(at, file.substr(random.below(file.size()), random.below(9)));
          break;
        default:
          file[at] = static_cast<char>(file[at] ^ 1 << random.below(8));
      }
      if (file.empty()) file = "x";
    }
    const std::string found = ids_of(file, random.below(2) == 0 ? ToWhole::kTruncated : ToWhole::kRounded, 1);
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
    EXPECT_LT(found.size(), 400u) << found;
    images +=
        found.find("x") < 12 && found.find(':') != std::string::npos && found.front() >= '0' && found.front() <= '9'
            ? 1
            : 0;
  }
  EXPECT_GT(images, 5'000u);
  EXPECT_LT(images, 29'000u);
}

}  // namespace lab::object_visibility
