// serve: a page over all machines of a results folder, which changes as results come.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "harness/app/live.h"
#include "harness/base/interrupt.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/report/resources.h"
#include "harness/serve/access.h"
#include "harness/serve/farm_site.h"
#include "harness/serve/farm_watcher.h"
#include "harness/serve/http_server.h"

namespace lab::cli {

namespace {

constexpr int kDefaultPort = 8323;

Expected<serve::ServerOptions> server_options(const Options& options) {
  serve::ServerOptions server;
  int port = kDefaultPort;
  if (const Expected<void> read = options.read("--port", port, 0, 65535); !read) return read.error();
  server.port = static_cast<std::uint16_t>(port);
  if (const auto address = options.value("--listen")) {
    server.address = *address;
    server.rules.addresses.push_back(address->find(':') == std::string::npos ? *address
                                                                             : fmt::format("[{}]", *address));
  }
  for (std::string host : options.values("--allow-host")) {
    std::ranges::transform(host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (host.empty() || host.find_first_of("/:* ") != std::string::npos)
      return usage_error(fmt::format("--allow-host: expected a name without scheme and port, found '{}'", host),
                         "--allow-host farm.example.org");
    server.rules.hosts.push_back(std::move(host));
  }
  if (const auto file = options.value("--token")) {
    Expected<std::string> token = serve::read_token(*file);
    if (!token) return token.error();
    server.rules.token = std::move(*token);
  }
  return server;
}

std::string address_of(const serve::ServerOptions& options, std::uint16_t port) {
  const bool is_ipv6 = options.address.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("http://[{}]:{}/", options.address, port)
                 : fmt::format("http://{}:{}/", options.address, port);
}

Expected<ExitStatus> run_serve(const Options& options) {
  if (const auto none = options.refuse_arguments("serve", "python3 make.py serve --results DIR"); !none)
    return none.error();
  const std::filesystem::path results =
      std::filesystem::absolute(options.value("--results").value_or(results_dir().string()));
  if (!std::filesystem::is_directory(results))
    return usage_error(fmt::format("--results: expected a folder, found none: '{}'", results.string()),
                       "python3 make.py run");
  Expected<serve::ServerOptions> server_options = cli::server_options(options);
  if (!server_options) return server_options.error();
  const std::optional<std::string> develop = options.value("--develop");
  if (develop && !std::filesystem::is_directory(*develop))
    return usage_error(fmt::format("--develop: expected a folder, found none: '{}'", *develop),
                       "--develop harness/report/page");
  if (develop) report::read_resources_from(std::filesystem::absolute(*develop).string());

  app::LiveFarm farm({results});
  serve::FarmSite site(farm, results, {develop.has_value(), server_options->rules.token.has_value()});
  Expected<std::unique_ptr<serve::HttpServer>> server = serve::HttpServer::listen(*server_options, site);
  if (!server) return server.error();
  const InterruptGuard guard;
  std::mutex output;
  const auto tell = [&](std::string event) { (*server)->send(std::move(event)); };
  const serve::FarmWatcher watcher(farm, results, site, tell, [&](const std::string& sentence) {
    const std::scoped_lock lock(output);
    fmt::print(stderr, "serve: {}\n", sentence);
  });
  std::optional<serve::DevelopWatcher> developing;
  if (develop) developing.emplace(*develop, tell);
  fmt::print("serve: {}\n", address_of(*server_options, (*server)->port()));
  std::fflush(stdout);
  (*server)->run(guard.file());
  return ExitStatus::kOk;
}

}  // namespace

Command serve_command() {
  return {
      "serve",
      "[--results DIR] [--port N]",
      "show all machines of a results folder on a page that changes as results come",
      {{"--results", "DIR", "the results folder, with one subfolder per machine (default: results)"},
       {"--port", "N", fmt::format("the port; 0: one that is free (default: {})", kDefaultPort)},
       {"--listen", "ADDRESS", "an IP address of this host (default: 127.0.0.1)"},
       {"--allow-host", "NAME", "another name by which browsers reach this page, such as that of a proxy; repeatable"},
       {"--token", "FILE", "who has the token in this file may acknowledge alarms (default: reading only)"},
       {"--develop", "DIR", "take scripts, styles and charts from here, and show each as it is saved"}},
      run_serve,
      "Nothing is written but the index of the results. Whoever reaches the page may read it: to show it to others, "
      "put a proxy with TLS and passwords before it. Addresses on the page are relative, so the proxy may put it "
      "below any path. While a session runs on this host, new results wait until it has ended. Ends by SIGINT or "
      "SIGTERM with status 0."};
}

}  // namespace lab::cli
