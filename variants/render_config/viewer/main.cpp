// make.py view: renders a configuration live. --help is make.py's.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "harness/base/terminal.h"
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
  lab::open_standard_files();
  const auto done = lab::render_config::run({argv + 1, argv + argc});
  if (done) return 0;
  if (done.error().status == lab::ExitStatus::kNobodyReads) return static_cast<int>(done.error().status);
  std::fputs(fmt::format("view: error: {}\n", done.error().what).c_str(), stderr);
  const std::string hint = done.error().hint.empty() && done.error().status == lab::ExitStatus::kUsage
                               ? "python3 make.py view --help"
                               : done.error().hint;
  if (!hint.empty()) std::fputs(fmt::format("hint: {}\n", hint).c_str(), stderr);
  return static_cast<int>(done.error().status);
}
