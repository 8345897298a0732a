#include "variants/render_config/engine/shader_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/base/printable.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostFiles = 32;

class Resolver {
 public:
  explicit Resolver(const ReadFile& read) : read_(read) {}

  Expected<void> add(const std::filesystem::path& file, const Place& from) {
    const Expected<std::string> text = read_(file);
    const std::string name = printable(file.string());
    if (!text)
      return problem_at(from, fmt::format("expected a file with GLSL, found no '{}': {}", name, text.error().what));
    if (source_.files.size() == kMostFiles)
      return problem_at(from, fmt::format("expected at most {} files of GLSL, found more", kMostFiles));
    const std::size_t number = source_.files.size();
    source_.files.push_back(name);
    paths_.push_back(file);
    if (number > 0) source_.text += fmt::format("#line 1 {}\n", number);
    int line = 0;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const std::string_view whole = std::string_view(*text).substr(at, end - at);
      at = end + 1;
      ++line;
      const std::optional<std::string_view> included = included_by(whole);
      if (!included) {
        source_.text += whole;
        source_.text += '\n';
        continue;
      }
      const std::filesystem::path path = (file.parent_path() / *included).lexically_normal();
      if (std::ranges::find(paths_, path) == paths_.end())
        if (const Expected<void> added = add(path, {name, line}); !added) return added.error();
      source_.text += fmt::format("#line {} {}\n", line + 1, number);
    }
    return {};
  }

  ShaderSource source() { return std::move(source_); }

 private:
  /// The name in a line such as #include "frame.glsl".
  static std::optional<std::string_view> included_by(std::string_view line) {
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include")) return std::nullopt;
    line.remove_prefix(7);
    skip();
    const std::size_t end = line.starts_with('"') ? line.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos || end == 1) return std::nullopt;  // the compiler says what is wrong
    const std::string_view name = line.substr(1, end - 1);
    return name.find('\0') == std::string_view::npos ? std::optional(name) : std::nullopt;
  }

  const ReadFile& read_;
  ShaderSource source_;
  std::vector<std::filesystem::path> paths_;
};

}  // namespace

Expected<ShaderSource> shader_source(const std::filesystem::path& file, const Place& from, const ReadFile& read) {
  Resolver resolver(read);
  if (const Expected<void> added = resolver.add(file, from); !added) return added.error();
  return resolver.source();
}

}  // namespace lab::render_config
