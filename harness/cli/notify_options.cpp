#include "harness/cli/notify_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/base/printable.h"
#include "harness/base/usage_error.h"

namespace lab::cli {

std::vector<command::Option> notify_options(const std::string& before) {
  return {{"--notify", "COMMAND", before + "sh runs it once for each new thing to tell, a JSON object on its input"},
          {"--page", "ADDRESS", before + "of the pages to which these objects point, https://..."}};
}

Expected<std::optional<app::NotifyRequest>> notify_request(const command::Options& options) {
  const std::optional<std::string> command = options.value("--notify"), page = options.value("--page");
  if (page && !command) return usage_error("--page is for what --notify tells, found no --notify", "leave out --page");
  if (!command) return std::optional<app::NotifyRequest>();
  const auto is_plain = [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '?' && c != '#'; };
  if (page &&
      ((!page->starts_with("https://") && !page->starts_with("http://")) || !std::ranges::all_of(*page, is_plain)))
    return usage_error(fmt::format("--page: expected an address that begins with http:// or https://, without blanks, "
                                   "? and #, found '{}'",
                                   printable(*page)),
                       "--page https://lab.example/farm");
  return std::optional(app::NotifyRequest{*command, page.value_or("")});
}

}  // namespace lab::cli
