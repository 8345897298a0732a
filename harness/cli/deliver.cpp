// deliver: brings this machine's results to the collector of a farm.
#include "harness/app/deliver.h"

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/fit.h"
#include "harness/base/interrupt.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/measure/machine.h"

namespace lab::cli {

namespace {

/// "3 results delivered to /net/lab, 1 was there already"
std::string summary_of(const std::vector<app::Delivery>& deliveries, const std::string& to) {
  std::size_t delivered = 0, there = 0;
  for (const app::Delivery& one : deliveries) {
    delivered += one.end == app::DeliveryEnd::kDelivered || one.end == app::DeliveryEnd::kSecondName;
    there += one.end == app::DeliveryEnd::kThere;
  }
  if (deliveries.empty()) return fmt::format("no new result for {}", to);
  const std::string already = there == 0 ? "" : fmt::format(", {} there already", counted(there, "was", "were"));
  return fmt::format("{} delivered to {}{}", counted(delivered, "result"), to, already);
}

Expected<ExitStatus> run_deliver(const Options& options) {
  const std::optional<std::string> to = options.value("--to");
  if (!to) return usage_error("expected --to DEST, found none", "python3 make.py deliver --to DEST");
  app::DeliverRequest request;
  request.to = *to;
  if (const auto results = options.value("--results")) request.results = *results;
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  request.machine = machine->id;
  for (const std::string& file : options.positional()) request.files.emplace_back(file);
  const InterruptGuard guard;
  request.stop_file = guard.file();
  const app::DeliverObserver observer{
      [](const std::string& sentence) { fmt::print(stderr, "deliver: {}\n", sentence); }};
  const Expected<std::vector<app::Delivery>> deliveries = app::deliver(request, observer);
  if (!deliveries) return deliveries.error();
  for (const app::Delivery& one : *deliveries)
    if (one.end == app::DeliveryEnd::kSecondName)
      fmt::print(stderr, "deliver: {}: another file of this name is there; this one is {}\n",
                 one.file.filename().string(), one.name);
  fmt::print("{}\n", summary_of(*deliveries, *to));
  if (const Expected<void> failed = app::failure_of(*deliveries, *to); !failed) return failed.error();
  return ExitStatus::kOk;
}

}  // namespace

Command deliver_command() {
  return {
      "deliver",
      "[FILE...] --to DEST [--results DIR]",
      "bring results to the collector of a farm, each once",
      {{"--to", "DEST", "the collector's results folder: DIR, ssh:HOST:DIR or s3://BUCKET/PREFIX"},
       {"--results", "DIR", "the results folder of this machine (default: results)"}},
      run_deliver,
      "Without FILE: everything of this machine that was not delivered to DEST yet. It comes to DEST/inbox/MACHINE, "
      "from where `farm collect` takes it. Whatever fails is delivered by the next call. Exit status: 0 fine, 1 "
      "something was not delivered, 2 wrong usage."};
}

}  // namespace lab::cli
