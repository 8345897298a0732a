#include "harness/serve/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/percent.h"

namespace lab::serve {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(TargetTest, HasAPathAndAQuery) {
  const auto target = parse_target("/series?m=farm-01&b=buddy%2Fchurn%3A+x&v=&flag&=&&m=farm-02#there");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->first, "series");
  EXPECT_THAT(target->second, ElementsAre(Pair("", ""), Pair("b", "buddy/churn: x"), Pair("flag", ""),
                                          Pair("m", "farm-02"), Pair("v", "")));
}

TEST(TargetTest, IsDecodedOnce) {
  EXPECT_EQ(parse_target("/a%252e/..%2Fb")->first, "a%2e/../b");
  EXPECT_EQ(parse_target("/a+b")->first, "a+b");
}

TEST(TargetTest, RefusesWhatIsNoAddress) {
  for (const char* wrong : {"", "a", "http://host/a", "/%", "/%4", "/%zz", "/a%00b", "/a%0ab", "/a?x=%0d", "/a?%=1"})
    EXPECT_FALSE(parse_target(wrong)) << wrong;
}

TEST(TargetTest, DecodesWhatWasEncoded) {
  std::string all;
  for (int c = 1; c < 256; ++c)
    if (c != '\n' && c != '\r') all += static_cast<char>(c);
  const auto target = parse_target("/x?name=" + percent_encoded(all));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->second.at("name"), all);
}

TEST(ReplyTest, IsSentOnceToABrowserThatKeepsIt) {
  Reply reply = json_reply("{}");
  EXPECT_EQ(unless_known(reply, "\"a\"").status, 200) << "without a name";
  reply.etag = "\"a\"";
  EXPECT_EQ(unless_known(reply, std::nullopt).status, 200);
  EXPECT_EQ(unless_known(reply, "\"b\"").status, 200);
  for (const char* known : {"\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"}) {
    const Reply same = unless_known(reply, known);
    EXPECT_EQ(same.status, 304) << known;
    EXPECT_EQ(*same.body, "");
  }
  reply.status = 404;
  EXPECT_EQ(unless_known(reply, "\"a\"").status, 404);
}

TEST(ReplyTest, LetsNoScriptOfOthersRun) {
  const auto policy = [](Policy of) {
    Reply reply;
    reply.policy = of;
    for (const auto& [name, value] : headers_of(reply))
      if (name == "Content-Security-Policy") return value;
    return std::string();
  };
  for (const Policy one : {Policy::kPage, Policy::kReport, Policy::kPublic}) {
    EXPECT_THAT(policy(one), HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy(one), HasSubstr("script-src 'self';"));
    EXPECT_THAT(policy(one), Not(HasSubstr("eval")));
  }
  EXPECT_THAT(policy(Policy::kPage), HasSubstr("style-src 'self';"));
  EXPECT_THAT(headers_of({}), Contains(Pair("X-Content-Type-Options", "nosniff")));
  EXPECT_THAT(headers_of({}), Contains(Pair("Cross-Origin-Resource-Policy", "same-origin")));
}

}  // namespace
}  // namespace lab::serve
