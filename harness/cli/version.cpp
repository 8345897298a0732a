#include "harness/cli/version.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/bench/variant.h"
#include "harness/measure/provenance.h"
#include "harness/results/result.h"

namespace lab::cli {

std::string version_text(const std::filesystem::path& root, const std::filesystem::path& build_dir) {
  std::string text = fmt::format("allocation laboratory {}\n", LAB_VERSION);
  const results::Source source = measure::read_source(root);
  if (source.commit) text += fmt::format("checkout at commit {} ({})\n", *source.commit, source.state);
  text += fmt::format("result schema {}, protocol {}\n", results::kSchema, bench::kProtocol);
  if (const Expected<results::Build> build = measure::read_build(build_dir))
    text += fmt::format("built by {} ({}, {}, {})\n", build->compiler, build->toolchain, build->config, build->march);
  return text;
}

}  // namespace lab::cli
