#include "harness/probe/asking.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ctime>
#include <optional>
#include <utility>

#include "harness/base/utc.h"
#include "harness/probe/child_process.h"
#include "harness/probe/column_name.h"

namespace lab::probe {

namespace json = boost::json;
using results::Column;

namespace {

constexpr int kProbeVersion = 1;

// Collects what one child says. The child is ours and its lines are well-formed; one that is not ends up in json's
// exceptions, which `hear` turns into a failure.
class Listener {
 public:
  Listener(Column blank, std::chrono::milliseconds silence, Answer& answer)
      : blank_(std::move(blank)), silence_(silence), answer_(answer) {}

  void hear(std::string_view line) {
    try {
      const json::value event = json::parse(line);
      take(event.as_object());
    } catch (const std::exception&) {
      fail({"exit", fmt::format("expected an event, heard '{}'", line.substr(0, 80)), ""});
    }
  }

  // How the child ended decides whether what it said is all there is.
  void ended(const ChildEnd& end) {
    if (!done_) {
      const std::string doing = doing_.empty() ? "its first steps" : doing_;
      switch (end.kind) {
        case ChildEnd::Kind::kSignalled:
          fail({"crash", fmt::format("SIG{} in {}", signal_name(end.code), doing), end.stderr_tail});
          break;
        case ChildEnd::Kind::kSilent:
          fail({"timeout",
                fmt::format("no answer for {:g} s in {}", std::chrono::duration<double>(silence_).count(), doing),
                end.stderr_tail});
          break;
        case ChildEnd::Kind::kExited:
          fail({"exit", fmt::format("exit status {} in {}", end.code, doing), end.stderr_tail});
          break;
      }
    }
    finish_column();
    if (count_ == 0 && answer_.note.empty()) answer_.note = "no device";
  }

  const std::optional<Error>& hopeless() const { return hopeless_; }

  // The first device that no process has been asked for yet, if this one did not come to it.
  std::optional<std::uint32_t> left_over() const {
    if (done_ || !index_ || *index_ + 1 >= count_.value_or(0)) return std::nullopt;
    return *index_ + 1;
  }

 private:
  static std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name ? name : std::to_string(signal);
  }

  void take(const json::object& event) {
    const json::string& kind = event.at("event").as_string();
    if (kind == "doing") {
      doing_ = event.at("what").as_string();
    } else if (kind == "image") {
      take_image(event);
    } else if (kind == "buffer") {
      take_buffer(event);
    } else if (kind == "device") {
      take_device(event);
    } else if (kind == "asking") {
      finish_column();
      index_ = event.at("index").to_number<std::uint32_t>();
      current_ = blank_;
    } else if (kind == "devices") {
      count_ = event.at("count").to_number<std::uint32_t>();
    } else if (kind == "loader") {
      blank_.probe["loader_version"] = event.at("version");
    } else if (kind == "validation") {
      // What is said before any device holds for all of them.
      (current_ ? *current_ : blank_).validation.emplace_back(event.at("message").as_string());
    } else if (kind == "problem") {
      take_problem(std::string(event.at("kind").as_string()), std::string(event.at("detail").as_string()));
    } else if (kind == "done") {
      done_ = true;
    }
  }

  void take_device(const json::object& event) {
    Column& c = column();
    const json::object& d = event.at("driver").as_object();
    const auto text = [&](const char* name) { return std::string(d.at(name).as_string()); };
    c.driver.short_name = text("short_name");
    // A driver too old to say who it is is known by its library.
    if (c.driver.short_name.empty()) c.driver.short_name = expected_driver(c.driver.library);
    if (c.driver.short_name.empty()) c.driver.short_name = "driver";
    c.driver.version = text("version");
    c.driver.id = text("id");
    c.driver.name = text("name");
    c.driver.info = text("info");
    c.driver.conformance = text("conformance");
    c.driver.device_name = text("device_name");
    c.driver.device_type = text("device_type");
    c.driver.vendor_id = d.at("vendor_id").to_number<std::uint32_t>();
    c.driver.device_id = d.at("device_id").to_number<std::uint32_t>();
    c.driver.api_version = text("api_version");
    c.driver.driver_version = d.at("driver_version").to_number<std::uint32_t>();
    for (const json::value& heap : event.at("heaps").as_array())
      c.heaps.push_back({heap.at("size").to_number<std::uint64_t>(), flags(heap)});
    for (const json::value& type : event.at("memory_types").as_array())
      c.memory_types.push_back({type.at("heap").to_number<std::uint32_t>(), flags(type)});
    c.limits = event.at("limits").as_object();
  }

  static std::vector<std::string> flags(const json::value& of) {
    std::vector<std::string> words;
    for (const json::value& word : of.at("flags").as_array()) words.emplace_back(word.as_string());
    return words;
  }

  static std::uint64_t whole(const json::object& event, const char* name) {
    return event.at(name).to_number<std::uint64_t>();
  }

  void take_image(const json::object& event) {
    const results::ImageRow row{whole(event, "width"), whole(event, "height"), whole(event, "size"),
                                whole(event, "alignment"), event.at("memory_type_bits").to_number<std::uint32_t>()};
    column().images.push_back(row);
    take_refusal(event, fmt::format("image {}x{}", row.width, row.height));
  }

  void take_buffer(const json::object& event) {
    const results::BufferRow row{whole(event, "length"), whole(event, "size"), whole(event, "alignment")};
    column().buffers.push_back(row);
    const auto bits = event.at("memory_type_bits").to_number<std::uint32_t>();
    std::vector<std::uint32_t>& known = column().buffer_memory_type_bits;
    const auto at = std::ranges::lower_bound(known, bits);
    if (row.size != 0 && (at == known.end() || *at != bits)) known.insert(at, bits);
    take_refusal(event, fmt::format("buffer {}", row.length));
  }

  void take_refusal(const json::object& event, std::string what) {
    if (const json::value& result = event.at("refused"); !result.is_null())
      column().refused.push_back({std::move(what), std::string(result.as_string())});
  }

  void take_problem(const std::string& kind, const std::string& detail) {
    if (kind == "no loader")
      hopeless_ = Error{fmt::format("no Vulkan loader: {}", detail), "python3 make.py spm install vulkan-loader"};
    else if (kind == "foreign")
      answer_.note = "for another word size";
    else
      fail({kind, detail, ""});
  }

  // The column that is being filled; before any device it is one that only a failure makes worth keeping.
  Column& column() {
    if (!current_) current_ = blank_;
    return *current_;
  }

  void fail(results::ProbeFailure failure) { column().failure = std::move(failure); }

  void finish_column() {
    if (!current_) return;
    const auto now = std::chrono::steady_clock::now();
    current_->seconds = std::chrono::duration<double>(now - std::exchange(started_, now)).count();
    answer_.columns.push_back(std::move(*current_));
    current_.reset();
  }

  Column blank_;
  std::chrono::milliseconds silence_;
  Answer& answer_;
  std::optional<Column> current_;
  std::optional<std::uint32_t> index_, count_;
  std::optional<Error> hopeless_;
  std::string doing_;
  bool done_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// A column kept on purpose must not tell where its checkout lay.
std::string recorded(const std::filesystem::path& path, const std::filesystem::path& home) {
  const std::filesystem::path inside = path.lexically_relative(home);
  return inside.empty() || *inside.begin() == ".." ? path.string() : inside.string();
}

Column blank_column(const Manifest& manifest, const AskSpec& spec) {
  Column column;
  column.asked = utc(std::time(nullptr));
  column.probe = {{"version", kProbeVersion}, {"loader", recorded(spec.loader, spec.home)}, {"loader_version", ""}};
  column.driver.manifest = recorded(manifest.file, spec.home);
  column.driver.library = recorded(manifest.library, spec.home);
  column.driver.pinned = manifest.pinned;
  column.sweeps = spec.sweep_parameters;
  return column;
}

}  // namespace

Environment child_environment(const Manifest& manifest, const AskSpec& spec) {
  Environment environment = spec.environment;
  // What would add drivers or layers to the one that is asked.
  for (const char* name : {"VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS", "VK_LOADER_DRIVERS_SELECT",
                           "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_LAYERS_ENABLE", "VK_ADD_LAYER_PATH"})
    environment.erase(name);
  environment["VK_DRIVER_FILES"] = manifest.file;
  environment["VK_ICD_FILENAMES"] = manifest.file;  // its name for loaders before 1.3.207
  environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  environment["VK_LOADER_DISABLE_SELECT"] = "1";  // devices in the driver's own order
  environment.emplace("VK_LOADER_DEBUG", "error");
  // Nothing is drawn; Mesa need not make its cache folder in the user's home.
  environment["MESA_SHADER_CACHE_DISABLE"] = "true";
  if (!spec.validation_layers.empty()) environment["VK_LAYER_PATH"] = spec.validation_layers;
  if (!manifest.libraries.empty()) {
    std::string& paths = environment["LD_LIBRARY_PATH"];
    paths.clear();
    for (const std::string& folder : manifest.libraries) paths += (paths.empty() ? "" : ":") + folder;
  }
  return environment;
}

Expected<Answer> ask(const Manifest& manifest, const AskSpec& spec) {
  Answer answer;
  Column blank = blank_column(manifest, spec);
  if (manifest.foreign) {
    answer.note = "for another word size";
    return answer;
  }
  if (!manifest.problem.empty()) {
    blank.failure = {"unloadable", manifest.problem, ""};
    answer.columns.push_back(std::move(blank));
    return answer;
  }
  for (std::optional<std::uint32_t> first = 0; first;) {
    ChildSpec child{{spec.child, spec.loader, manifest.library, spec.sweeps_file, std::to_string(*first)},
                    child_environment(manifest, spec),
                    spec.silence};
    if (!spec.validation_layers.empty()) child.arguments.emplace_back("validate");
    Listener listener(blank, spec.silence, answer);
    const Expected<ChildEnd> end = run_child(child, [&](std::string_view line) { listener.hear(line); });
    if (!end) return end.error();
    if (listener.hopeless()) return *listener.hopeless();
    listener.ended(*end);
    first = listener.left_over();
  }
  return answer;
}

}  // namespace lab::probe
