// bundle: packs this build into one file for machines without Python, git, compiler and network.
#include "harness/app/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <cstdlib>
#include <string>

#include "harness/base/fit.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"

namespace lab::cli {

namespace {

constexpr double kMega = 1e6;

Expected<ExitStatus> run_bundle(const Options& options) {
  if (options.positional().size() != 1)
    return usage_error(fmt::format("expected one FILE, found {}", counted(options.positional().size(), "word")),
                       "python3 make.py bundle FILE");
  StatusLine line(STDERR_FILENO);
  app::BundleRequest request{options.positional().front(), options.values("--variant")};
  // make.py says what it built from.
  if (const char* const groups = std::getenv("LAB_BUILD_GROUPS"))
    boost::split(request.groups, std::string(groups), boost::is_any_of(","));
  const app::BundleObserver observer{[&](std::string_view doing, std::uint64_t done, std::uint64_t all) {
    const double percent = all == 0 ? 0 : 100. * static_cast<double>(done) / static_cast<double>(all);
    line.show(all == 0 ? fmt::format("bundle: {}", doing) : fmt::format("bundle: {}, {:.0f} %", doing, percent));
  }};
  const Expected<app::BundleOutcome> outcome = app::make_bundle(request, observer);
  line.clear();
  if (!outcome) return outcome.error();
  if (!outcome->left_out.empty())
    line.print(fmt::format("bundle: left out, because they are not built: {}", first_names(outcome->left_out)));
  if (!outcome->remark.empty()) line.print("bundle: " + outcome->remark);
  fmt::print("{}: {:.0f} MB, {} of {} and what they need, {:.0f} MB unpacked\n", request.file.string(),
             static_cast<double>(outcome->packed) / kMega, counted(outcome->files, "file"),
             counted(outcome->variants, "variant"), static_cast<double>(outcome->unpacked) / kMega);
  fmt::print("there: {} unpack DIR, then DIR/lab run, probe, report or deliver\n",
             request.file.has_parent_path() ? request.file.string() : "./" + request.file.string());
  return ExitStatus::kOk;
}

}  // namespace

Command bundle_command() {
  return {"bundle",
          "FILE [--variant GLOB]...",
          "pack this build into one file, for machines without Python, git, compiler and network",
          {{"--variant", "GLOB", "only these variants (family/variant); the default is all"}},
          run_bundle,
          "FILE is a program: FILE unpack DIR verifies and unpacks the bundle, and DIR/lab run, probe, report and "
          "deliver work there, in a folder that may be read-only. It runs on x86-64 Linux; where the C library is "
          "older than the pinned one, it uses its own."};
}

}  // namespace lab::cli
