#include "harness/base/json_fields.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/base/random.h"

namespace lab {

namespace {

double read_back(double value) {
  const Expected<json::value> read = parse_json(json::serialize(json::array{value}), "test");
  return read ? read->at(0).to_number<double>() : std::nan("");
}

TEST(Json, reads_back_every_double_that_it_writes) {
  for (const double value : {6.1224483260957616e-9, 0.1, 1 / 3.0, 5e-324, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::min(), -2.5})
    EXPECT_EQ(read_back(value), value);
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(read_back(value), value);
  }
}

TEST(Json, keeps_whole_numbers_and_what_no_double_can_hold) {
  const Expected<json::value> read = parse_json(
      R"({"a": 18446744073709551615, "b": -9223372036854775808, "c": [1.5, 7], "d": {"e\u00e9": "f\ng", "h": null}, "i": true})",
      "test");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->at("a").as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read->at("b").as_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(json::serialize(read->at("c")), "[1.5E0,7]");
  EXPECT_EQ(read->at("d").at("e\u00e9").as_string(), "f\ng");
  EXPECT_TRUE(read->at("d").at("h").is_null());
  EXPECT_TRUE(read->at("i").as_bool());
  EXPECT_EQ(parse_json("[1e400]", "test")->at(0).as_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_json("[1e-400]", "test")->at(0).as_double(), 0);
}

TEST(Json, of_another_machine_has_printable_strings) {
  const auto shown = [](const char* text) { return json::serialize(*parse_printable_json(text, "test")); };
  EXPECT_EQ(shown(R"([{"a\u001b[2J": "\u0007x"}, "two\nlines\t", "\r\b\f", "é", 7])"),
            "[{\"a?[2J\":\"?x\"},\"two\\nlines\\t\",\"???\",\"é\",7]");
  EXPECT_EQ(shown("\"\x7f \xc2\x85 \xc2\xb5\""), "\"? ?? µ\"");
  EXPECT_EQ(shown("[\"a\u202eb\", \"\\u2066\", \"\u061c\"]"), R"(["a???b","???","??"])");
  EXPECT_FALSE(parse_printable_json("{", "test"));
}

TEST(Json, says_where_a_text_stops_being_json) {
  EXPECT_EQ(parse_json(" \n", "a.json").error().what, "a.json: empty");
  EXPECT_EQ(parse_json("{\"a\": [1", "a.json").error().what, "a.json: truncated: the JSON does not end within 8 bytes");
  EXPECT_EQ(parse_json("{} 1", "a.json").error().what, "a.json: not JSON: byte 3: extra data before '1'");
  EXPECT_NE(parse_json("{a", "a.json").error().what.find("not JSON: byte 1: "), std::string::npos);
}

}  // namespace

}  // namespace lab
