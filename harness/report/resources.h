/// Files embedded at build time for reports: the page, its charts, and Vega's bundles.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lab::report {

struct Resource {
  std::string_view name;     ///< without its folder: "vega.min.js", "page.css", "time.json"
  std::string_view content;  ///< followed by a zero byte
};

std::span<const Resource> resources();

/// The content of the file `name`; aborts if it does not exist.
std::string_view resource(std::string_view name);

/// From now on, resource() reads the files that are in `folder` or in its folder charts, as they are at that time. For
/// `serve --develop`: whatever was read stays in memory. May be called beside resource().
void read_resources_from(std::string folder);

}  // namespace lab::report
