#include "harness/serve/http.h"

#include <fmt/format.h>

#include <cctype>

namespace lab::serve {

namespace {

/// No eval: charts are drawn by Vega's interpreter. No style within elements: scripts set styles by the object model.
constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr std::string_view kReportPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit(text[i + 1]), low = digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(16 * high + low);
      i += 2;
    }
    if (c == '\0' || c == '\n' || c == '\r') return std::nullopt;
    out += c;
  }
  return out;
}

}  // namespace

std::optional<std::pair<std::string, Query>> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  target.remove_prefix(1);
  target = target.substr(0, target.find('#'));
  const std::size_t question = target.find('?');
  std::optional<std::string> path = decoded(target.substr(0, question), false);
  if (!path) return std::nullopt;
  Query query;
  std::string_view rest = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = decoded(pair.substr(0, equals), true);
    std::optional<std::string> value = decoded(pair.substr(std::min(pair.size(), equals + 1)), true);
    if (!name || !value) return std::nullopt;
    query[std::move(*name)] = std::move(*value);
  }
  return std::pair(std::move(*path), std::move(query));
}

Reply text_reply(int status, std::string_view sentence) {
  Reply reply;
  reply.status = status;
  reply.type = "text/plain; charset=utf-8";
  reply.body = std::make_shared<const std::string>(fmt::format("{}\n", sentence));
  return reply;
}

Reply json_reply(std::string body) {
  Reply reply;
  reply.type = "application/json";
  reply.body = std::make_shared<const std::string>(std::move(body));
  return reply;
}

Reply unless_known(Reply reply, const std::optional<std::string>& if_none_match) {
  if (reply.status != 200 || reply.etag.empty() || !if_none_match) return reply;
  // A proxy may weaken the name: W/"...".
  if (*if_none_match != "*" && if_none_match->find(reply.etag) == std::string::npos) return reply;
  reply.status = 304;
  reply.body = std::make_shared<const std::string>();
  return reply;
}

std::vector<std::pair<std::string_view, std::string>> headers_of(const Reply& reply) {
  std::vector<std::pair<std::string_view, std::string>> headers;
  if (reply.status != 304) headers.emplace_back("Content-Type", reply.type);
  headers.emplace_back("Content-Security-Policy", reply.policy == Policy::kReport ? kReportPolicy : kPagePolicy);
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("Referrer-Policy", "same-origin");
  headers.emplace_back("Cross-Origin-Resource-Policy",
                       reply.policy == Policy::kPublic ? "cross-origin" : "same-origin");
  // The browser asks each time, and hears in one line that it has the newest.
  headers.emplace_back("Cache-Control", reply.etag.empty() ? "no-store" : "no-cache");
  if (!reply.etag.empty()) headers.emplace_back("ETag", reply.etag);
  if (!reply.location.empty()) headers.emplace_back("Location", reply.location);
  if (!reply.allow.empty()) headers.emplace_back("Allow", reply.allow);
  if (reply.retry_after > 0) headers.emplace_back("Retry-After", fmt::format("{}", reply.retry_after));
  return headers;
}

}  // namespace lab::serve
