// Readers with any kind of colour vision can distinguish colours that appear together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/resources.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

/// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG 15
/// (2009) 1291-1298, severity 1, on linear RGB.
struct ColourVision {
  const char* name;
  Matrix matrix;
};
constexpr ColourVision kColourVisions[] = {
    {"full", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += matrix[i][j] * vector[j];
  return out;
}

Triple linear_rgb(std::string_view hex) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

Triple lab(std::string_view hex, const ColourVision& vision) {
  Triple rgb = times(vision.matrix, linear_rgb(hex));
  for (double& c : rgb) c = std::min(1.0, std::max(0.0, c));
  constexpr Matrix kXyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  const Triple xyz = times(kXyz, rgb);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f(xyz[0] / 0.9505), y = f(xyz[1]), z = f(xyz[2] / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const Triple& a, const Triple& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double contrast(std::string_view a, std::string_view b) {
  const auto luminance = [](std::string_view hex) {
    const Triple rgb = linear_rgb(hex);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
  return std::max(one / other, other / one);
}

std::string colour(const std::string& name, std::size_t mode) {
  static const json::object palette = json::parse(resource("palette.json")).as_object();
  return std::string(palette.at(name).at(mode).as_string());
}

}  // namespace

TEST(Palette, adjacent_colours_differ_in_every_colour_blindness) {
  const std::vector<std::vector<std::string>> groups{
      {"c1", "c2", "c3", "c4", "c5", "c6", "rest"}, {"mark", "h3", "rest"}, {"good", "weak", "bad", "open"}};
  // A distance of 2.3 is just noticed; small marks far from each other need several times that.
  constexpr double kLeast = 15;
  for (const std::vector<std::string>& group : groups)
    for (const std::size_t mode : {std::size_t{0}, std::size_t{1}})
      for (const ColourVision& vision : kColourVisions)
        for (const std::string& a : group)
          for (const std::string& b : group) {
            if (a >= b) continue;
            EXPECT_GE(distance(lab(colour(a, mode), vision), lab(colour(b, mode), vision)), kLeast)
                << a << " and " << b << ", " << vision.name << ", " << (mode == 0 ? "light" : "dark");
          }
}

TEST(Palette, a_colour_of_a_series_is_none_of_an_answer) {
  // Of full vision alone: a series has a shape and a legend, too.
  constexpr double kLeast = 15;
  for (const std::size_t mode : {std::size_t{0}, std::size_t{1}})
    for (const char* series : {"c1", "c2", "c3", "c4", "c5", "c6"})
      for (const char* other : {"good", "weak", "bad", "open", "mark", "link"})
        EXPECT_GE(distance(lab(colour(series, mode), kColourVisions[0]), lab(colour(other, mode), kColourVisions[0])),
                  kLeast)
            << series << " and " << other << (mode == 0 ? ", light" : ", dark");
}

TEST(Palette, no_chart_has_colours_of_two_meanings) {
  const auto meaning = [](const std::string& name) -> std::string {
    if (name.size() == 2 && name[0] == 'c') return "series";
    if (name.size() == 2 && name[0] == 'h') return "amount";
    if (name == "good" || name == "weak" || name == "bad" || name == "open") return "answer";
    return "";
  };
  std::size_t charts = 0;
  for (const Resource& one : resources()) {
    const std::string_view name = one.name;
    if (!name.ends_with(".json") || name == "palette.json" || name == "theme.json") continue;
    ++charts;
    std::set<std::string> meanings;
    for (std::size_t at = one.content.find("var(--"); at != std::string_view::npos;
         at = one.content.find("var(--", at + 1)) {
      const std::string used(one.content.substr(at + 6, one.content.find(')', at) - at - 6));
      EXPECT_NO_THROW(colour(used, 0)) << name << ": " << used;
      if (!meaning(used).empty()) meanings.insert(meaning(used));
    }
    EXPECT_LE(meanings.size(), 1u) << name;
  }
  EXPECT_GE(charts, 18u);
}

TEST(Palette, answers_differ_on_grey_paper_by_lightness_or_shape) {
  // The choice of a variant has a shape for each answer; verdicts have words. Parts of a drawing have lightness alone.
  for (const std::size_t mode : {std::size_t{0}, std::size_t{1}}) {
    const auto lightness = [&](const char* name) { return lab(colour(name, mode), kColourVisions[0])[0]; };
    EXPECT_GE(std::abs(lightness("mark") - lightness("h3")), 15) << mode;
    EXPECT_GE(std::abs(lightness("h3") - lightness("rest")), 15) << mode;
    for (const auto& [a, b] : {std::pair{"h0", "h1"}, {"h1", "h2"}, {"h2", "h3"}, {"h3", "h4"}, {"h4", "h5"}})
      EXPECT_GE(std::abs(lightness(a) - lightness(b)), 5) << a << " and " << b << ", " << mode;
  }
}

TEST(Palette, text_and_marks_have_enough_contrast) {
  for (const std::size_t mode : {std::size_t{0}, std::size_t{1}}) {
    for (const char* mark : {"c1", "c2", "c3", "c4", "c5", "c6"})
      EXPECT_GE(contrast(colour(mark, mode), colour("paper", mode)), 3) << mark << " " << mode;
    for (const std::string text : {"good", "weak", "bad", "open"})
      EXPECT_GE(contrast(colour(text, mode), colour(text + "-ground", mode)), 4.5) << text << " " << mode;
    for (const char* text : {"ink", "muted", "link"})
      EXPECT_GE(contrast(colour(text, mode), colour("paper", mode)), 4.5) << text << " " << mode;
  }
}

}  // namespace lab::report
