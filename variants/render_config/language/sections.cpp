#include "variants/render_config/language/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "variants/render_config/language/values.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostFiles = 64, kMostNames = 1024;

/// Opens the files that name each other.
class OpenedFiles {
 public:
  OpenedFiles(FileSet& files, Problems& problems) : files_(files), problems_(problems) {}

  /// Until end(), no file may name this one.
  void begin(const std::filesystem::path& file) { reading_.push_back(file); }
  void end() { reading_.pop_back(); }

  /// The object in a file, or nothing and a problem at `from`, which names it; `expected` is empty if nothing does.
  std::optional<Node> object(const std::filesystem::path& file, const Place& from, const std::string& expected) {
    if (!may_open(file, from)) return std::nullopt;
    const Expected<std::string> text = files_.read(file);
    if (!text) {
      add_unreadable(file, from, expected, text.error().what);
      return std::nullopt;
    }
    Expected<Node> root = parse_located(*text, printable(file.string()));
    if (!root) {
      problems_.add(root.error());
      return std::nullopt;
    }
    if (root->kind == Node::Kind::kObject) return std::move(*root);
    problems_.add(root->place, fmt::format("expected an object, found {}", describe(*root)));
    return std::nullopt;
  }

 private:
  bool may_open(const std::filesystem::path& file, const Place& from) {
    if (std::ranges::find(reading_, file) != reading_.end())
      problems_.add(from, fmt::format("expected files that do not extend each other in a circle, found '{}' again",
                                      printable(file.string())));
    else if (++opened_ > kMostFiles)
      problems_.add(from, fmt::format("expected at most {} files, found more", kMostFiles));
    else
      return true;
    return false;
  }

  void add_unreadable(const std::filesystem::path& file, const Place& from, const std::string& expected,
                      const std::string& why) {
    const std::string name = printable(file.string());
    if (expected.empty())
      problems_.add({fmt::format("{}: {}", name, why), "", ExitStatus::kUsage});
    else
      problems_.add(from, fmt::format("expected {}, found no '{}': {}", expected, name, why));
  }

  FileSet& files_;
  Problems& problems_;
  std::vector<std::filesystem::path> reading_;
  std::size_t opened_ = 0;
};

/// Merges a file into the sections, and before it the files that it extends and names.
class SectionReader {
 public:
  SectionReader(FileSet& files, Problems& problems) : problems_(problems), files_(files, problems) {}

  Sections read(const std::filesystem::path& file) {
    sections_.place = {file.string(), 1};
    if (const std::optional<Node> root = files_.object(file, sections_.place, "")) {
      if (root->find("render_config") == nullptr)
        merge_config(*root);
      else
        read_settings(file, *root);
    }
    if (!problems_.any()) check_settings();
    return std::move(sections_);
  }

 private:
  void read_settings(const std::filesystem::path& file, const Node& root) {
    values_.only(root, {"render_config", "settings"});
    files_.begin(file);
    if (const std::optional<Node> config = file_in(*root.find("render_config"), "a render config"))
      merge_config(*config);
    if (const Node* const overrides = root.find("settings")) override_settings(*overrides);
  }

  std::optional<Node> file_in(const Node& name, const std::string& expected) {
    const std::filesystem::path path = values_.path(name);
    return path.empty() ? std::nullopt : files_.object(path, name.place, expected);
  }

  void merge_config(const Node& root) {
    values_.only(root, {"extends", "shader_libraries", "settings", "global_resources", "views", "layers",
                        "resource_generators", "frame", "output"});
    if (problems_.any()) return;
    files_.begin(root.place.file);
    merge_named_files(root);
    merge(root, "settings", sections_.settings);
    merge(root, "global_resources", sections_.resources);
    merge(root, "views", sections_.views);
    merge(root, "layers", sections_.layers);
    merge(root, "resource_generators", sections_.generators);
    if (const Node* const frame = root.find("frame")) sections_.frame = *frame;
    if (const Node* const output = root.find("output")) sections_.output = *output;
    files_.end();
  }

  void merge_named_files(const Node& root) {
    if (const Node* const base = root.find("extends"))
      if (const std::optional<Node> config = file_in(*base, "a render config to extend")) merge_config(*config);
    if (const Node* const libraries = root.find("shader_libraries"))
      for (const Node& name : values_.items(*libraries, "file names of shader libraries"))
        if (const std::optional<Node> library = file_in(name, "a shader library")) merge_library(*library);
  }

  void merge_library(const Node& library) {
    values_.only(library, {"shaders", "materials"});
    merge(library, "shaders", sections_.shaders);
    if (const Node* const materials = library.find("materials"))
      for (const Member& material : values_.members(*materials, "materials")) merge_material(material);
  }

  // Each of its layers, so that a library adds to what another gives a material.
  void merge_material(const Member& material) {
    const auto known = std::ranges::find(sections_.materials, material.name, &Member::name);
    if (known == sections_.materials.end()) {
      sections_.materials.push_back(material);
      return;
    }
    for (const Member& layer : values_.members(material.value, "layers with shaders"))
      add_to(known->value.members, layer);
  }

  void merge(const Node& root, std::string_view name, std::vector<Member>& section) {
    if (const Node* const found = root.find(name))
      for (const Member& member : values_.members(*found, name)) {
        check_name(member);
        add_to(section, member);
      }
    if (section.size() > kMostNames)
      problems_.add(root.place, fmt::format("expected at most {} names in {}, found more", kMostNames, name));
  }

  void check_name(const Member& member) {
    if (member.name.empty()) problems_.add(member.place, "expected a name, found ''");
    if (printable(member.name) != member.name)
      problems_.add(member.place, fmt::format("expected a name that can be shown, found '{}'", member.name));
  }

  static void add_to(std::vector<Member>& section, const Member& member) {
    const auto known = std::ranges::find(section, member.name, &Member::name);
    if (known == section.end())
      section.push_back(member);
    else
      *known = member;
  }

  void override_settings(const Node& overrides) {
    for (const Member& member : values_.members(overrides, "settings")) {
      const Node* const value = values_.setting(member.place, member.name, "a setting of the render config");
      if (value != nullptr && is_of_the_kind_of(*value, member)) add_to(sections_.settings, member);
    }
  }

  bool is_of_the_kind_of(const Node& value, const Member& member) {
    if (value.kind == member.value.kind) return true;
    problems_.add(
        member.value.place,
        fmt::format("expected {} for the setting '{}', as its default {} in {}:{}, found {}", kind_name(value.kind),
                    member.name, describe(value), value.place.file, value.place.line, describe(member.value)));
    return false;
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

  Problems& problems_;
  OpenedFiles files_;
  Sections sections_;
  Values values_{sections_.settings, problems_};
};

}  // namespace

Sections read_sections(const std::filesystem::path& file, FileSet& files, Problems& problems) {
  return SectionReader(files, problems).read(file);
}

}  // namespace lab::render_config
