#include "variants/render_config/language/read_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>

#include "harness/base/nearest.h"
#include "harness/base/printable.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostPasses = 256, kMostRuns = 1024, kMostFiles = 64, kMostNames = 1024;

/// The sections of a render config and of the files that it extends and names, merged.
struct Sections {
  std::vector<Member> settings, resources, views, layers, generators, shaders, materials;
  std::optional<Node> frame, output;
  Place place;  ///< of the file that was asked for
};

/// Keeps the first problem; what is read after it does not matter.
class Problems {
 public:
  void add(const Place& place, const std::string& sentence, std::string hint = "") {
    if (!first_) first_ = problem_at(place, sentence, std::move(hint));
  }
  void add(const Error& error) {
    if (!first_) first_ = error;
  }
  bool any() const { return first_.has_value(); }
  const Error& first() const { return *first_; }

 private:
  std::optional<Error> first_;
};

std::string list_of(std::span<const std::string> names) {
  constexpr std::size_t kShown = 24;
  if (names.empty()) return "none exists";
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, and {} more", fmt::join(names.first(kShown), ", "), names.size() - kShown);
}

template <typename Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}

class Reader {
 public:
  Reader(const RenderEnvironment& environment, FileSet& files) : environment_(environment), files_(files) {}

  Expected<Config> read(const std::filesystem::path& file) {
    read_root(file);
    if (!problems_.any()) check_settings();
    if (!problems_.any()) read_sections();
    if (!problems_.any()) check_frame();
    if (problems_.any()) return problems_.first();
    return std::move(config_);
  }

 private:
  // ---- Files and their sections.

  void read_root(const std::filesystem::path& file) {
    sections_.place = {file.string(), 1};
    const std::optional<Node> root = parse(file, sections_.place, "");
    if (!root) return;
    if (root->find("render_config") == nullptr) {
      merge(*root);
      return;
    }
    known(*root, {"render_config", "settings"});
    const Node& target = *root->find("render_config");
    const std::filesystem::path path = path_in(target);
    if (path.empty()) return;
    reading_.push_back(file);
    if (const std::optional<Node> render_config = parse(path, target.place, "a render config")) merge(*render_config);
    if (const Node* const overrides = root->find("settings")) override_settings(*overrides);
  }

  // The object in a file, or nothing and a problem at `from`, which names it.
  std::optional<Node> parse(const std::filesystem::path& file, const Place& from, const std::string& expected) {
    if (std::ranges::find(reading_, file) != reading_.end()) {
      problems_.add(from, fmt::format("expected files that do not extend each other in a circle, found '{}' again",
                                      printable(file.string())));
      return std::nullopt;
    }
    if (++parsed_ > kMostFiles) {
      problems_.add(from, fmt::format("expected at most {} files, found more", kMostFiles));
      return std::nullopt;
    }
    const Expected<std::string> text = files_.read(file);
    if (!text) {
      if (expected.empty())
        problems_.add({fmt::format("{}: {}", printable(file.string()), text.error().what), "", ExitStatus::kUsage});
      else
        problems_.add(
            from, fmt::format("expected {}, found no '{}': {}", expected, printable(file.string()), text.error().what));
      return std::nullopt;
    }
    Expected<Node> root = parse_located(*text, printable(file.string()));
    if (!root) {
      problems_.add(root.error());
      return std::nullopt;
    }
    if (root->kind != Node::Kind::kObject) {
      problems_.add(root->place, fmt::format("expected an object, found {}", describe(*root)));
      return std::nullopt;
    }
    return std::move(*root);
  }

  /// A file that is named in another, relative to it.
  std::filesystem::path path_in(const Node& node) {
    const std::string name = text_of(node, "a file name");
    if (problems_.any()) return {};
    if (name.empty() || name.find('\0') != std::string::npos) {
      problems_.add(node.place, fmt::format("expected a file name, found {}", describe(node)));
      return {};
    }
    return (std::filesystem::path(node.place.file).parent_path() / name).lexically_normal();
  }

  void merge(const Node& root) {
    known(root, {"extends", "shader_libraries", "settings", "global_resources", "views", "layers",
                 "resource_generators", "frame", "output"});
    if (problems_.any()) return;
    reading_.emplace_back(root.place.file);
    if (const Node* const base = root.find("extends"))
      if (const std::filesystem::path path = path_in(*base); !path.empty())
        if (const std::optional<Node> parsed = parse(path, base->place, "a render config to extend")) merge(*parsed);
    if (const Node* const libraries = root.find("shader_libraries"))
      for (const Node& library : items_of(*libraries, "file names of shader libraries"))
        if (const std::filesystem::path path = path_in(library); !path.empty())
          if (const std::optional<Node> parsed = parse(path, library.place, "a shader library")) merge_library(*parsed);
    merge(root, "settings", sections_.settings);
    merge(root, "global_resources", sections_.resources);
    merge(root, "views", sections_.views);
    merge(root, "layers", sections_.layers);
    merge(root, "resource_generators", sections_.generators);
    if (const Node* const frame = root.find("frame")) sections_.frame = *frame;
    if (const Node* const output = root.find("output")) sections_.output = *output;
    reading_.pop_back();
  }

  void merge_library(const Node& library) {
    known(library, {"shaders", "materials"});
    merge(library, "shaders", sections_.shaders);
    // Each material's layers, so that a library adds to what another gives a material.
    if (const Node* const materials = library.find("materials"))
      for (const Member& material : members_of(*materials, "materials")) {
        const auto known = std::ranges::find(sections_.materials, material.name, &Member::name);
        if (known == sections_.materials.end()) {
          sections_.materials.push_back(material);
          continue;
        }
        for (const Member& layer : members_of(material.value, "layers with shaders"))
          add_to(known->value.members, layer);
      }
  }

  void merge(const Node& root, std::string_view name, std::vector<Member>& section) {
    if (const Node* const found = root.find(name))
      for (const Member& member : members_of(*found, name)) {
        if (member.name.empty()) problems_.add(member.place, "expected a name, found ''");
        if (printable(member.name) != member.name)
          problems_.add(member.place, fmt::format("expected a name that can be shown, found '{}'", member.name));
        add_to(section, member);
      }
    if (section.size() > kMostNames)
      problems_.add(root.place, fmt::format("expected at most {} names in {}, found more", kMostNames, name));
  }

  static void add_to(std::vector<Member>& section, const Member& member) {
    const auto known = std::ranges::find(section, member.name, &Member::name);
    if (known == section.end())
      section.push_back(member);
    else
      *known = member;
  }

  void override_settings(const Node& overrides) {
    for (const Member& member : members_of(overrides, "settings")) {
      const auto known = std::ranges::find(sections_.settings, member.name, &Member::name);
      if (known == sections_.settings.end()) {
        unknown(member.place, member.name, "a setting of the render config", names_of(sections_.settings));
      } else if (known->value.kind != member.value.kind) {
        problems_.add(member.value.place,
                      fmt::format("expected {} for the setting '{}', as its default {} in {}:{}, found {}",
                                  kind_name(known->value.kind), member.name, describe(known->value),
                                  known->value.place.file, known->value.place.line, describe(member.value)));
      } else {
        known->value = member.value;
      }
    }
  }

  void check_settings() {
    for (const Member& setting : sections_.settings) {
      const Node::Kind kind = setting.value.kind;
      if (kind != Node::Kind::kBoolean && kind != Node::Kind::kNumber && kind != Node::Kind::kString)
        problems_.add(setting.value.place, fmt::format("expected a number, a boolean or a string for the setting '{}', "
                                                       "found {}",
                                                       printable(setting.name), describe(setting.value)));
    }
  }

  // ---- Values, and what is wrong with them.

  static std::string_view kind_name(Node::Kind kind) {
    constexpr std::array<std::string_view, 6> kNames{"null",     "a boolean", "a number",
                                                     "a string", "an array",  "an object"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  static std::vector<std::string> names_of(const std::vector<Member>& members) {
    std::vector<std::string> names;
    for (const Member& member : members) names.push_back(printable(member.name));
    return names;
  }
  template <typename Named>
  static std::vector<std::string> names_of(const std::vector<Named>& named) {
    std::vector<std::string> names;
    for (const Named& one : named) names.push_back(printable(one.name));
    return names;
  }

  void unknown(const Place& place, const std::string& found, std::string_view expected,
               const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(found, names);
    problems_.add(place, fmt::format("expected {} ({}), found '{}'", expected, list_of(names), printable(found)),
                  nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
  }

  void known(const Node& object, std::initializer_list<std::string_view> fields) {
    for (const Member& member : object.members)
      if (std::ranges::find(fields, member.name) == fields.end())
        unknown(member.place, member.name, "a field", strings(fields));
  }

  /// The value of "$name", as if it stood at the place of that name.
  Node resolved(const Node& node) {
    if (node.kind != Node::Kind::kString || !node.text.starts_with('$')) return node;
    const std::string name = node.text.substr(1);
    const auto found = std::ranges::find(sections_.settings, name, &Member::name);
    if (found == sections_.settings.end()) {
      unknown(node.place, name, "a setting after '$'", names_of(sections_.settings));
      return node;
    }
    Node value = found->value;
    value.place = node.place;
    return value;
  }

  bool expect(const Node& node, Node::Kind kind, std::string_view what) {
    if (node.kind == kind) return true;
    problems_.add(node.place, fmt::format("expected {}, found {}", what, describe(node)));
    return false;
  }

  std::string text_of(const Node& written, std::string_view what) {
    const Node node = resolved(written);
    return expect(node, Node::Kind::kString, what) ? node.text : "";
  }
  bool boolean_of(const Node& written, std::string_view what) {
    const Node node = resolved(written);
    return expect(node, Node::Kind::kBoolean, what) && node.boolean;
  }
  double number_of(const Node& written, std::string_view what, double least, double most) {
    const Node node = resolved(written);
    const std::string expected = fmt::format("{} from {} to {}", what, least, most);
    if (!expect(node, Node::Kind::kNumber, expected)) return least;
    if (node.number >= least && node.number <= most) return node.number;  // and not NaN
    problems_.add(node.place, fmt::format("expected {}, found {}", expected, describe(node)));
    return least;
  }
  std::uint32_t whole_of(const Node& written, std::string_view what, double least, double most) {
    const double number = number_of(written, what, least, most);
    if (number == std::floor(number)) return static_cast<std::uint32_t>(number);
    problems_.add(written.place, fmt::format("expected {}, found the number {}", what, number));
    return static_cast<std::uint32_t>(least);
  }
  const std::vector<Node>& items_of(const Node& node, std::string_view what) {
    expect(node, Node::Kind::kArray, fmt::format("an array of {}", what));
    return node.items;
  }
  const std::vector<Member>& members_of(const Node& node, std::string_view what) {
    expect(node, Node::Kind::kObject, fmt::format("an object of {}", what));
    return node.members;
  }

  /// The place of a string in a table of names.
  std::size_t choice_of(const Node& node, std::string_view what, const std::vector<std::string>& names) {
    const std::string found = text_of(node, what);
    if (problems_.any()) return 0;
    const auto at = std::ranges::find(names, found);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    unknown(node.place, found, what, names);
    return 0;
  }
  template <typename Enum, std::size_t kCount>
  void choose(const Node& object, std::string_view field, const std::array<std::string_view, kCount>& names,
              Enum& value) {
    if (const Node* const node = object.find(field)) value = static_cast<Enum>(choice_of(*node, field, strings(names)));
  }

  const Node* needed(const Node& object, std::string_view field, std::string_view what) {
    const Node* const node = object.find(field);
    if (node == nullptr) problems_.add(object.place, fmt::format("expected {} with \"{}\", found none", what, field));
    return node;
  }

  bool object(const Member& member, std::string_view what, std::initializer_list<std::string_view> fields) {
    if (!expect(member.value, Node::Kind::kObject, fmt::format("an object that describes {}", what))) return false;
    known(member.value, fields);
    return !problems_.any();
  }

  // ---- The sections.

  void read_sections() {
    for (const Member& member : sections_.resources) read_resource(member);
    for (const Member& member : sections_.views) read_view(member);
    for (const Member& member : sections_.layers) read_layer(member);
    for (const Member& member : sections_.shaders) read_shader(member);
    read_materials();
    // All generators, also those that no frame runs: a mistake in one is found when it is made.
    for (const Member& generator : sections_.generators) check_generator(generator);
    if (problems_.any()) return;
    if (!sections_.frame) {
      problems_.add(sections_.place, "expected a render config with \"frame\", found none");
      return;
    }
    for (const Node& entry : items_of(*sections_.frame, "names of resource generators")) {
      if (entry.kind == Node::Kind::kObject) {
        known(entry, {"generate", "when"});
        const Node* const name = needed(entry, "generate", "an entry of the frame");
        if (name != nullptr && applies(entry)) generate(*name);
      } else {
        generate(entry);
      }
    }
    if (problems_.any()) return;
    number_views();
    if (!sections_.output) {
      problems_.add(sections_.place, "expected a render config with \"output\", found none");
      return;
    }
    config_.output = choice_of(*sections_.output, "a global resource", names_of(config_.resources));
  }

  void read_resource(const Member& member) {
    if (!object(member, "a resource", {"format", "scale", "pixels"})) return;
    Resource resource{.name = member.name, .place = member.place};
    const Node* const format = needed(member.value, "format", "a resource");
    if (format == nullptr) return;
    choose(member.value, "format", kFormats, resource.format);
    if (problems_.any()) return;
    if (!environment_.supports(resource.format)) {
      std::vector<std::string> supported;
      for (std::size_t i = 0; i < kFormats.size(); ++i)
        if (environment_.supports(static_cast<Format>(i))) supported.emplace_back(kFormats[i]);
      problems_.add(format->place,
                    fmt::format("expected a format that this device can draw to and sample ({}), "
                                "found '{}'",
                                list_of(supported), kFormats[static_cast<std::size_t>(resource.format)]));
    }
    const Node* const scale = member.value.find("scale");
    const Node* const pixels = member.value.find("pixels");
    if (scale != nullptr && pixels != nullptr)
      problems_.add(pixels->place, "expected \"scale\" or \"pixels\", found both");
    if (scale != nullptr) resource.scale = number_of(*scale, "a scale", 1.0 / 1024, 4);
    if (pixels != nullptr) {
      if (items_of(*pixels, "a width and a height").size() != 2) {
        problems_.add(pixels->place,
                      fmt::format("expected a width and a height, found {} values", pixels->items.size()));
        return;
      }
      for (std::size_t i = 0; i < 2; ++i)
        resource.pixels[i] = whole_of(pixels->items[i], "a whole number", 1, environment_.most_pixels);
    }
    config_.resources.push_back(std::move(resource));
  }

  void read_view(const Member& member) {
    if (!object(member, "a view", {"cascade", "of", "reach", "split", "fit", "pixels"})) return;
    View view{.name = member.name, .place = member.place};
    if (member.name == "camera")
      problems_.add(member.place, "expected a name other than 'camera', which always exists");
    const Node* const cascade = needed(member.value, "cascade", "a view");
    const Node* const of = needed(member.value, "of", "a view");
    if (problems_.any()) return;
    view.of = whole_of(*of, "a whole number", 1, 8);
    view.cascade = whole_of(*cascade, "a whole number", 0, view.of - 1.0);
    if (const Node* const reach = member.value.find("reach")) view.reach = number_of(*reach, "metres", 1, 10'000);
    if (const Node* const split = member.value.find("split")) view.split = number_of(*split, "a number", 0, 1);
    if (const Node* const pixels = member.value.find("pixels"))
      view.pixels = whole_of(*pixels, "a whole number", 1, environment_.most_pixels);
    std::size_t fit = view.sphere ? 0 : 1;
    constexpr std::array<std::string_view, 2> kFits{"sphere", "box"};
    choose(member.value, "fit", kFits, fit);
    view.sphere = fit == 0;
    config_.views.push_back(std::move(view));
  }

  /// Leaves out the views that no pass of the frame names; the others keep their order.
  void number_views() {
    std::vector<std::size_t> numbers(config_.views.size() + 1);  // the camera's stays 0
    std::vector<View> named;
    for (std::size_t old = 1; old < numbers.size(); ++old) {
      if (std::ranges::find(config_.frame, old, &Pass::view) == config_.frame.end()) continue;
      named.push_back(std::move(config_.views[old - 1]));
      numbers[old] = named.size();
    }
    for (Pass& pass : config_.frame) pass.view = numbers[pass.view];
    config_.views = std::move(named);
    if (config_.views.size() > environment_.most_views)
      problems_.add(config_.views[environment_.most_views].place,
                    fmt::format("expected at most {} views, found {}", environment_.most_views, config_.views.size()));
  }

  void read_layer(const Member& member) {
    if (!object(member, "a layer", {"order"})) return;
    Layer layer{.name = member.name, .place = member.place};
    if (const Node* const order = member.value.find("order"))
      layer.order = choice_of(*order, "an order", strings(environment_.orders));
    layers_.push_back(std::move(layer));
  }

  void read_shader(const Member& member) {
    if (!object(member, "a shader", {"vertex", "fragment", "cull", "depth", "depth_write", "blend"})) return;
    Shader shader{.name = member.name, .place = member.place};
    const Node* const vertex = needed(member.value, "vertex", "a shader");
    if (vertex == nullptr) return;
    shader.vertex = path_in(*vertex).string();
    shader.vertex_place = vertex->place;
    if (const Node* const fragment = member.value.find("fragment")) {
      shader.fragment = path_in(*fragment).string();
      shader.fragment_place = fragment->place;
    }
    choose(member.value, "cull", kCulls, shader.cull);
    choose(member.value, "depth", kDepthTests, shader.depth);
    choose(member.value, "blend", kBlends, shader.blend);
    if (const Node* const write = member.value.find("depth_write"))
      shader.depth_write = boolean_of(*write, "a boolean");
    config_.shaders.push_back(std::move(shader));
  }

  void read_materials() {
    material_shaders_.assign(environment_.materials.size(), std::vector<std::optional<std::size_t>>(layers_.size()));
    const std::vector<std::string> materials = strings(environment_.materials);
    for (const Member& member : sections_.materials) {
      const auto material = std::ranges::find(materials, member.name);
      if (material == materials.end()) {
        unknown(member.place, member.name, "a material of the scene", materials);
        return;
      }
      for (const Member& entry : members_of(member.value, "layers with shaders")) {
        const auto layer = std::ranges::find(layers_, entry.name, &Layer::name);
        if (layer == layers_.end()) unknown(entry.place, entry.name, "a layer", names_of(layers_));
        const std::size_t shader = choice_of(entry.value, "a shader", names_of(config_.shaders));
        if (problems_.any()) return;
        material_shaders_[static_cast<std::size_t>(material - materials.begin())]
                         [static_cast<std::size_t>(layer - layers_.begin())] = shader;
      }
    }
  }

  // ---- Generators and passes.

  /// Whether each setting in "when" has the given value.
  bool applies(const Node& pass) {
    const Node* const when = pass.find("when");
    if (when == nullptr) return true;
    bool all = true;
    for (const Member& condition : members_of(*when, "settings with values")) {
      const auto setting = std::ranges::find(sections_.settings, condition.name, &Member::name);
      if (setting == sections_.settings.end()) {
        unknown(condition.place, condition.name, "a setting", names_of(sections_.settings));
        return false;
      }
      const Node& value = setting->value;
      const Node& wanted = condition.value;
      if (!expect(wanted, value.kind, fmt::format("{}, as the setting '{}' is", kind_name(value.kind), condition.name)))
        return false;
      all = all && value.boolean == wanted.boolean && value.number == wanted.number && value.text == wanted.text;
    }
    return all;
  }

  void check_generator(const Member& generator) {
    for (std::size_t i = 0; i < items_of(generator.value, "passes").size(); ++i) {
      const Node& pass = generator.value.items[i];
      if (!expect(pass, Node::Kind::kObject, "a pass")) return;
      applies(pass);
      if (const Node* const name = pass.find("generate")) {
        known(pass, {"generate", "when"});
        choice_of(*name, "a resource generator", names_of(sections_.generators));
      } else {
        read_pass(pass, "");
      }
      if (problems_.any()) return;
    }
  }

  void generate(const Node& named) {
    const std::string name = text_of(named, "the name of a resource generator");
    if (problems_.any()) return;
    const auto generator = std::ranges::find(sections_.generators, name, &Member::name);
    if (generator == sections_.generators.end()) {
      unknown(named.place, name, "a resource generator", names_of(sections_.generators));
      return;
    }
    if (std::ranges::find(generating_, name) != generating_.end()) {
      problems_.add(named.place,
                    fmt::format("expected generators that do not run each other in a circle, found {} -> {}",
                                fmt::join(generating_, " -> "), printable(name)));
      return;
    }
    if (++runs_ > kMostRuns) {
      problems_.add(named.place,
                    fmt::format("expected at most {} runs of generators in a frame, found more", kMostRuns));
      return;
    }
    generating_.push_back(name);
    for (std::size_t i = 0; i < generator->value.items.size() && !problems_.any(); ++i) {
      const Node& pass = generator->value.items[i];
      if (!applies(pass)) continue;
      if (const Node* const inner = pass.find("generate"))
        generate(*inner);
      else
        config_.frame.push_back(read_pass(pass, fmt::format("{}[{}]", printable(name), i)));
      if (config_.frame.size() > kMostPasses)
        problems_.add(pass.place, fmt::format("expected at most {} passes in a frame, found more", kMostPasses));
    }
    generating_.pop_back();
  }

  Pass read_pass(const Node& node, std::string name) {
    Pass pass{.name = std::move(name), .place = node.place};
    const Node* const draw = node.find("draw");
    const Node* const fullscreen = node.find("fullscreen");
    if ((draw == nullptr) == (fullscreen == nullptr)) {
      problems_.add(node.place, fmt::format("expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", "
                                            "found {}",
                                            draw == nullptr ? "none" : "two"));
      return pass;
    }
    if (draw != nullptr) {
      known(node, {"draw", "view", "targets", "depth", "clear", "viewport", "inputs", "constants", "when"});
      const std::size_t layer = choice_of(*draw, "a layer", names_of(layers_));
      if (problems_.any()) return pass;
      pass.order = layers_[layer].order;
      for (const auto& by_layer : material_shaders_) pass.material_shaders.push_back(by_layer[layer]);
    } else {
      known(node, {"fullscreen", "view", "targets", "depth", "clear", "viewport", "inputs", "constants", "when"});
      pass.fullscreen = true;
      pass.shader = choice_of(*fullscreen, "a shader", names_of(config_.shaders));
    }
    if (const Node* const view = node.find("view")) {
      std::vector<std::string> views = names_of(config_.views);
      views.insert(views.begin(), "camera");
      pass.view = choice_of(*view, "a view", views);
    }
    if (problems_.any()) return pass;
    read_targets(node, pass);
    if (problems_.any()) return pass;
    if (const Node* const viewport = node.find("viewport")) read_viewport(*viewport, pass);
    if (const Node* const clear = node.find("clear")) read_clears(*clear, pass);
    if (const Node* const inputs = node.find("inputs")) read_inputs(*inputs, pass);
    if (const Node* const constants = node.find("constants")) read_constants(*constants, pass);
    if (problems_.any()) return pass;
    check_blends(pass);
    const bool whole = pass.viewport == std::array<double, 4>{0, 0, 1, 1};
    const Shader* const shader = pass.fullscreen ? &config_.shaders[pass.shader] : nullptr;
    pass.covers =
        shader != nullptr && whole && shader->blend == Blend::kNone && shader->cull == Cull::kNone && !pass.depth;
    return pass;
  }

  void check_blends(const Pass& pass) {
    std::vector<std::optional<std::size_t>> shaders = pass.material_shaders;
    if (pass.fullscreen) shaders.emplace_back(pass.shader);
    for (const std::optional<std::size_t>& shader : shaders) {
      if (!shader || config_.shaders[*shader].blend == Blend::kNone) continue;
      for (const std::size_t target : pass.targets)
        if (!environment_.blends(config_.resources[target].format))
          problems_.add(pass.place, fmt::format("expected a target that this device can blend for the shader '{}', "
                                                "found '{}' with {}",
                                                printable(config_.shaders[*shader].name),
                                                printable(config_.resources[target].name), format_name(target)));
    }
  }

  void read_targets(const Node& node, Pass& pass) {
    const std::vector<std::string> resources = names_of(config_.resources);
    if (const Node* const targets = node.find("targets"))
      for (const Node& target : items_of(*targets, "global resources")) {
        const std::size_t resource = choice_of(target, "a global resource", resources);
        if (problems_.any()) return;
        if (is_depth(config_.resources[resource].format)) {
          problems_.add(target.place, fmt::format("expected a resource with a colour format, found '{}' with {}",
                                                  resources[resource], format_name(resource)));
          return;
        }
        if (std::ranges::find(pass.targets, resource) != pass.targets.end())
          problems_.add(target.place, fmt::format("expected each target once, found '{}' again", resources[resource]));
        pass.targets.push_back(resource);
      }
    if (pass.targets.size() > environment_.most_targets)
      problems_.add(node.place, fmt::format("expected at most {} targets, found {}", environment_.most_targets,
                                            pass.targets.size()));
    if (const Node* const depth = node.find("depth")) {
      const std::size_t resource = choice_of(*depth, "a global resource", resources);
      if (problems_.any()) return;
      if (!is_depth(config_.resources[resource].format))
        problems_.add(depth->place, fmt::format("expected a resource with a depth format, found '{}' with {}",
                                                resources[resource], format_name(resource)));
      pass.depth = resource;
    }
    pass.clears.resize(pass.targets.size() + (pass.depth ? 1 : 0));
    if (pass.clears.empty()) {
      problems_.add(node.place, "expected a pass with \"targets\" or \"depth\", found neither");
      return;
    }
    const std::vector<std::size_t> written = written_by(pass);
    const Resource& first = config_.resources[written.front()];
    for (const std::size_t index : written) {
      const Resource& other = config_.resources[index];
      if (other.pixels != first.pixels || (other.pixels[0] == 0 && other.scale != first.scale))
        problems_.add(node.place,
                      fmt::format("expected targets of one size, found '{}' with {} and '{}' with {}",
                                  printable(first.name), size_name(first), printable(other.name), size_name(other)));
    }
  }

  static std::string size_name(const Resource& resource) {
    if (resource.pixels[0] != 0) return fmt::format("{} x {} pixels", resource.pixels[0], resource.pixels[1]);
    return fmt::format("a scale of {}", resource.scale);
  }
  std::string format_name(std::size_t resource) const {
    return std::string(kFormats[static_cast<std::size_t>(config_.resources[resource].format)]);
  }
  static std::vector<std::size_t> written_by(const Pass& pass) {
    std::vector<std::size_t> written = pass.targets;
    if (pass.depth) written.push_back(*pass.depth);
    return written;
  }

  void read_viewport(const Node& node, Pass& pass) {
    if (items_of(node, "x, y, width and height").size() != 4) {
      problems_.add(node.place, fmt::format("expected x, y, width and height, found {} values", node.items.size()));
      return;
    }
    for (std::size_t i = 0; i < 4; ++i) pass.viewport[i] = number_of(node.items[i], "a number", i < 2 ? 0 : 1e-4, 1);
    for (std::size_t i = 0; i < 2; ++i)
      if (pass.viewport[i] + pass.viewport[i + 2] > 1 + 1e-9)
        problems_.add(node.place, fmt::format("expected a viewport within 0 to 1, found it from {} to {}",
                                              pass.viewport[i], pass.viewport[i] + pass.viewport[i + 2]));
  }

  std::vector<float> numbers_of(const Node& written, std::string_view what, std::size_t least, std::size_t most) {
    constexpr double kMost = 1e9;
    const Node node = resolved(written);
    if (node.kind == Node::Kind::kNumber && least == 1)
      return {static_cast<float>(number_of(node, what, -kMost, kMost))};
    if (node.kind != Node::Kind::kArray || node.items.size() < least || node.items.size() > most) {
      const std::string found =
          node.kind == Node::Kind::kArray ? fmt::format("{} values", node.items.size()) : describe(node);
      problems_.add(node.place, fmt::format("expected {}, found {}", what, found));
      return std::vector<float>(least);
    }
    std::vector<float> numbers;
    for (const Node& item : node.items)
      numbers.push_back(static_cast<float>(number_of(item, "a number", -kMost, kMost)));
    return numbers;
  }

  void read_clears(const Node& node, Pass& pass) {
    const std::vector<std::size_t> written = written_by(pass);
    std::vector<std::string> names;
    for (const std::size_t resource : written) names.push_back(printable(config_.resources[resource].name));
    for (const Member& member : members_of(node, "targets with values")) {
      const auto at = std::ranges::find(names, member.name);
      if (at == names.end()) {
        unknown(member.place, member.name, "a target of this pass", names);
        return;
      }
      const auto index = static_cast<std::size_t>(at - names.begin());
      std::array<float, 4> value{};
      if (is_depth(config_.resources[written[index]].format)) {
        value[0] = static_cast<float>(number_of(member.value, "a depth", 0, 1));
      } else {
        const std::vector<float> numbers = numbers_of(member.value, "four numbers", 4, 4);
        std::ranges::copy(numbers, value.begin());
      }
      pass.clears[index] = value;
    }
  }

  void read_inputs(const Node& node, Pass& pass) {
    for (const Member& member : members_of(node, "images by their names in the shader")) {
      Input input{.name = member.name, .place = member.place};
      const Node* resource = &member.value;
      if (member.value.kind == Node::Kind::kObject) {
        known(member.value, {"resource", "filter", "previous"});
        resource = needed(member.value, "resource", "an input");
        std::size_t filter = 0;
        choose(member.value, "filter", std::array<std::string_view, 2>{"nearest", "linear"}, filter);
        input.linear = filter == 1;
        if (const Node* const previous = member.value.find("previous"))
          input.previous = boolean_of(*previous, "a boolean");
      }
      if (problems_.any()) return;
      input.resource = choice_of(*resource, "a global resource", names_of(config_.resources));
      const std::vector<std::size_t> written = written_by(pass);
      if (!input.previous && std::ranges::find(written, input.resource) != written.end())
        problems_.add(resource->place,
                      fmt::format("expected an input that the pass does not write, found '{}'",
                                  printable(config_.resources[input.resource].name)),
                      "\"previous\": true reads what it held at the end of the last frame");
      if (problems_.any()) return;
      if (input.linear && !environment_.filters(config_.resources[input.resource].format))
        problems_.add(member.value.place,
                      fmt::format("expected a resource that this device can filter, found '{}' with {}",
                                  printable(config_.resources[input.resource].name), format_name(input.resource)));
      pass.inputs.push_back(std::move(input));
    }
    if (pass.inputs.size() > kMostInputs)
      problems_.add(node.place, fmt::format("expected at most {} inputs, found {}", kMostInputs, pass.inputs.size()));
  }

  void read_constants(const Node& node, Pass& pass) {
    for (const Member& member : members_of(node, "numbers by their names in the shader"))
      pass.constants.push_back({member.name, member.place, numbers_of(member.value, "1 to 4 numbers", 1, 4)});
  }

  // ---- The frame as a whole.

  void check_frame() {
    if (config_.frame.empty()) {
      problems_.add(sections_.frame->place, "expected a frame with at least one pass, found none");
      return;
    }
    std::vector<bool> written(config_.resources.size());
    for (const Pass& pass : config_.frame) {
      for (const Input& input : pass.inputs)
        if (!input.previous && !written[input.resource])
          problems_.add(input.place, fmt::format("expected a resource that an earlier pass of the frame writes, found "
                                                 "'{}'",
                                                 printable(config_.resources[input.resource].name)));
      const std::vector<std::size_t> targets = written_by(pass);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!written[targets[i]] && !pass.clears[i] && !pass.covers)
          problems_.add(pass.place, fmt::format("expected \"clear\" for '{}', because no earlier pass of the frame "
                                                "writes it, found none",
                                                printable(config_.resources[targets[i]].name)));
        written[targets[i]] = true;
      }
    }
    for (const Pass& pass : config_.frame)
      for (const Input& input : pass.inputs) check_previous(input, written);
    const Resource& output = config_.resources[config_.output];
    const Place& place = sections_.output->place;
    if (output.format != Format::kRgba8)
      problems_.add(place, fmt::format("expected an output of the format rgba8, found '{}' with {}",
                                       printable(output.name), format_name(config_.output)));
    if (output.pixels[0] != 0 || output.scale != 1)
      problems_.add(place, fmt::format("expected an output with a scale of 1, found '{}' with {}",
                                       printable(output.name), size_name(output)));
    if (!written[config_.output])
      problems_.add(
          place, fmt::format("expected an output that a pass of the frame writes, found '{}'", printable(output.name)));
  }

  // `written`: by resource, whether a pass of the frame writes it.
  void check_previous(const Input& input, const std::vector<bool>& written) {
    if (!input.previous) return;
    const std::string name = printable(config_.resources[input.resource].name);
    if (!written[input.resource])
      problems_.add(input.place, fmt::format("expected a resource that a pass of the frame writes, to read what it "
                                             "held at the end of the last frame, found '{}'",
                                             name));
    if (input.resource == config_.output)
      problems_.add(input.place,
                    fmt::format("expected a resource other than the output, to read what it held at the end of the "
                                "last frame, found '{}'",
                                name),
                    "what shows the output may draw over it: a pass can copy it to another resource before");
  }

  struct Layer {
    std::string name;
    Place place;
    std::size_t order = 0;
  };

  const RenderEnvironment& environment_;
  FileSet& files_;
  Problems problems_;
  Sections sections_;
  std::vector<std::filesystem::path> reading_;  // the files that extend each other
  std::size_t parsed_ = 0;
  Config config_;
  std::vector<Layer> layers_;
  std::vector<std::vector<std::optional<std::size_t>>> material_shaders_;  // by material, then by layer
  std::vector<std::string> generating_;
  std::size_t runs_ = 0;  // of generators
};

}  // namespace

std::array<std::uint32_t, 2> Config::size_of(std::size_t resource, std::uint32_t width, std::uint32_t height) const {
  const Resource& of = resources[resource];
  if (of.pixels[0] != 0) return of.pixels;
  const auto scaled = [&](std::uint32_t edge) {
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(edge * of.scale)));
  };
  return {scaled(width), scaled(height)};
}

std::vector<bool> Config::histories() const {
  std::vector<bool> histories(resources.size());
  for (const Pass& pass : frame)
    for (const Input& input : pass.inputs)
      if (input.previous) histories[input.resource] = true;
  return histories;
}

Expected<Config> read_config(const std::filesystem::path& file, const RenderEnvironment& environment, FileSet& files) {
  return Reader(environment, files).read(file.lexically_normal());
}

}  // namespace lab::render_config
