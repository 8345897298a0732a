#include "variants/render_config/language/resources.h"

#include <fmt/format.h>

namespace lab::render_config {

namespace {

void check_support(const Resource& resource, const Place& place, const RenderEnvironment& environment,
                   Problems& problems) {
  if (environment.supports(resource.format)) return;
  std::vector<std::string> supported;
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (environment.supports(static_cast<Format>(i))) supported.emplace_back(kFormats[i]);
  problems.add(place, fmt::format("expected a format that this device can draw to and sample ({}), "
                                  "found '{}'",
                                  list_of(supported), format_name(resource)));
}

void read_pixels(const Node& pixels, std::uint32_t most, const Values& values, Resource& resource) {
  if (values.items(pixels, "a width and a height").size() != 2) {
    values.problems().add(pixels.place,
                          fmt::format("expected a width and a height, found {} values", pixels.items.size()));
    return;
  }
  for (std::size_t i = 0; i < 2; ++i) resource.pixels[i] = values.whole(pixels.items[i], "a whole number", 1, most);
}

void read_size(const Node& node, std::uint32_t most_pixels, const Values& values, Resource& resource) {
  const Node* const scale = node.find("scale");
  const Node* const pixels = node.find("pixels");
  if (scale != nullptr && pixels != nullptr)
    values.problems().add(pixels->place, "expected \"scale\" or \"pixels\", found both");
  if (scale != nullptr) resource.scale = values.number(*scale, "a scale", 1.0 / 1024, 4);
  if (pixels != nullptr) read_pixels(*pixels, most_pixels, values, resource);
}

void read_resource(const Node& node, const RenderEnvironment& environment, const Values& values, Resource& resource) {
  if (!values.object(node, "a resource", {"format", "scale", "pixels"})) return;
  const Node* const format = values.needed(node, "format", "a resource");
  if (format == nullptr) return;
  values.choose(node, "format", kFormats, resource.format);
  check_support(resource, format->place, environment, values.problems());
  read_size(node, environment.most_pixels, values, resource);
}

}  // namespace

std::vector<Resource> read_resources(const std::vector<Member>& section, const RenderEnvironment& environment,
                                     const Values& values) {
  std::vector<Resource> resources;
  for (const Member& member : section)
    read_resource(member.value, environment, values,
                  resources.emplace_back(Resource{.name = member.name, .place = member.place}));
  return resources;
}

std::string format_name(const Resource& resource) {
  return std::string(kFormats[static_cast<std::size_t>(resource.format)]);
}

std::string size_name(const Resource& resource) {
  if (resource.pixels[0] != 0) return fmt::format("{} x {} pixels", resource.pixels[0], resource.pixels[1]);
  return fmt::format("a scale of {}", resource.scale);
}

}  // namespace lab::render_config
