#include "variants/object_visibility/family/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "harness/base/usage_error.h"

namespace lab::object_visibility {

namespace {

double distance_between(const Location& camera, const Location& object) {
  const double x = camera[0] - object[0], y = camera[1] - object[1], z = camera[2] - object[2];
  return std::sqrt(x * x + y * y + z * z);
}

bool is_one_line(std::string_view text) {
  return text.find_first_of("\r\n") == std::string_view::npos;
}

}  // namespace

Expected<void> check_scene(const SceneFile& scene) {
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const SceneObject& object = scene.objects[i];
    if (object.index > kMostId)
      return usage_error(fmt::format("objects[{}].index: expected at most {}, found {}", i, kMostId, object.index));
    if (!is_one_line(object.name)) return usage_error(fmt::format("objects[{}].name: expected one line", i));
    if (!is_one_line(object.description))
      return usage_error(fmt::format("objects[{}].description: expected one line", i));
  }
  return {};
}

std::vector<PlacedObject> nearest_first(const SceneFile& scene) {
  std::vector<PlacedObject> placed;
  for (const SceneObject& object : scene.objects)
    if (object.index != kBackground)
      placed.push_back({object, distance_between(scene.camera.location, object.location)});
  std::ranges::stable_sort(placed, {}, &PlacedObject::distance);
  return placed;
}

std::uint32_t largest_index(const SceneFile& scene) {
  std::uint32_t largest = 0;
  for (const SceneObject& object : scene.objects) largest = std::max(largest, object.index);
  return largest;
}

std::set<std::uint32_t> visible_ids(const Counts& counts, std::uint64_t pixels, double threshold) {
  std::set<std::uint32_t> visible;
  for (std::uint32_t id = 1; id < counts.size(); ++id)
    if (static_cast<double>(counts[id]) / static_cast<double>(pixels) > threshold) visible.insert(id);
  return visible;
}

std::string prompt_text(const std::vector<PlacedObject>& objects, const std::set<std::uint32_t>& visible) {
  std::string text;
  for (const PlacedObject& placed : objects)
    if (visible.contains(placed.object.index)) text += placed.object.description + ",\n";
  return text;
}

std::string properties_text(const std::vector<PlacedObject>& objects) {
  std::string text;
  for (const auto& [object, distance] : objects) {
    const std::string key = fmt::format("objects.{}.", object.index);
    text += fmt::format("{0}index = {1}\n{0}description = {2}\n{0}name = {3}\n{0}distance = {4}\n", key, object.index,
                        object.description, object.name, python_float(distance));
  }
  return text;
}

std::string python_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // "-1.25e-07": a sign, the digits and the exponent.
  std::array<char, 32> buffer;
  const std::to_chars_result end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view whole(buffer.data(), end.ptr);
  const std::size_t e = whole.find('e');
  const std::string sign(whole.starts_with('-') ? "-" : "");
  std::string digits(whole.substr(sign.size(), e - sign.size()));
  std::erase(digits, '.');
  int exponent = 0;
  const std::size_t number = e + (whole[e + 1] == '+' ? 2 : 1);
  std::from_chars(whole.data() + number, whole.data() + whole.size(), exponent);
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16)
    return fmt::format("{}{}{}{}e{}{:02}", sign, digits[0], count > 1 ? "." : "", digits.substr(1),
                       exponent < 0 ? '-' : '+', std::abs(exponent));
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + ".0";
  return sign + digits.substr(0, static_cast<std::size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<std::size_t>(exponent) + 1);
}

}  // namespace lab::object_visibility
