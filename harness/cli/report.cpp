// report: writes pages, charts and a summary from a result and the atlas in its folder. Standard output has the
// page's path.
#include "harness/app/report.h"

#include <fmt/format.h>

#include "harness/cli/commands.h"

namespace lab::cli {

namespace {

Expected<ExitStatus> run_report(const Options& options) {
  app::ReportRequest request{
      .results = options.positional(), .base = options.value("--base"), .single_file = options.has("--single-file")};
  request.alone = options.has("--alone");
  if (const std::optional<std::string> out = options.value("--out")) request.out = *out;
  return app::report(request, [](const report::ReportFiles& files) {
    fmt::print(stderr, "report: {} and {}, {}\n", files.index.filename().string(), files.summary.filename().string(),
               files.charts.size() == 1 ? "1 chart" : fmt::format("{} charts", files.charts.size()));
    fmt::print("{}\n", files.index.string());
  });
}

}  // namespace

Command report_command() {
  return {"report",
          "[RESULT...] [--alone] [--base RESULT] [--out DIR] [--single-file]",
          "write pages, charts and a summary of a result and its machine's drivers",
          {{"--alone", "", "report the newest session without the others of its commit"},
           {"--base", "RESULT", "compare with this result (default: the session's own base, if any)"},
           {"--out", "DIR", "output folder (default: reports/<name of the result>)"},
           {"--single-file", "", "write all pages as one index.html that needs no other file, for mail"}},
          run_report,
          "RESULT is a file, or a machine's folder for its newest session with the others of its commit. Exit status "
          "4: the "
          "report is written, but the session is unfit, so that no time of it is judged."};
}

}  // namespace lab::cli
