#include "harness/serve/farm_site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <mutex>
#include <thread>

#include "harness/app/farm_fixture.h"
#include "harness/base/patience_test.h"
#include "harness/base/percent.h"
#include "harness/serve/farm_watcher.h"

namespace lab::serve {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBenchmark = "shelf%2Fv000%2Fstore";

class FarmSiteTest : public app::FarmFolder {
 protected:
  void serve() {
    farm_.emplace(request());
    site_.emplace(*farm_, folder_.path(), SiteOptions{});
  }
  Reply ask(const std::string& target, const std::string& known = "") {
    const auto parsed = parse_target("/" + target);
    Request request;
    request.method = "GET";
    std::tie(request.path, request.query) = *parsed;
    if (!known.empty()) request.if_none_match = known;
    return site_->answer(request);
  }
  json::value data(const std::string& target) { return json::parse(*ask(target).body); }

  std::optional<app::LiveFarm> farm_;
  std::optional<FarmSite> site_;
};

TEST_F(FarmSiteTest, SaysHowFarTheReadingIs) {
  add(0, 3, 1);
  serve();
  EXPECT_EQ(ask("api/grid").status, 503);
  EXPECT_EQ(ask("api/grid").retry_after, 1);
  EXPECT_EQ(ask("series?part=1").status, 503);
  EXPECT_EQ(ask("report.css").status, 200);
  EXPECT_EQ(ask("nothing").status, 404);
  WatcherNews news;
  news.read = 3;
  news.to_read = 9;
  site_->set_news(news);
  EXPECT_THAT(*ask("").body, HasSubstr("The results are being read: 3 of 9."));
  news.problem = "the folder has gone";
  site_->set_news(news);
  EXPECT_THAT(*ask("").body, HasSubstr("the folder has gone"));
  EXPECT_EQ(data("api/status").at("problem"), "the folder has gone");
  ASSERT_TRUE(farm_->refresh());
  EXPECT_THAT(*ask("").body, HasSubstr("3 machines"));
}

TEST_F(FarmSiteTest, SendsAViewOnceUntilItChanges) {
  add(0, 3, 1);
  serve();
  ASSERT_TRUE(farm_->refresh());
  const std::string series = std::string("series?m=farm-1&b=") + kBenchmark;
  const Reply page = ask(series), part = ask(series + "&part=1"), other = ask(series + "&v=1");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(json::parse(*part.body).at("version").to_number<int>(), 1);
  EXPECT_EQ(ask(series, page.etag).status, 304);
  EXPECT_EQ(ask(series + "&part=1", part.etag).status, 304);
  EXPECT_EQ(ask(series + "&part=1", page.etag).status, 200);
  add("farm-1", 3, 1);
  ASSERT_TRUE(farm_->refresh());
  EXPECT_EQ(ask(series, page.etag).status, 200);
}

TEST_F(FarmSiteTest, LeadsToTheReportOfASession) {
  add(0, 2, 1);
  serve();
  ASSERT_TRUE(farm_->refresh());
  const std::string path = "farm-2/" + std::string(judge::fixture_file(1));
  const Reply lead = ask("night?session=" + percent_encoded(path));
  EXPECT_EQ(lead.status, 302);
  EXPECT_EQ(lead.location, "./night/" + path + "/index.html");
  EXPECT_EQ(ask(lead.location.substr(2)).policy, Policy::kReport);
  EXPECT_EQ(ask("night/" + path + "/report.js").type, "text/javascript; charset=utf-8");
  for (const std::string& none : {path + "/none.html", "../" + path, "farm-2/../" + path, "farm-9" + path,
                                  std::string("farm-2"), std::string("/etc/passwd/x"), std::string()}) {
    EXPECT_EQ(ask("night/" + percent_encoded(none, "/-._~")).status, 404) << none;
    EXPECT_EQ(ask("night?session=" + percent_encoded(none)).status, 404) << none;
  }
}

TEST_F(FarmSiteTest, ShowsHostileNamesAsText) {
  const std::string name = "a\"><img src=x onerror=alert(1)>'\x1b[31m\u202e&amp;";
  machines_ = {name};
  add(0, 3, 1);
  serve();
  ASSERT_TRUE(farm_->refresh());
  const json::array machines = data("api/grid").at("machines").as_array();
  ASSERT_EQ(machines.size(), 1U);
  const std::string shown(machines[0].at("id").as_string());
  EXPECT_THAT(shown, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e"))));
  const std::string machine = percent_encoded(shown);
  for (const std::string& target : {std::string(), "machine?id=" + machine, "series?m=" + machine + "&b=" + kBenchmark,
                                    "compare?a=" + machine + "&b=" + machine, "alarm?id=" + machine,
                                    "commit?sha=" + machine, "series?m=" + machine + "&b=" + machine}) {
    const std::string page = *ask(target).body;
    EXPECT_THAT(page, AllOf(HasSubstr("</html>"), Not(HasSubstr("<img src=x")), Not(HasSubstr("\x1b")),
                            Not(HasSubstr("\u202e"))))
        << target;
  }
}

TEST_F(FarmSiteTest, IsReadWhileItChanges) {
  add(0, 2, 1);
  serve();
  std::mutex mutex;
  std::string told;
  FarmWatcher watcher(
      *farm_, folder_.path(), *site_,
      [&](const std::string& event) {
        const std::scoped_lock lock(mutex);
        told += event;
      },
      [](const std::string&) {});
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (const std::string& target : {std::string(), std::string("api/grid"), std::string("api/sparks?from=0&to=2"),
                                    std::string("series?m=farm-1&b=") + kBenchmark, std::string("api/status")})
    readers.emplace_back([&, target] {
      while (!stop) {
        EXPECT_THAT(ask(target).status, testing::AnyOf(200, 503)) << target;
        site_->first_events();
      }
    });
  const auto version = [&] { return farm_->state() ? farm_->state()->version : 0; };
  EXPECT_TRUE(comes_true([&] { return version() >= 1; }));
  for (int night = 2; night < 5; ++night) {
    const std::uint64_t before = version();
    add(night, 1);
    EXPECT_TRUE(comes_true([&] { return version() > before; }));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_TRUE(comes_true([&] {
    const std::scoped_lock lock(mutex);
    return told.find("event: index") != std::string::npos;
  }));
}

TEST(DevelopWatcherTest, TellsWhichFileWasSaved) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "charts");
  std::mutex mutex;
  std::string told;
  const DevelopWatcher watcher(folder.path(), [&](const std::string& event) {
    const std::scoped_lock lock(mutex);
    told += event;
  });
  const auto hears = [&](const std::string& file, const std::string& kind) {
    return comes_true([&] {
      folder.write(file, "1");  // it may not watch yet
      const std::scoped_lock lock(mutex);
      return told.find("event: develop\ndata: {\"file\":\"" + std::filesystem::path(file).filename().string() +
                       "\",\"kind\":\"" + kind + "\"}\n\n") != std::string::npos;
    });
  };
  EXPECT_TRUE(hears("table.js", "script"));
  EXPECT_TRUE(hears("page.css", "style"));
  EXPECT_TRUE(hears("charts/time.json", "chart"));
  folder.write("notes.txt", "1");
  EXPECT_TRUE(hears("last.js", "script"));
  EXPECT_THAT(told, Not(HasSubstr("notes")));
}

}  // namespace
}  // namespace lab::serve
