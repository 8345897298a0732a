#include "harness/report/badge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "harness/base/fit.h"
#include "harness/base/printable.h"
#include "harness/report/html.h"
#include "harness/report/resources.h"

namespace lab::report {

namespace {

// Advance widths of Verdana at 11 px, in tenths of a pixel, of the characters from the blank to the tilde. The text is
// drawn with exactly the width that follows (textLength), so that another font is only a little wider or narrower.
constexpr std::array<unsigned char, 95> kWidths{
    39, 43, 50, 90, 70, 118, 80, 30,  50,  50, 70, 90, 40, 50, 40, 50, 70, 70, 70, 70, 70, 70, 70, 70,
    70, 70, 50, 50, 90, 90,  90, 60,  110, 75, 75, 77, 85, 70, 63, 85, 83, 46, 50, 76, 61, 93, 82, 87,
    66, 87, 76, 75, 68, 81,  75, 109, 75,  68, 75, 50, 50, 50, 90, 70, 70, 66, 69, 57, 69, 66, 39, 69,
    70, 30, 38, 65, 30, 107, 70, 67,  69,  69, 47, 57, 43, 70, 65, 90, 65, 65, 58, 70, 50, 70, 90};
/// Of any other character: the widest letter.
constexpr unsigned kOther = 118;

std::size_t bytes_of_character(std::string_view text, std::size_t at) {
  std::size_t bytes = 1;
  while (at + bytes < text.size() && (static_cast<unsigned char>(text[at + bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

/// On one line, at most kMostBadgeText characters.
std::string shown(std::string text) {
  text = printable(std::move(text));
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::size_t at = 0;
  for (std::size_t characters = 0; at < text.size() && characters < kMostBadgeText; ++characters)
    at += bytes_of_character(text, at);
  return at < text.size() ? text.substr(0, at) + "..." : text;
}

unsigned tenths_of(std::string_view text) {
  unsigned tenths = 0;
  for (std::size_t at = 0; at < text.size(); at += bytes_of_character(text, at)) {
    const auto c = static_cast<unsigned char>(text[at]);
    tenths += c >= 0x20 && c < 0x7f ? kWidths[c - 0x20] : kOther;
  }
  return tenths;
}

std::string colour_of(std::string_view name) {
  static const boost::json::object palette = boost::json::parse(resource("palette.json")).as_object();
  return std::string(palette.at(name).as_array()[0].as_string());
}

}  // namespace

std::string to_svg(const Badge& badge) {
  constexpr double kPadding = 6, kHeight = 20;
  const std::string label = shown(badge.label), message = shown(badge.message);
  const double label_text = tenths_of(label) / 10.0, message_text = tenths_of(message) / 10.0;
  const double left = label_text + 2 * kPadding, right = message_text + 2 * kPadding;
  const auto text = [&](const std::string& words, double from, double length) {
    return fmt::format("<text x=\"{:g}\" y=\"14\" textLength=\"{:g}\">{}</text>", from, length, escape_html(words));
  };
  const std::string title = escape_html(label + ": " + message);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "role=\"img\" "
      "aria-label=\"{2}\">\n<title>{2}</title>\n<clipPath id=\"round\"><rect width=\"{0:g}\" height=\"{1:g}\" "
      "rx=\"3\"/></clipPath>\n",
      left + right, kHeight, title);
  svg += fmt::format(
      "<g clip-path=\"url(#round)\"><rect width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/><rect x=\"{:g}\" width=\"{:g}\" "
      "height=\"{:g}\" fill=\"{}\"/></g>\n",
      left, kHeight, colour_of("open"), left, right, kHeight, colour_of(badge.colour));
  svg += fmt::format(
      "<g fill=\"#fff\" font-family=\"Verdana,Geneva,'DejaVu Sans',sans-serif\" font-size=\"11\">{}{}</g>\n</svg>\n",
      text(label, kPadding, label_text), text(message, left + kPadding, message_text));
  return svg;
}

Badge farm_badge(const judge::Farm& farm, std::span<const results::FarmAlarm> alarms) {
  const std::string label = farm.machines.size() == 1 ? "nights" : "farm";
  const auto open = static_cast<std::size_t>(std::ranges::count_if(alarms, &results::FarmAlarm::is_open));
  const auto silent = static_cast<std::size_t>(
      std::ranges::count_if(farm.machines, [](const judge::FarmMachine& one) { return one.silent_days > 0; }));
  std::string message = open > 0 ? counted(open, "regression") : "";
  const auto add = [&](const std::string& part) { message += (message.empty() ? "" : ", ") + part; };
  if (!farm.silent_since.empty())
    add("silent since " + farm.silent_since.substr(0, 10));
  else if (silent > 0)
    add(fmt::format("{} silent", silent));
  if (message.empty()) return {label, "fine", "good"};
  return {label, message, open > 0 ? "bad" : "weak"};
}

}  // namespace lab::report
