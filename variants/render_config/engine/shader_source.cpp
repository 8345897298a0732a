#include "variants/render_config/engine/shader_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/base/printable.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostFiles = 32;
constexpr std::size_t kMostIncludes = 256;  // a file that is included twice may include others twice

class Resolver {
 public:
  explicit Resolver(const ReadFile& read) : read_(read) {}

  Expected<void> add(const std::filesystem::path& file, const Place& from) {
    const Expected<std::size_t> known = number_of(file, from);
    if (!known) return known.error();
    const std::size_t number = *known;
    if (std::ranges::find(open_, number) != open_.end()) return {};  // a circle: it has begun
    if (++includes_ > kMostIncludes)
      return problem_at(from, fmt::format("expected at most {} includes, found more", kMostIncludes));
    open_.push_back(number);
    // Which branches of #if are taken, only the compiler knows. So it decides which include is the first.
    if (number > 0) source_.text += fmt::format("#ifndef INCLUDED_{0}\n#define INCLUDED_{0}\n#line 1 {0}\n", number);
    const Expected<void> added = add_lines(file, number);
    if (number > 0) source_.text += "#endif\n";
    open_.pop_back();
    return added;
  }

  ShaderSource source() { return std::move(source_); }

 private:
  /// Of a file by this name, which is read when it is first met.
  Expected<std::size_t> number_of(const std::filesystem::path& file, const Place& from) {
    if (const auto found = std::ranges::find(paths_, file); found != paths_.end())
      return static_cast<std::size_t>(found - paths_.begin());
    Expected<std::string> text = read_(file);
    const std::string name = printable(file.string());
    if (!text)
      return problem_at(from, fmt::format("expected a file with GLSL, found no '{}': {}", name, text.error().what));
    if (source_.files.size() == kMostFiles)
      return problem_at(from, fmt::format("expected at most {} files of GLSL, found more", kMostFiles));
    source_.files.push_back(name);
    paths_.push_back(file);
    texts_.push_back(std::move(*text));
    return paths_.size() - 1;
  }

  Expected<void> add_lines(const std::filesystem::path& file, std::size_t number) {
    const std::string text = texts_[number], name = source_.files[number];  // both lists grow
    int line = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view whole = std::string_view(text).substr(at, end - at);
      at = end + 1;
      ++line;
      const std::optional<std::string_view> included = included_by(whole);
      if (!included) {
        source_.text += whole;
        source_.text += '\n';
        continue;
      }
      const std::filesystem::path path = (file.parent_path() / *included).lexically_normal();
      if (const Expected<void> added = add(path, {name, line}); !added) return added.error();
      source_.text += fmt::format("#line {} {}\n", line + 1, number);
    }
    return {};
  }

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
  std::vector<std::string> texts_;
  std::vector<std::size_t> open_;  // files that are being added
  std::size_t includes_ = 0;
};

}  // namespace

Expected<ShaderSource> shader_source(const std::filesystem::path& file, const Place& from, const ReadFile& read) {
  Resolver resolver(read);
  if (const Expected<void> added = resolver.add(file, from); !added) return added.error();
  return resolver.source();
}

}  // namespace lab::render_config
