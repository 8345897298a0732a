#include "harness/serve/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::serve {
namespace {

using testing::HasSubstr;

Request asked(const std::string& host, const std::string& path = "") {
  Request request;
  request.method = "GET";
  request.path = path;
  request.host = host;
  return request;
}

int status_of(const Request& request, const AccessRules& rules = {}) {
  const std::optional<Reply> refused = refusal(request, rules);
  return refused ? refused->status : 200;
}

TEST(AccessTest, AllowsNamesOfThisHostAndThoseNamed) {
  for (const char* host : {"localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000"})
    EXPECT_EQ(status_of(asked(host)), 200) << host;
  for (const char* host :
       {"", "evil.example", "localhost.evil.example:8000", "127.0.0.1.nip.io", "[::1", "::1", "0.0.0.0", "farm",
        "localhost@evil.example", "localhost:80@evil.example", "localhost:evil.example", "localhost:", "127.0.0.2"})
    EXPECT_EQ(status_of(asked(host)), 403) << host;
  EXPECT_EQ(status_of(asked("Farm.example.org:443"), {{"farm.example.org"}}), 200);
  EXPECT_EQ(status_of(asked("xfarm.example.org"), {{"farm.example.org"}}), 403);
  EXPECT_EQ(status_of(asked("192.0.2.1:8323"), {{}, {"192.0.2.1"}}), 200);
  Request nameless = asked("");
  nameless.host.reset();
  EXPECT_EQ(status_of(nameless), 400);
}

TEST(AccessTest, RefusesPagesOfOtherOrigins) {
  Request request = asked("localhost:8000");
  for (const char* origin : {"http://evil.example", "null", "", "http://localhost:3000", "https://localhost",
                             "http://127.0.0.1:8000", "file://", "http://localhost:8000.evil.example"}) {
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
  }
  request.origin = "http://localhost:8000";
  EXPECT_EQ(status_of(request), 200);
  Request at_address = asked("192.0.2.1:8323");
  at_address.origin = "http://192.0.2.1:3000";
  EXPECT_EQ(status_of(at_address, {{}, {"192.0.2.1"}}), 403);
  // A proxy that ends TLS and asks by the name of the machine.
  request.origin = "https://farm.example.org";
  EXPECT_EQ(status_of(request, {{"farm.example.org"}}), 200);
}

TEST(AccessTest, OpensLinksOfOtherSitesAndShowsThemTheBadge) {
  for (const char* site : {"cross-site", "same-site"}) {
    Request request = asked("localhost:8000", "series");
    request.fetch_site = site;
    request.fetch_mode = "no-cors";
    EXPECT_EQ(status_of(request), 403);
    request.fetch_mode = "navigate";
    EXPECT_EQ(status_of(request), 200);
    request = asked("localhost:8000", "badge.svg");
    request.fetch_site = site;
    request.fetch_mode = "no-cors";
    EXPECT_EQ(status_of(request), 200);
  }
  Request own = asked("localhost:8000", "api/grid");
  own.fetch_site = "same-origin";
  own.fetch_mode = "cors";
  EXPECT_EQ(status_of(own), 200);
}

TEST(AccessTest, IsForReadingWithoutAToken) {
  Request request = asked("localhost", "ack");
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "BREW"}) {
    request.method = method;
    request.path = "series";
    EXPECT_EQ(status_of(request), 405) << method;
    EXPECT_EQ(refusal(request, {})->allow, "GET, HEAD");
  }
  request.path = "ack";
  request.method = "POST";
  request.type = "application/json";
  request.authorization = "Bearer ";
  EXPECT_EQ(status_of(request), 403);
  const AccessRules rules{{}, {}, "0123456789abcdef"};
  for (const char* method : {"GET", "HEAD", "PUT"}) {
    Request reading = request;
    reading.method = method;
    reading.authorization = "Bearer 0123456789abcdef";
    EXPECT_EQ(status_of(reading, rules), 405) << method;
    EXPECT_EQ(status_of(reading), 405) << method;
  }
  for (const char* wrong : {"Bearer ", "Bearer 0123456789abcdeF", "0123456789abcdef", "Bearer 0123456789abcdef0", ""}) {
    request.authorization = wrong;
    EXPECT_EQ(status_of(request, rules), 403) << wrong;
  }
  request.authorization = "Bearer 0123456789abcdef";
  EXPECT_EQ(status_of(request, rules), 200);
  for (const char* type : {"text/plain", "application/jsonfoo", ""}) {
    request.type = type;
    EXPECT_EQ(status_of(request, rules), 403) << "a form of another site";
  }
  request.type = "application/json";
  request.origin = "http://evil.example";
  EXPECT_EQ(status_of(request, rules), 403);
}

TEST(AccessTest, TakesATokenThatOnlyItsOwnerReads) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "token";
  ASSERT_TRUE(write_file(file, "0123456789abcdef\n"));
  chmod(file.c_str(), 0644);
  EXPECT_THAT(read_token(file).error().what, HasSubstr("found mode 644"));
  EXPECT_EQ(read_token(file).error().status, ExitStatus::kUsage);
  chmod(file.c_str(), 0600);
  EXPECT_EQ(*read_token(file), "0123456789abcdef");
  for (const char* wrong : {"", "short", "0123456789 abcdefg", "0123456789abcde\n0123456789"}) {
    ASSERT_TRUE(write_file(file, wrong));
    chmod(file.c_str(), 0600);
    EXPECT_FALSE(read_token(file)) << wrong;
  }
  EXPECT_FALSE(read_token(folder.path() / "none"));
}

}  // namespace
}  // namespace lab::serve
