#include "harness/probe/driver_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/printable.h"
#include "harness/base/utc.h"
#include "harness/probe/answers.h"
#include "harness/probe/child/protocol.h"
#include "harness/probe/column_name.h"
#include "harness/probe/driver_process.h"
#include "harness/probe/query_list.h"

namespace lab::probe {

using results::DriverColumn;

namespace {

constexpr int kProbeVersion = 2;

// Collects the output of the process of one device. Its lines are expected to be well-formed; one that is not is a
// failure.
class EventReader {
 public:
  EventReader(DriverColumn blank, const QueryList& queries, const AnswerTable& answers)
      : column_(std::move(blank)), queries_(queries), answers_(answers) {}

  void read(std::string_view line) {
    const Expected<json::value> value = parse_json(line, "event");
    Expected<ProbeEvent> event = value ? from_json<ProbeEvent>(*value) : Expected<ProbeEvent>(value.error());
    if (event)
      take(*event);
    else
      fail({"exit", fmt::format("expected an event, found '{}'", printable(std::string(line.substr(0, 80)))), ""});
  }

  // How the child ended decides whether its output is complete.
  void ended(const ChildSpec& child, const ChildOutcome& outcome) {
    if (!done_ && !column_.failure) fail(early_end(child, outcome, doing()));
    if (!done_) return;
    // Without a shim, a driver has no device where its hardware is missing.
    if (count_ == 0 && column_.driver.simulated)
      fail({"error", "the driver does not find the simulated device", printable(outcome.error_tail)});
  }

  const std::optional<Error>& fatal() const { return fatal_; }
  const std::string& note() const { return note_; }
  std::optional<std::uint64_t> device_count() const { return count_; }

  // Whether there is anything to tell: a device, or a failure before one.
  bool has_column() const { return has_device_ || column_.failure; }

  DriverColumn take_column(const std::vector<std::string>& sweep_names) {
    take_answers(sweep_names);
    return std::move(column_);
  }

 private:
  // The last event says it, unless the process was among the queries.
  std::string doing() const {
    if (answers_.step() != Step::kNone)
      return fmt::format("{} of {}", name_of(answers_.step()), describe(queries_, answers_.query()));
    return doing_;
  }

  void take(ProbeEvent& event) {
    if (event.event == "doing") {
      doing_ = event.text;
    } else if (event.event == "refusal") {
      reasons_[event.number] = event.text;
    } else if (event.event == "contradiction") {
      column_.contradictions.push_back({describe(queries_, event.number), event.text, event.kind});
    } else if (event.event == "device") {
      take_device(event.device);
    } else if (event.event == "devices") {
      count_ = event.number;
    } else if (event.event == "entry points") {
      column_.entry_points = event.names;
    } else if (event.event == "loader") {
      column_.probe["loader_version"] = event.text;
    } else if (event.event == "validation") {
      column_.validation.push_back(event.text);
    } else if (event.event == "problem") {
      take_problem(event.kind, event.text);
    } else if (event.event == "done") {
      done_ = true;
      column_.contradicted = event.number;
    }
  }

  void take_device(DeviceProperties& device) {
    has_device_ = true;
    results::DriverIdentity driver = std::move(device.driver);
    driver.manifest = column_.driver.manifest;
    driver.library = column_.driver.library;
    driver.pinned = column_.driver.pinned;
    driver.simulated = column_.driver.simulated;
    // A driver too old to report its identity is named by its library and its package.
    if (driver.id.empty() && !column_.driver.version.empty()) driver.version = column_.driver.version;
    if (driver.short_name.empty() || shares_driver_id(driver.library))
      driver.short_name = expected_driver(driver.library);
    if (driver.short_name.empty()) driver.short_name = "driver";
    column_.driver = std::move(driver);
    if (!column_.driver.simulated) column_.heaps = std::move(device.heaps);
    column_.memory_types = std::move(device.memory_types);
    column_.limits = std::move(device.limits);
  }

  void take_problem(const std::string& kind, const std::string& detail) {
    if (kind == "no loader")
      fatal_ = Error{fmt::format("no Vulkan loader: {}", detail), "python3 make.py spm install vulkan-loader"};
    else if (kind == "foreign")
      note_ = "for another word size";
    else
      fail({kind, detail, ""});
  }

  void fail(results::ProbeFailure failure) { column_.failure = std::move(failure); }

  std::string reason(std::uint16_t number) const {
    const auto found = reasons_.find(number);
    return found == reasons_.end() ? fmt::format("reason {}", number) : found->second;
  }

  // Splits the shared table. The first sweep is the article's; a query that was not asked has no row.
  void take_answers(const std::vector<std::string>& sweep_names) {
    for (std::size_t i = 1; i < sweep_names.size(); ++i) column_.sweeps.emplace_back().name = sweep_names[i];
    const std::span<const SharedAnswer> answers = answers_.answers();
    for (const ImageRun& run : queries_.images) {
      results::ImageTable table{.kind = in_words(run.kind), .rows = {}};
      table.rows.reserve(run.sizes.size());
      for (std::size_t i = 0; i < run.sizes.size(); ++i) {
        const SharedAnswer& answer = answers[run.first + i];
        if (answer.asked == 0) continue;
        const Extent& size = run.sizes[i];
        if (run.sweep == 0)
          take_article_image(size, answer);
        else
          table.rows.push_back({size.width, size.height, size.depth, needs(answer, run.sweep)});
      }
      if (!table.rows.empty()) column_.sweeps[run.sweep - 1].images.push_back(std::move(table));
    }
    for (const BufferRun& run : queries_.buffers) {
      results::BufferTable table{.kind = in_words(run.kind), .rows = {}};
      for (std::size_t i = 0; i < run.lengths.size(); ++i) {
        const SharedAnswer& answer = answers[run.first + i];
        if (answer.asked == 0) continue;
        if (run.sweep == 0)
          take_article_buffer(run.lengths[i], answer);
        else
          table.rows.push_back({run.lengths[i], needs(answer, run.sweep)});
      }
      if (!table.rows.empty()) column_.sweeps[run.sweep - 1].buffers.push_back(std::move(table));
    }
  }

  void take_article_image(const Extent& size, const SharedAnswer& answer) {
    column_.images.push_back({size.width, size.height, answer.size, answer.alignment, answer.memory_type_bits});
    if (answer.refusal != 0)
      column_.refused.push_back({fmt::format("image {}x{}", size.width, size.height), reason(answer.refusal)});
  }

  void take_article_buffer(std::uint64_t length, const SharedAnswer& answer) {
    column_.buffers.push_back({length, answer.size, answer.alignment});
    if (answer.refusal != 0) {
      column_.refused.push_back({fmt::format("buffer {}", length), reason(answer.refusal)});
      return;
    }
    std::vector<std::uint32_t>& known = column_.buffer_memory_type_bits;
    const auto at = std::ranges::lower_bound(known, answer.memory_type_bits);
    if (at == known.end() || *at != answer.memory_type_bits) known.insert(at, answer.memory_type_bits);
  }

  // Each sweep numbers its own refusals, in the order of their first use.
  results::Needs needs(const SharedAnswer& answer, std::size_t sweep) {
    results::Needs needs{answer.size, answer.alignment, answer.memory_type_bits};
    needs.dedicated = answer.dedicated > 2 ? results::Dedicated::kNo : results::Dedicated{answer.dedicated};
    if (answer.refusal == 0) return needs;
    const auto [at, is_new] = numbers_.emplace(std::pair(sweep, answer.refusal), std::uint16_t{0});
    if (is_new) {
      std::vector<std::string>& list = column_.sweeps[sweep - 1].refusals;
      at->second = static_cast<std::uint16_t>(list.size());
      list.push_back(reason(answer.refusal));
    }
    needs.refusal = at->second;
    return needs;
  }

  DriverColumn column_;
  const QueryList& queries_;
  const AnswerTable& answers_;
  std::optional<std::uint64_t> count_;
  std::optional<Error> fatal_;
  std::map<std::uint64_t, std::string> reasons_;
  std::map<std::pair<std::size_t, std::uint16_t>, std::uint16_t> numbers_;
  std::string doing_, note_;
  bool done_ = false, has_device_ = false;
};

// The variables that change how drivers lay out memory start so. Caches, logs and the choice of a device do not.
bool changes_layouts(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPrefixes{"RADV_", "INTEL_", "NVK_",     "MESA_", "ANV_",
                                                      "AMD_",  "LP_",    "NOUVEAU_", "TU_"};
  constexpr std::array<std::string_view, 3> kHarmless{"MESA_SHADER_CACHE", "MESA_LOG", "MESA_VK_DEVICE_SELECT"};
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::ranges::any_of(kPrefixes, starts) && std::ranges::none_of(kHarmless, starts);
}

void record_environment(const EnvironmentVariables& environment, DriverColumn& column) {
  const auto selects_chip = [&](const std::string& name) {
    return column.driver.simulated && column.driver.simulated->environment.contains(name);
  };
  for (const auto& [name, value] : environment)
    if (changes_layouts(name) && !selects_chip(name)) column.environment.emplace(name, printable(value));
  // Mesa's configuration files. The path of a home is nobody's business.
  const auto home = environment.find("HOME");
  std::error_code error;
  if (std::filesystem::exists("/etc/drirc", error)) column.driconf.emplace_back("/etc/drirc");
  if (home != environment.end() && std::filesystem::exists(std::filesystem::path(home->second) / ".drirc", error))
    column.driconf.emplace_back("~/.drirc");
}

const std::string& loader_of(const Manifest& manifest, const QuerySpec& spec) {
  return manifest.loader.empty() ? spec.loader : manifest.loader;
}

DriverColumn blank_column(const Manifest& manifest, const QuerySpec& spec) {
  DriverColumn column;
  column.probed_at = utc(std::time(nullptr));
  column.probe = {{"version", kProbeVersion},
                  {"loader", recorded_path(loader_of(manifest, spec), spec.home)},
                  {"loader_version", ""}};
  column.driver.manifest = recorded_path(manifest.file, spec.home);
  column.driver.library = recorded_path(manifest.library, spec.home);
  column.driver.pinned = manifest.pinned;
  column.driver.version = manifest.version;
  column.driver.simulated = manifest.simulated;
  record_environment(child_environment(manifest, spec), column);
  return column;
}

ChildSpec child_spec(const Manifest& manifest, const QuerySpec& spec, std::uint64_t device, int answers) {
  std::vector<std::string> command = manifest.starter;
  for (const std::string& word :
       {spec.child.string(), loader_of(manifest, spec), manifest.library, std::to_string(device),
        std::to_string(answers), std::string(spec.validation_layers.empty() ? "plain" : "validate")})
    command.push_back(word);
  for (const std::filesystem::path& file : spec.sweep_files) command.push_back(file);
  ChildSpec child = driver_process(std::move(command), child_environment(manifest, spec), spec.silence);
  child.kept_files = {answers};
  return child;
}

}  // namespace

EnvironmentVariables child_environment(const Manifest& manifest, const QuerySpec& spec) {
  EnvironmentVariables environment =
      driver_environment(spec.environment, manifest.file, manifest.libraries, spec.validation_layers);
  if (!manifest.preloaded.empty()) environment["LD_PRELOAD"] = manifest.preloaded;
  if (manifest.simulated) {
    // These would choose another chip than the column says.
    for (const char* name : {"INTEL_STUB_GPU_JSON", "INTEL_STUB_GPU_PLATFORM", "RADV_FORCE_FAMILY"})
      environment.erase(name);
    for (const auto& [name, value] : manifest.simulated->environment) environment[name] = value;
  }
  return environment;
}

Expected<DriverReply> query_driver(const Manifest& manifest, const QuerySpec& spec) {
  DriverReply reply;
  DriverColumn blank = blank_column(manifest, spec);
  if (manifest.foreign) {
    reply.note = "for another word size";
    return reply;
  }
  if (!manifest.problem.empty()) {
    blank.failure = {"unloadable", printable(manifest.problem), ""};
    reply.columns.push_back(std::move(blank));
    return reply;
  }
  const QueryList queries = query_list(spec.sweeps);
  std::vector<std::string> sweep_names;
  for (const std::filesystem::path& file : spec.sweep_files) sweep_names.push_back(file.stem());
  for (std::uint64_t device = 0, count = 1; device < count; ++device) {
    const auto started = std::chrono::steady_clock::now();
    const Expected<AnswerTable> answers = AnswerTable::create(queries.count);
    if (!answers) return answers.error();
    EventReader reader(blank, queries, *answers);
    ChildSpec child = child_spec(manifest, spec, device, answers->file());
    child.on_line = [&](std::string_view line) { reader.read(line); };
    const ChildOutcome outcome = run_child(child);
    // With a dynamic linker of its own, only this driver's package may lack a library.
    if (manifest.starter.empty() || outcome.end == ChildEnd::kNotStarted)
      if (std::optional<Error> error = start_error(child, outcome)) return *std::move(error);
    if (reader.fatal()) return *reader.fatal();
    reader.ended(child, outcome);
    count = reader.device_count().value_or(0);
    if (manifest.simulated)
      count = std::min<std::uint64_t>(count, 1);  // the machine's own devices come after the shim's
    if (!reader.has_column()) {
      reply.note = reader.note().empty() ? "no device" : reader.note();
      continue;
    }
    DriverColumn column = reader.take_column(sweep_names);
    column.device = static_cast<std::uint32_t>(device);
    if (!manifest.simulated)
      column.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    reply.columns.push_back(std::move(column));
  }
  return reply;
}

}  // namespace lab::probe
