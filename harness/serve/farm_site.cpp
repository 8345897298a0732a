#include "harness/serve/farm_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "harness/app/farm_check.h"
#include "harness/base/hash.h"
#include "harness/base/percent.h"
#include "harness/report/badge.h"
#include "harness/report/document.h"
#include "harness/report/html.h"
#include "harness/serve/paths.h"

namespace lab::serve {

namespace {

namespace json = boost::json;

/// Reports of sessions that are kept: a reader goes from page to page of one, and compares two.
constexpr std::size_t kKeptNights = 2;
constexpr std::array<std::string_view, 7> kViews{"", "alarm", "series", "commit", "machine", "compare", "atlas"};

std::string_view type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
  }};
  for (const auto& [end, type] : kTypes)
    if (name.ends_with(end)) return type;
  return "text/plain; charset=utf-8";
}

Reply named(Reply reply) {
  reply.etag = fmt::format("\"{}\"", content_name(*reply.body));
  return reply;
}

std::string sentence_of(const Error& error) {
  return error.hint.empty() ? error.what : fmt::format("{} ({})", error.what, error.hint);
}

report::Document page_of_one_sentence(std::string title, std::string sentence) {
  report::Document document;
  document.title = std::move(title);
  document.lead = std::move(sentence);
  return document;
}

Reply page_reply(int status, const report::Document& document, std::uint64_t version, bool is_part) {
  Reply reply;
  if (is_part) {
    json::object part = report::live_part(document);
    part["version"] = version;
    reply = json_reply(json::serialize(part));
  } else {
    reply.body = std::make_shared<const std::string>(report::to_live_html(document, version));
  }
  reply.status = status;
  return reply;
}

}  // namespace

FarmSite::Files FarmSite::replies_of(std::map<std::string, std::string> files, Policy policy) {
  Files replies;
  for (auto& [name, content] : files) {
    Reply& reply = replies[name];
    reply.type = type_of(name);
    reply.body = std::make_shared<const std::string>(std::move(content));
    reply.policy = policy;
    reply = named(std::move(reply));
  }
  return replies;
}

FarmSite::FarmSite(app::LiveFarm& farm, std::filesystem::path results, SiteOptions options)
    : farm_(farm),
      results_(std::move(results)),
      options_(options),
      files_(replies_of(report::live_files(), Policy::kPage)) {
  std::string all;
  for (const auto& [name, reply] : files_) all += reply.etag;
  build_ = options.develops ? "develop" : content_name(all);
}

void FarmSite::on_unreadable(std::function<void()> then) {
  const std::scoped_lock lock(mutex_);
  on_unreadable_ = std::move(then);
}

int FarmSite::status_of(const Error& error) const {
  if (error.status == ExitStatus::kUsage) return 404;
  const std::scoped_lock lock(mutex_);
  on_unreadable_();
  return 500;
}

void FarmSite::set_news(WatcherNews news) {
  const std::scoped_lock lock(mutex_);
  news_ = std::move(news);
}

WatcherNews FarmSite::news() const {
  const std::scoped_lock lock(mutex_);
  return news_;
}

std::string FarmSite::status_text() const {
  const std::shared_ptr<const app::LiveState> state = farm_.state();
  const WatcherNews now = news();
  return json::serialize(json::object{{"version", state ? state->version : 0},
                                      {"build", build_},
                                      {"read", now.read},
                                      {"to_read", now.to_read},
                                      {"problem", now.problem},
                                      {"measures_here", now.measures_here},
                                      {"may_acknowledge", options_.may_acknowledge},
                                      {"running", json::parse(now.running)}});
}

std::string FarmSite::first_events() {
  const std::shared_ptr<const app::LiveState> state = farm_.state();
  const json::object hello{
      {"version", state ? state->version : 0}, {"build", build_}, {"may_acknowledge", options_.may_acknowledge}};
  return event_text("hello", json::serialize(hello)) +
         event_text("session", fmt::format("{{\"running\":{}}}", news().running));
}

/// The whole of the drivers' table, which their page names.
Reply FarmSite::atlas_file(const Request& request) const {
  const Expected<report::Document> document = farm_.page("atlas", {});
  if (!document) return text_reply(status_of(document.error()), sentence_of(document.error()));
  std::map<std::string, std::string> files;
  for (const report::Matrix* const matrix : report::matrices_of(*document)) files[matrix->name + ".csv"] = matrix->csv;
  const Files replies = replies_of(std::move(files), Policy::kPage);
  const auto found = replies.find(request.path);
  return found == replies.end() ? text_reply(404, "the drivers' page has no such table") : found->second;
}

/// Before the first state: how far the reading is. The page asks again by itself.
Reply FarmSite::reading(const Request& request) const {
  const WatcherNews now = news();
  Reply reply;
  if (request.path.starts_with(kApiFolder) || request.query.contains("part") || request.path == kBadgePath) {
    reply = text_reply(503, "the results are being read");
    reply.retry_after = 1;
    return reply;
  }
  report::Document document = page_of_one_sentence(
      "Farm", !now.problem.empty() ? now.problem
              : now.to_read == 0   ? "The results are being read."
                                   : fmt::format("The results are being read: {} of {}.", now.read, now.to_read));
  document.progress = "This page asks again by itself.";
  reply = page_reply(now.problem.empty() ? 200 : 500, document, 0, false);
  return reply;
}

Reply FarmSite::view(const Request& request) const {
  const bool is_part = request.query.contains("part");
  Query query = request.query;
  query.erase("part");
  query.erase("version");  // a page makes an address new by it
  const std::uint64_t version = farm_.state()->version;
  const Expected<report::Document> document = farm_.page(request.path, query);
  if (document) return named(page_reply(200, *document, version, is_part));
  return page_reply(status_of(document.error()),
                    page_of_one_sentence("Nothing is shown here", sentence_of(document.error())), version, is_part);
}

Reply FarmSite::data(const Request& request) const {
  const std::string name = request.path.substr(kApiFolder.size());
  const Expected<json::value> value = farm_.data(name, request.query);
  if (value) return named(json_reply(json::serialize(*value)));
  return text_reply(status_of(value.error()), sentence_of(value.error()));
}

std::shared_ptr<const FarmSite::Files> FarmSite::kept_report(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto kept = std::ranges::find(nights_, path, &Night::path);
  return kept == nights_.end() ? nullptr : kept->files;
}

Expected<std::shared_ptr<const FarmSite::Files>> FarmSite::report_of(const std::string& path) {
  if (std::shared_ptr<const Files> kept = kept_report(path)) return kept;
  const std::scoped_lock making(night_mutex_);
  if (std::shared_ptr<const Files> kept = kept_report(path)) return kept;
  Expected<std::map<std::string, std::string>> made = farm_.night(path);
  if (!made) return made.error();
  auto files = std::make_shared<const Files>(replies_of(std::move(*made), Policy::kReport));
  const std::scoped_lock lock(mutex_);
  if (nights_.size() >= kKeptNights) nights_.erase(nights_.begin());
  nights_.push_back({path, files});
  return std::shared_ptr<const Files>(files);
}

/// night/<machine>/<result>/<file>, or night?session=<its path or id>, which leads there.
Reply FarmSite::night(const Request& request) {
  if (request.path == kNightPath) {
    const auto session = request.query.find("session");
    const Expected<std::string> path = farm_.path_of(session == request.query.end() ? "" : session->second);
    if (!path) return text_reply(status_of(path.error()), sentence_of(path.error()));
    Reply reply = text_reply(302, "the report of this session");
    reply.location = fmt::format("./night/{}/index.html", percent_encoded(*path, "-._~/"));
    return reply;
  }
  const std::string rest = request.path.substr(kNightFolder.size());
  const std::size_t slash = std::min(rest.rfind('/'), rest.size());
  const std::string name = slash == rest.size() ? "" : rest.substr(slash + 1);
  const Expected<std::shared_ptr<const Files>> files = report_of(rest.substr(0, slash));
  if (!files) return text_reply(status_of(files.error()), sentence_of(files.error()));
  const auto found = (*files)->find(name.empty() ? "index.html" : name);
  if (found == (*files)->end()) return text_reply(404, "this report has no such page");
  return found->second;
}

/// {"id", "note", "who"}: as `farm ack`.
Reply FarmSite::acknowledge(const Request& request) const {
  boost::system::error_code problem;
  const json::value body = json::parse(request.body, problem);
  const json::object* said = problem ? nullptr : body.if_object();
  const auto text = [&](std::string_view name) -> const json::string* {
    const json::value* const value = said == nullptr ? nullptr : said->if_contains(name);
    return value == nullptr ? nullptr : value->if_string();
  };
  const json::string *const id = text("id"), *const note = text("note"), *const who = text("who");
  if (id == nullptr) return text_reply(400, "expected {\"id\": TEXT, \"note\": TEXT, \"who\": TEXT}");
  const auto or_none = [](const json::string* one) { return one == nullptr ? "" : std::string(*one); };
  const Expected<void> done =
      app::say_of_alarm(results_, std::string(*id), results::AlarmStep::kAcknowledged, or_none(note), or_none(who));
  return done ? json_reply("{}") : text_reply(status_of(done.error()), sentence_of(done.error()));
}

bool FarmSite::is_quick(const Request& request) {
  return request.path == kStatusPath || (!options_.develops && files_.contains(request.path));
}

Reply FarmSite::answer(const Request& request) {
  if (files_.contains(request.path)) {
    const Files now = options_.develops ? replies_of(report::live_files(), Policy::kPage) : Files();
    return unless_known((options_.develops ? now : files_).at(request.path), request.if_none_match);
  }
  if (request.path == kStatusPath) return json_reply(status_text());
  const bool is_night = request.path == kNightPath || request.path.starts_with(kNightFolder);
  const bool is_table = request.path.ends_with(".csv") && request.path.find('/') == std::string::npos;
  const bool is_view = is_table || std::ranges::find(kViews, request.path) != kViews.end();
  if (!is_night && !is_view && !request.path.starts_with(kApiFolder) && request.path != kBadgePath &&
      request.path != kAckPath)
    return text_reply(404, "nothing is shown at this address");
  const std::shared_ptr<const app::LiveState> state = farm_.state();
  if (!state) return reading(request);
  if (request.path == kAckPath) return acknowledge(request);
  if (request.path == kBadgePath) {
    const app::FarmCheck check = app::look_at(state->farm, state->said, {results_});
    const std::string badge = report::to_svg(report::farm_badge(check.farm, check.alarms));
    return unless_known(replies_of({{request.path, badge}}, Policy::kPublic).at(request.path), request.if_none_match);
  }
  return unless_known(is_night                               ? night(request)
                      : request.path.starts_with(kApiFolder) ? data(request)
                      : is_table                             ? atlas_file(request)
                                                             : view(request),
                      request.if_none_match);
}

}  // namespace lab::serve
