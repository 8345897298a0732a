#include "variants/object_visibility/family/prompt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/usage_error.h"
#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/npy.h"
#include "variants/object_visibility/family/prompt.h"

namespace lab::object_visibility {

namespace {

struct Options {
  std::vector<std::string> files;  // image, objects
  std::string out;
  double threshold = kThreshold;
  ToWhole way = ToWhole::kTruncated;
  std::uint32_t channels = 1;
};

template <typename T>
bool read_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

Expected<Options> read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--round" || word == "--truncate") {
      options.way = word == "--round" ? ToWhole::kRounded : ToWhole::kTruncated;
      continue;
    }
    if (!word.starts_with("--")) {
      options.files.push_back(word);
      continue;
    }
    if (word != "--out" && word != "--threshold" && word != "--channels")
      return usage_error(fmt::format("there is no flag '{}'", word));
    if (++i == words.size()) return usage_error(fmt::format("{}: expected a value", word));
    const std::string& value = words[i];
    if (word == "--out")
      options.out = value;
    else if (word == "--threshold" &&
             !(read_number(value, options.threshold) && options.threshold >= 0 && options.threshold <= 1))
      return usage_error(fmt::format("--threshold: expected a share from 0 to 1, found '{}'", value));
    else if (word == "--channels" &&
             !(read_number(value, options.channels) && options.channels >= 1 && options.channels <= 4))
      return usage_error(fmt::format("--channels: expected a number from 1 to 4, found '{}'", value));
  }
  if (options.files.size() != 2)
    return usage_error(fmt::format("expected an image and a file of objects, found {} files", options.files.size()));
  if (options.out.empty()) return usage_error("expected --out PREFIX");
  return options;
}

/// What Boost.JSON does not tell of valid JSON: its numbers, in their order and as they are written, and whether a key
/// stands twice in an object.
struct Written {
  std::vector<std::string_view> numbers;
  std::string_view twice = {};  ///< the first such key
};

Written written_in(std::string_view text) {
  Written written;
  std::vector<std::set<std::string_view>> keys;  // of the objects and arrays around
  for (std::size_t at = 0; at < text.size();) {
    const char next = text[at];
    if (next == '"') {
      const std::size_t begin = ++at;
      for (; text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      const std::string_view string = text.substr(begin, at++ - begin);
      const std::size_t after = text.find_first_not_of(" \t\r\n", at);
      const bool is_key = after != std::string_view::npos && text[after] == ':';
      if (is_key && !keys.back().insert(string).second && written.twice.empty()) written.twice = string;
    } else if (next == '-' || (next >= '0' && next <= '9')) {
      const std::size_t length = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size()) - at;
      written.numbers.push_back(text.substr(at, length));
      at += length;
    } else {
      if (next == '{' || next == '[') keys.emplace_back();
      if (next == '}' || next == ']') keys.pop_back();
      ++at;
    }
  }
  return written;
}

/// Boost.JSON reads some fractions as a neighbour of the nearest double, and Python reads the nearest one. Replaces
/// each by what std::from_chars reads in the next of `numbers`. False if that is another number: a key stood there
/// twice, written in two ways.
bool make_exact(json::value& value, std::span<const std::string_view>& numbers) {
  if (value.is_object())
    return std::ranges::all_of(value.get_object(), [&](auto& member) { return make_exact(member.value(), numbers); });
  if (value.is_array())
    return std::ranges::all_of(value.get_array(), [&](json::value& each) { return make_exact(each, numbers); });
  if (!value.is_number()) return true;
  if (numbers.empty()) return false;
  const std::string_view number = numbers.front();
  numbers = numbers.subspan(1);
  const auto about = value.to_number<double>();
  double exact = about;  // stays where the number is beyond a double
  std::from_chars(number.data(), number.data() + number.size(), exact);
  constexpr double kFew = 1e-14;
  if (!(std::abs(exact - about) <= kFew * std::abs(about))) return false;
  if (double* const fraction = value.if_double()) *fraction = exact;
  return true;
}

Expected<SceneFile> read_scene(const std::string& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  Expected<json::value> value = parse_json(*text, fmt::format("'{}'", file));
  if (!value) return value.error();
  const Written written = written_in(*text);
  if (!written.twice.empty())
    return usage_error(fmt::format("'{}': expected each key once in an object, found '{}' twice", file, written.twice));
  std::span<const std::string_view> left = written.numbers;
  if (!make_exact(*value, left) || !left.empty())
    return usage_error(fmt::format("'{}': expected each key once in an object", file));
  const auto with_file = [&file](const Error& error) { return in_context(fmt::format("'{}'", file), error); };
  Expected<SceneFile> scene = from_json<SceneFile>(*value);
  if (!scene) return with_file(scene.error());
  if (const Expected<void> checked = check_scene(*scene); !checked) return with_file(checked.error());
  return scene;
}

Expected<OwnedImage> read_image(const std::string& path, const Options& options) {
  const Expected<std::string> file = read_file(path);
  if (!file) return file.error();
  const Expected<NpyArray> array = parse_npy(*file);
  if (!array) return array.error();
  return npy_ids(*array, options.way, options.channels);
}

}  // namespace

Expected<std::string> write_prompt(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"--help"}) return std::string(kPromptUsage);
  const Expected<Options> options = read_options(words);
  if (!options) {
    return Error{options.error().what, "object_visibility_prompt --help", options.error().status};
  }
  const std::string& path = options->files[0];
  const Expected<SceneFile> scene = read_scene(options->files[1]);
  if (!scene) return scene.error();
  const Expected<OwnedImage> image = read_image(path, *options);
  if (!image) return in_context(fmt::format("'{}'", path), image.error());
  const std::unique_ptr<Counter> counter = fastest_counter();
  const Expected<Counts> counts = count_pixels(*counter, image->view(), largest_index(*scene));
  if (!counts) return in_context(fmt::format("'{}'", path), counts.error());

  const std::set<std::uint32_t> visible = visible_ids(*counts, image->ids.size(), options->threshold);
  const std::vector<PlacedObject> objects = nearest_first(*scene);
  for (const auto& [suffix, text] :
       {std::pair{".prompt.txt", prompt_text(objects, visible)}, {".properties", properties_text(objects)}})
    if (const Expected<void> written = write_file(options->out + suffix, text); !written) return written.error();

  std::vector<std::string> pixels;
  for (std::size_t id = 0; id < counts->size(); ++id)
    if ((*counts)[id] > 0) pixels.push_back(fmt::format("{}: {}", id, (*counts)[id]));
  return fmt::format("Visibility: {{{}}}\nVisible: {{{}}}\n", fmt::join(pixels, ", "), fmt::join(visible, ", "));
}

}  // namespace lab::object_visibility
