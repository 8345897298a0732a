#include "harness/report/article_marks.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <variant>

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Article;
using results::DriverCheck;
using results::ImageSize;

constexpr double kRightEdge = 13;

/// Collects the marks of one graph.
struct Marks {
  const Article& article;
  const results::DriverClaim* claim = nullptr;
  json::array rows = {};

  void add(json::object place, const std::string& what, std::uint64_t value) {
    const auto platform = article.platforms.find(claim->about);
    place["what"] = what;
    place["value"] = value;
    place["about"] = platform == article.platforms.end() ? claim->about : platform->second.what;
    place["source"] = article_label(article);
    rows.push_back(std::move(place));
  }
  void add_image(const ImageSize& size, std::uint64_t value) {
    add({{"position", image_position(size[0], size[1])}}, fmt::format("{}x{}", size[0], size[1]), value);
  }
  void add_smallest(std::uint64_t value) {
    const std::uint64_t least = article.sweep.least_dimension;
    add({{"position", image_position(least, least)}}, "the smallest image", value);
  }
};

/// Calls `visit` for each claim about drivers.
json::array collected(const Article& article, const std::function<void(const DriverCheck&, Marks&)>& visit) {
  Marks marks{article};
  for (const results::Claim& claim : article.claims)
    if (const auto* about_drivers = std::get_if<results::DriverClaim>(&claim.kind)) {
      marks.claim = about_drivers;
      visit(about_drivers->check, marks);
    }
  return std::move(marks.rows);
}

}  // namespace

std::string article_label(const Article& article) {
  return fmt::format("the article's values ({}, {})", article.source.author, article.source.year);
}

double image_position(std::uint64_t width, std::uint64_t height) {
  constexpr double kHeights = 13;  // 1 to 4096
  return std::log2(static_cast<double>(width)) + std::log2(static_cast<double>(height)) / kHeights;
}

json::array storage_marks(const Article& article) {
  return collected(article, [](const DriverCheck& check, Marks& marks) {
    if (check.kind == "image storage")
      for (const std::uint64_t value : check.bytes) marks.add_image(check.image, value);
    if (check.kind == "image storage and alignment") marks.add_image(check.image, check.storage);
    if (check.kind == "smallest image storage" && check.bytes.size() == 1) marks.add_smallest(check.bytes[0]);
  });
}

json::array alignment_marks(const Article& article) {
  return collected(article, [](const DriverCheck& check, Marks& marks) {
    if (check.kind == "image storage and alignment") marks.add_image(check.image, check.alignment);
    if (check.bytes.size() != 1) return;
    if (check.kind == "image alignment" || check.kind == "first image aligned")
      marks.add_image(check.image, check.bytes[0]);
    if (check.kind == "image alignments") marks.add({{"position", kRightEdge}}, "every image", check.bytes[0]);
    if (check.kind == "smallest image alignment") marks.add_smallest(check.bytes[0]);
  });
}

json::array buffer_storage_marks(const Article& article) {
  return collected(article, [](const DriverCheck& check, Marks& marks) {
    if (check.kind != "small buffer storage" || check.bytes.size() != 1) return;
    // The graph shows storage beyond the length, and a buffer of one byte most of it.
    marks.add({{"length", 1}}, fmt::format("1 byte, as any length below {}", check.below), check.bytes[0] - 1);
  });
}

}  // namespace lab::report
