#include "variants/render_config/family/fuzz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/random.h"
#include "variants/render_config/family/render_config.h"

namespace lab::render_config {

namespace {

std::string check(const std::string& input) {
  return fuzz({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()});
}

/// A configuration with a library of its own.
const std::string kEffect = std::string(R"({"extends": "common.json", "shader_libraries": ["fuzz_library.json"],
"settings": {"g": 0.5}, "global_resources": {"grey": {"format": "rgba8"}}, "resource_generators": {"f": [
{"draw": "forward", "targets": ["lit"], "depth": "depth", "clear": {"lit": [0, 0, 0, 1], "depth": 1}},
{"generate": "finish"},
{"fullscreen": "g", "inputs": {"image": {"resource": "image", "filter": "linear"}}, "constants": {"amount": "$g"},
 "targets": ["grey"], "when": {"g": 0.5}}]}, "frame": [{"generate": "f"}], "output": "grey"})") +
                            '\0' + R"({"shaders": {"g": {"vertex": "shaders/fullscreen.vert",
"fragment": "greyscale/greyscale.frag"}}, "materials": {"glass": {"forward": "glass"}}})";

}  // namespace

TEST(Fuzz, finds_nothing_wrong_with_what_ships_and_with_what_it_becomes_by_random_changes) {
  std::vector<std::string> seeds{kEffect, R"({"extends": "deferred.json", "settings": {"shadows": "cascades_apart"}})"};
  for (const char* const file : {"forward.json", "common.json", "deferred.json"}) {
    const auto text = read_file(configurations() / file);
    ASSERT_TRUE(text) << file;
    seeds.push_back(*text);
  }
  // One that reads what the last frame drew, as if it stood beside them.
  auto obscurance = read_file(configurations() / "ambient_obscurance/ambient_obscurance.json");
  ASSERT_TRUE(obscurance);
  for (const auto& [from, to] : {std::pair{"../deferred.json", "deferred.json"},
                                 std::pair{"\"library.json", "\"ambient_obscurance/library.json"}}) {
    ASSERT_NE(obscurance->find(from), std::string::npos);
    obscurance->replace(obscurance->find(from), std::string_view(from).size(), to);
  }
  seeds.push_back(*obscurance);
  Random random(11);
  for (const std::string& seed : seeds) {
    EXPECT_EQ(check(seed), "") << seed;
    for (int i = 0; i < 400; ++i) {
      std::string input = seed;
      for (std::uint64_t changes = 1 + random.below(3); changes > 0 && !input.empty(); --changes) {
        const std::size_t at = random.below(input.size());
        const std::size_t length = std::min<std::size_t>(random.below(30), input.size() - at);
        if (random.below(3) == 0)
          input.erase(at, length);
        else if (random.below(2) == 0)
          input.insert(random.below(input.size()), input.substr(at, length));
        else
          input[at] = static_cast<char>(random.below(256));
      }
      EXPECT_EQ(check(input), "") << input;
    }
  }
}

}  // namespace lab::render_config
