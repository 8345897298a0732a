#include "harness/cli/advise.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/cli/wrong_answers.h"
#include "harness/probe/advise.h"
#include "harness/report/advice_text.h"
#include "harness/results/article.h"

namespace lab::cli {

namespace {

// The columns for the advice: asked now, or read from a folder of an atlas.
Expected<std::vector<results::DriverColumn>> advised_columns(const command::Options& options,
                                                             const probe::Program& program,
                                                             const probe::ProbeSpec& spec) {
  const std::optional<std::string> folder = options.value("--column");
  if (!folder) return probe::ask_for(program, spec);
  const Expected<results::DriverColumn> column = results::load_column(*folder);
  if (!column) return column.error();
  return std::vector{*column};
}

// How the column's driver is asked for exactly the program's resources. A simulated device needs its packages first.
std::string how_to_ask(const results::DriverColumn& column, const std::string& file, const probe::ProbeSpec& spec) {
  if (column.imported)
    return "an imported column has the article's images and buffers alone; without --column, this machine's drivers "
           "are asked";
  std::error_code missing;
  const bool ready = !column.driver.simulated || std::filesystem::exists(spec.shims / "built", missing);
  return fmt::format("{}python3 make.py probe --advise {} --driver {}",
                     ready ? "" : "python3 make.py spm install-group simulated-devices && python3 make.py build && ",
                     file, column.name);
}

}  // namespace

Expected<ExitStatus> advise_and_print(const command::Options& options, const std::string& file,
                                      const probe::ProbeSpec& spec) {
  const Expected<probe::Program> program = probe::load_program(file);
  if (!program) return program.error();
  const Expected<probe::Sweep> article = probe::load_sweep(spec.sweep_files.front());
  if (!article) return article.error();
  const Expected<std::vector<results::Article>> articles = results::load_articles(root_dir());
  if (!articles) return articles.error();
  const Expected<std::vector<results::DriverColumn>> columns = advised_columns(options, *program, spec);
  if (!columns) return columns.error();
  if (columns->empty()) fmt::print(stderr, "probe: no Vulkan driver on this machine has a device: no advice\n");

  ExitStatus status = ExitStatus::kOk;
  bool first = true;
  for (const results::DriverColumn& column : *columns) {
    Expected<results::Advice> advice = probe::advise(*program, column, *article);
    if (column.failure || print_wrong_answers(column)) status = ExitStatus::kFailed;
    if (!advice) {
      Error problem = advice.error();
      if (options.has("--column") && problem.hint.empty()) problem.hint = how_to_ask(column, file, spec);
      if (columns->size() == 1 && !column.failure) return problem;
      fmt::print(stderr, "probe: {}: no advice: {}\n", column.name,
                 column.failure ? column.failure->detail : advice.error().what);
      status = ExitStatus::kFailed;
      continue;
    }
    advice->errata = report::advice_errata(*advice, *articles);
    if (options.has("--format"))
      fmt::print("{}", report::to_json(*advice));
    else
      fmt::print("{}{}", first ? "" : "\n", report::to_text(*advice, output_width(STDOUT_FILENO)));
    first = false;
  }
  return status;
}

}  // namespace lab::cli
