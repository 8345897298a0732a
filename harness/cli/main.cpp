#include <string>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/cli/commands.h"
#include "harness/cli/version.h"

int main(int argc, char** argv) {
  using namespace lab::cli;
  lab::open_standard_files();
  const std::vector<Command> commands{
      list_command(),         run_command(),     probe_command(),   compare_command(), history_command(),
      farm_command(),         bundle_command(),  bisect_command(),  report_command(),  nightly_command(),
      changepoints_command(), results_command(), deliver_command(), serve_command(),
  };
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(
      lab::command::dispatch(commands, arguments, [] { return version_text(lab::root_dir(), lab::build_dir()); }));
}
