#include "harness/probe/driver_query.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/utc.h"
#include "harness/probe/child/protocol.h"
#include "harness/probe/column_name.h"

namespace lab::probe {

using results::DriverColumn;

namespace {

constexpr int kProbeVersion = 1;
constexpr std::size_t kTail = 4096;
constexpr int kNotLinked = 127;  // the dynamic linker's exit status; it has reported what it did not find

// Collects the output of one child. Its lines are expected to be well-formed; one that is not is a failure.
class EventReader {
 public:
  EventReader(DriverColumn blank, DriverReply& reply) : blank_(std::move(blank)), reply_(reply) {}

  void read(std::string_view line) {
    const Expected<json::value> value = parse_json(line, "event");
    Expected<ProbeEvent> event = value ? from_json<ProbeEvent>(*value) : Expected<ProbeEvent>(value.error());
    if (event)
      take(*event);
    else
      fail({"exit", fmt::format("expected an event, found '{}'", line.substr(0, 80)), ""});
  }

  // How the child ended decides whether its output is complete.
  void ended(const ChildSpec& child, const ChildOutcome& outcome) {
    if (!done_) {
      const std::string doing = doing_.empty() ? "its first steps" : doing_;
      if (outcome.end == ChildEnd::kSignalled)
        fail({"crash", fmt::format("SIG{} in {}", signal_name(outcome.code), doing), outcome.error_tail});
      else if (outcome.end == ChildEnd::kSilent)
        fail({"timeout", fmt::format("no answer for {:g} s in {}", child.silence_seconds, doing), outcome.error_tail});
      else
        fail({"exit", fmt::format("{} in {}", describe_end(child, outcome), doing), outcome.error_tail});
    }
    finish_column();
    if (count_ == 0 && reply_.note.empty()) reply_.note = "no device";
  }

  const std::optional<Error>& fatal() const { return fatal_; }

  // The first device left for another process; none if this one reached the last.
  std::optional<std::uint32_t> next_device() const {
    if (done_ || !index_ || *index_ + 1 >= count_.value_or(0)) return std::nullopt;
    return *index_ + 1;
  }

 private:
  static std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name ? name : std::to_string(signal);
  }

  void take(ProbeEvent& event) {
    if (event.event == "doing") {
      doing_ = event.text;
    } else if (event.event == "image") {
      column().images.push_back(event.image);
      take_refusal(event, fmt::format("image {}x{}", event.image.width, event.image.height));
    } else if (event.event == "buffer") {
      take_buffer(event);
    } else if (event.event == "device") {
      take_device(event.device);
    } else if (event.event == "asking") {
      finish_column();
      index_ = event.number;
      current_ = blank_;
    } else if (event.event == "devices") {
      count_ = event.number;
    } else if (event.event == "loader") {
      blank_.probe["loader_version"] = event.text;
    } else if (event.event == "validation") {
      // Messages before any device apply to all devices.
      (current_ ? *current_ : blank_).validation.push_back(event.text);
    } else if (event.event == "problem") {
      take_problem(event.kind, event.text);
    } else if (event.event == "done") {
      done_ = true;
    }
  }

  void take_device(DeviceProperties& device) {
    DriverColumn& c = column();
    results::DriverIdentity driver = std::move(device.driver);
    driver.manifest = c.driver.manifest;
    driver.library = c.driver.library;
    driver.pinned = c.driver.pinned;
    // A driver too old to report its identity is named by its library.
    if (driver.short_name.empty()) driver.short_name = expected_driver(driver.library);
    if (driver.short_name.empty()) driver.short_name = "driver";
    c.driver = std::move(driver);
    c.heaps = std::move(device.heaps);
    c.memory_types = std::move(device.memory_types);
    c.limits = std::move(device.limits);
  }

  void take_buffer(const ProbeEvent& event) {
    column().buffers.push_back(event.buffer);
    const std::uint32_t bits = event.buffer_memory_type_bits;
    std::vector<std::uint32_t>& known = column().buffer_memory_type_bits;
    const auto at = std::ranges::lower_bound(known, bits);
    if (event.buffer.size != 0 && (at == known.end() || *at != bits)) known.insert(at, bits);
    take_refusal(event, fmt::format("buffer {}", event.buffer.length));
  }

  void take_refusal(const ProbeEvent& event, std::string what) {
    if (event.refused) column().refused.push_back({std::move(what), *event.refused});
  }

  void take_problem(const std::string& kind, const std::string& detail) {
    if (kind == "no loader")
      fatal_ = Error{fmt::format("no Vulkan loader: {}", detail), "python3 make.py spm install vulkan-loader"};
    else if (kind == "foreign")
      reply_.note = "for another word size";
    else
      fail({kind, detail, ""});
  }

  // The current column. Before any device it is a blank one, which is kept only if it gets a failure.
  DriverColumn& column() {
    if (!current_) current_ = blank_;
    return *current_;
  }

  void fail(results::ProbeFailure failure) { column().failure = std::move(failure); }

  void finish_column() {
    if (!current_) return;
    const auto now = std::chrono::steady_clock::now();
    current_->seconds = std::chrono::duration<double>(now - std::exchange(started_, now)).count();
    reply_.columns.push_back(std::move(*current_));
    current_.reset();
  }

  DriverColumn blank_;
  DriverReply& reply_;
  std::optional<DriverColumn> current_;
  std::optional<std::uint32_t> index_, count_;
  std::optional<Error> fatal_;
  std::string doing_;
  bool done_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// A published column must not reveal the path of its checkout.
std::string recorded(const std::filesystem::path& path, const std::filesystem::path& home) {
  const std::filesystem::path inside = path.lexically_relative(home);
  return inside.empty() || *inside.begin() == ".." ? path.string() : inside.string();
}

DriverColumn blank_column(const Manifest& manifest, const QuerySpec& spec) {
  DriverColumn column;
  column.probed_at = utc(std::time(nullptr));
  column.probe = {{"version", kProbeVersion}, {"loader", recorded(spec.loader, spec.home)}, {"loader_version", ""}};
  column.driver.manifest = recorded(manifest.file, spec.home);
  column.driver.library = recorded(manifest.library, spec.home);
  column.driver.pinned = manifest.pinned;
  column.sweeps = spec.sweep_parameters;
  return column;
}

ChildSpec child_spec(const Manifest& manifest, const QuerySpec& spec, std::uint32_t first_device) {
  ChildSpec child;
  child.command = {spec.child, spec.loader, manifest.library, spec.sweeps_file, std::to_string(first_device)};
  if (!spec.validation_layers.empty()) child.command.emplace_back("validate");
  for (const auto& [name, value] : child_environment(manifest, spec))
    child.environment.push_back(fmt::format("{}={}", name, value));
  child.inherits_environment = false;
  child.timeout_seconds = std::numeric_limits<double>::infinity();
  child.silence_seconds = std::chrono::duration<double>(spec.silence).count();
  child.tail_limit = kTail;
  child.core_dump = false;  // a driver's crash is recorded as a result; its core dump is not needed
  return child;
}

}  // namespace

EnvironmentVariables child_environment(const Manifest& manifest, const QuerySpec& spec) {
  EnvironmentVariables environment = spec.environment;
  // These would add drivers or layers to the queried one.
  for (const char* name : {"VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS", "VK_LOADER_DRIVERS_SELECT",
                           "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_LAYERS_ENABLE", "VK_ADD_LAYER_PATH"})
    environment.erase(name);
  environment["VK_DRIVER_FILES"] = manifest.file;
  environment["VK_ICD_FILENAMES"] = manifest.file;  // its name for loaders before 1.3.207
  environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  environment["VK_LOADER_DISABLE_SELECT"] = "1";  // devices in the driver's own order
  environment.emplace("VK_LOADER_DEBUG", "error");
  // Nothing is drawn, so Mesa does not need its cache folder in the user's home.
  environment["MESA_SHADER_CACHE_DISABLE"] = "true";
  if (!spec.validation_layers.empty()) environment["VK_LAYER_PATH"] = spec.validation_layers;
  if (!manifest.libraries.empty()) {
    std::string& paths = environment["LD_LIBRARY_PATH"];
    paths.clear();
    for (const std::string& folder : manifest.libraries) paths += (paths.empty() ? "" : ":") + folder;
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
    blank.failure = {"unloadable", manifest.problem, ""};
    reply.columns.push_back(std::move(blank));
    return reply;
  }
  for (std::optional<std::uint32_t> first = 0; first;) {
    EventReader reader(blank, reply);
    ChildSpec child = child_spec(manifest, spec, *first);
    child.on_line = [&](std::string_view line) { reader.read(line); };
    const ChildOutcome outcome = run_child(child);
    const bool not_linked = outcome.end == ChildEnd::kExited && outcome.code == kNotLinked;
    if (not_linked || outcome.end == ChildEnd::kNotStarted)
      return Error{not_linked ? fmt::format("starting '{}': {}", spec.child.string(), outcome.error_tail)
                              : describe_end(child, outcome),
                   "python3 make.py build"};
    if (reader.fatal()) return *reader.fatal();
    reader.ended(child, outcome);
    first = reader.next_device();
  }
  return reply;
}

}  // namespace lab::probe
