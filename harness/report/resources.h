/// The files a report is made of, as they were when the harness was built: the page and its charts, Vega's bundles.
#pragma once

#include <span>
#include <string_view>

namespace lab::report {

struct Resource {
  std::string_view name;     ///< without its folder: "vega.min.js", "page.css", "time.json"
  std::string_view content;  ///< a zero byte follows it
};

std::span<const Resource> resources();

/// The content of the file of that name; aborts where there is none.
std::string_view resource(std::string_view name);

}  // namespace lab::report
