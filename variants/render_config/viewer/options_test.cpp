#include "variants/render_config/viewer/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lab::render_config {

namespace {

using Words = std::vector<std::string>;

std::string text_of(const ViewOptions& options) {
  return options.config.string() + " " + std::to_string(options.width) + "x" + std::to_string(options.height) +
         " frames " + (options.frames ? std::to_string(*options.frames) : "any") + " out '" +
         (options.out ? options.out->string() : "none") + "' " + options.driver + (options.display ? " display" : "");
}

}  // namespace

TEST(Options, have_defaults_and_are_given_in_any_order_and_the_last_of_a_kind_wins) {
  const struct {
    Words words;
    std::string expected;
  } good[] = {
      {{"a.json"}, "a.json 960x540 frames any out 'none' pinned display"},
      {{"a.json", "--size", "1x8192"}, "a.json 1x8192 frames any out 'none' pinned display"},
      {{"--size=320x180", "a.json"}, "a.json 320x180 frames any out 'none' pinned display"},
      {{"--size", "9x9", "a.json", "--size", "8x8"}, "a.json 8x8 frames any out 'none' pinned display"},
      {{"a.json", "--frames", "0"}, "a.json 960x540 frames 0 out 'none' pinned display"},
      {{"a.json", "--frames=18446744073709551615"},
       "a.json 960x540 frames 18446744073709551615 out 'none' pinned display"},
      {{"a.json", "--out", "b c"}, "a.json 960x540 frames any out 'b c' pinned display"},
      {{"a.json", "--out=b=c"}, "a.json 960x540 frames any out 'b=c' pinned display"},
      {{"a.json", "--out", "--frames"}, "a.json 960x540 frames any out '--frames' pinned display"},
      {{"a.json", "--driver", "machine"}, "a.json 960x540 frames any out 'none' machine display"},
      {{"a.json", "--display", "none"}, "a.json 960x540 frames any out 'none' pinned"},
      {{"a.json", "--display=none", "--display=auto"}, "a.json 960x540 frames any out 'none' pinned display"},
      {{"größe und 色.json"}, "größe und 色.json 960x540 frames any out 'none' pinned display"},
  };
  for (const auto& [words, expected] : good) {
    const auto options = parse_options(words);
    ASSERT_TRUE(options) << options.error().what;
    EXPECT_EQ(text_of(*options), expected);
  }
}

TEST(Options, that_are_wrong_are_a_wrong_usage_with_what_was_expected_and_found) {
  const std::string size = "--size: expected WIDTHxHEIGHT from 1 to 8192 pixels, found ";
  const struct {
    Words words;
    std::string what, hint;
  } bad[] = {
      {{}, "expected the file of a configuration, found none", ""},
      {{""}, "expected the file of a configuration, found none", ""},
      {{"--frames", "1"}, "expected the file of a configuration, found none", ""},
      {{"a.json", "b.json"}, "expected one configuration, found 'a.json' and 'b.json'", ""},
      {{"a.json", "--siz", "1x1"}, "there is no flag '--siz'", "did you mean '--size'?"},
      {{"a.json", "--wholly-else"}, "there is no flag '--wholly-else'", ""},
      {{"a.json", "--"}, "there is no flag '--'", ""},
      {{"a.json", "--size"}, "--size: expected a value", ""},
      {{"a.json", "--size", "320"}, size + "'320'", ""},
      {{"a.json", "--size", "0x180"}, size + "'0x180'", ""},
      {{"a.json", "--size", "320x8193"}, size + "'320x8193'", ""},
      {{"a.json", "--size", "320x4294967297"}, size + "'320x4294967297'", ""},
      {{"a.json", "--size", "320X180"}, size + "'320X180'", ""},
      {{"a.json", "--size", "320x180x"}, size + "'320x180x'", ""},
      {{"a.json", "--size", " 320x180"}, size + "' 320x180'", ""},
      {{"a.json", "--size", "-1x180"}, size + "'-1x180'", ""},
      {{"a.json", "--size="}, size + "''", ""},
      {{"a.json", "--frames", "many"}, "--frames: expected a number, found 'many'", ""},
      {{"a.json", "--frames", "-1"}, "--frames: expected a number, found '-1'", ""},
      {{"a.json", "--frames", "1.5"}, "--frames: expected a number, found '1.5'", ""},
      {{"a.json", "--frames", "18446744073709551616"}, "--frames: expected a number, found '18446744073709551616'", ""},
      {{"a.json", "--out="}, "--out: expected a folder, found ''", ""},
      {{"a.json", "--driver", "other"}, "--driver: expected one of pinned, machine, found 'other'", ""},
      {{"a.json", "--display", ":0"}, "--display: expected one of auto, none, found ':0'", ""},
  };
  for (const auto& [words, what, hint] : bad) {
    const auto options = parse_options(words);
    ASSERT_FALSE(options) << what;
    EXPECT_EQ(options.error().what, what);
    EXPECT_EQ(options.error().hint, hint) << what;
    EXPECT_EQ(options.error().status, ExitStatus::kUsage) << what;
  }
}

}  // namespace lab::render_config
