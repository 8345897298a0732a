// make.py view: renders a configuration live. --help is make.py's.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "variants/render_config/viewer/viewer.h"
#include "variants/vulkan/driver_process.h"

namespace lab::render_config {

namespace {

Expected<void> run(const std::vector<std::string>& words) {
  const auto options = parse_options(words);
  if (!options) return options.error();
  const auto loader = vulkan::enter_driver(options->driver);
  if (!loader) return loader.error();
  return view(*options, *loader);
}

}  // namespace

}  // namespace lab::render_config

int main(int argc, char** argv) {
  const auto done = lab::render_config::run({argv + 1, argv + argc});
  if (done) return 0;
  fmt::print(stderr, "view: error: {}\n", done.error().what);
  const std::string hint = done.error().hint.empty() && done.error().status == lab::ExitStatus::kUsage
                               ? "python3 make.py view --help"
                               : done.error().hint;
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
  return static_cast<int>(done.error().status);
}
