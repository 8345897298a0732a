#include "harness/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/report/resources.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// A drawing's total width in SVG units; marks have the same size as on a desktop.
constexpr int kFileWidth = 640;

using Words = std::vector<std::pair<std::string, std::string>>;

std::string filled_in(std::string text, const Words& words) {
  for (const auto& [key, value] : words) {
    const std::string mark = "{{" + key + "}}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

void fill_in(json::value& value, const Chart& chart) {
  if (const json::string* text = value.if_string()) {
    for (const auto& [key, replacement] : chart.values)
      if (*text == "{{" + key + "}}") {
        value = replacement;
        return;
      }
    value = json::value(filled_in(std::string(*text), chart.words));
  } else if (json::array* array = value.if_array()) {
    for (json::value& inner : *array) fill_in(inner, chart);
  } else if (json::object* object = value.if_object()) {
    for (auto& [key, inner] : *object) fill_in(inner, chart);
  }
}

const json::object& palette() {
  static const json::object parsed = json::parse(resource("palette.json")).as_object();
  return parsed;
}

std::string css_block(const json::object& palette, std::size_t mode) {
  std::string css;
  for (const auto& [name, colours] : palette)
    css += fmt::format("  --{}: {};\n", std::string_view(name), std::string_view(colours.at(mode).as_string()));
  return css;
}

/// Removes layers whose own data set is empty, because Vega cannot scale fields without values.
void leave_out_empty_layers(json::object& spec, const json::object& data) {
  json::value* layers = spec.if_contains("layer");
  if (layers == nullptr) return;
  json::array kept;
  for (json::value& layer : layers->as_array()) {
    const json::value* own = layer.as_object().if_contains("data");
    const json::value* name = own == nullptr ? nullptr : own->as_object().if_contains("name");
    const json::value* rows = name == nullptr ? nullptr : data.if_contains(name->as_string());
    if (rows == nullptr || !rows->as_array().empty()) kept.push_back(std::move(layer));
  }
  *layers = std::move(kept);
}

/// Removes the layer that a reader asks for.
void leave_out_processes(json::object& spec) {
  json::value* layers = spec.if_contains("layer");
  if (layers == nullptr) return;
  const auto is_it = [](const json::value& layer) {
    const json::value* name = layer.as_object().if_contains("name");
    return name != nullptr && name->as_string() == "processes";
  };
  json::array& all = layers->as_array();
  all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
}

/// Removes the rows of other variants.
void keep_rows(json::object& spec, const std::vector<std::string>& variants) {
  for (const char* name : {"rows", "published"}) {
    json::value* rows = spec["datasets"].as_object().if_contains(name);
    if (rows == nullptr) continue;
    json::array kept;
    for (json::value& row : rows->as_array())
      if (std::ranges::find(variants, std::string_view(row.at("variant").as_string())) != variants.end())
        kept.push_back(std::move(row));
    *rows = std::move(kept);
  }
  leave_out_empty_layers(spec, spec["datasets"].as_object());
}

}  // namespace

json::object specification(const Chart& chart) {
  json::object spec = json::parse(resource(chart.spec + ".json")).as_object();
  json::value filled = std::move(spec);
  fill_in(filled, chart);
  spec = std::move(filled.as_object());
  spec.erase("title");
  leave_out_empty_layers(spec, chart.data);
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v5.json";
  spec["width"] = "container";
  spec["background"] = nullptr;
  spec["datasets"] = chart.data;
  if (!chart.choices.empty()) spec["usermeta"] = chart.choices;
  if (chart.variants.size() > 1) spec["usermeta"] = json::object{{"variants", json::value_from(chart.variants)}};
  json::object ranked;
  if (!chart.first.empty()) ranked["first"] = json::value_from(chart.first);
  if (!chart.processes.empty()) ranked["processes"] = chart.processes;
  if (!ranked.empty()) spec["usermeta"] = std::move(ranked);
  if (chart.processes.empty()) leave_out_processes(spec);
  spec["config"] = json::parse(resource("theme.json"));
  return spec;
}

json::object drawing_specification(const Chart& chart, DrawingTarget place) {
  json::object spec = specification(chart);
  spec["width"] = kFileWidth;
  spec.erase("usermeta");
  leave_out_processes(spec);
  if (chart.variants.size() > 1) keep_rows(spec, {chart.variants.front()});
  if (!chart.first.empty() && place == DrawingTarget::kPage) keep_rows(spec, chart.first);
  if (place == DrawingTarget::kPage) return spec;
  spec["background"] = "var(--paper)";
  spec["padding"] = 12;
  spec["title"] = json::object{{"text", chart.title}, {"subtitle", chart.note}};
  return json::parse(with_light_colours(json::serialize(spec))).as_object();
}

void set_unit(Chart& chart, const AxisUnit& unit, const std::string& axis) {
  chart.words.emplace_back(axis + "unit", unit.name);
  chart.words.emplace_back(axis + "unit_size", fmt::format("{}", unit.size));
}

std::string palette_css() {
  const json::object palette = json::parse(resource("palette.json")).as_object();
  return fmt::format(
      ":root {{\n  color-scheme: light dark;\n{}}}\n@media screen and (prefers-color-scheme: dark) {{\n:root "
      "{{\n{}}}\n}}\n",
      css_block(palette, 0), css_block(palette, 1));
}

std::string with_light_colours(std::string_view text) {
  static constexpr std::string_view kOpen = "var(--";
  std::string out;
  for (;;) {
    const std::size_t at = text.find(kOpen);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t close = text.find(')', at);
    const std::string_view name = text.substr(at + kOpen.size(), close - at - kOpen.size());
    const json::value* colours = palette().if_contains(name);
    const std::string_view whole = text.substr(at, close == std::string_view::npos ? close : close - at + 1);
    out += colours == nullptr ? whole : std::string_view(colours->at(0).as_string());
    if (close == std::string_view::npos) return out;
    text.remove_prefix(close + 1);
  }
}

}  // namespace lab::report
