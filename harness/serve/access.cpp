#include "harness/serve/access.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/serve/paths.h"

namespace lab::serve {

namespace {

/// "name" of "name:8000", "[::1]" of "[::1]:8000"; in lower case. "" if it is no name with a port or without one.
std::string name_of(std::string_view authority) {
  const std::size_t end = authority.starts_with('[') ? std::min(authority.find(']'), authority.size() - 1) + 1
                                                     : std::min(authority.find(':'), authority.size());
  const std::string_view port = authority.substr(end);
  if (!port.empty() && (port.size() < 2 || port.find_first_not_of("0123456789", 1) != std::string_view::npos))
    return "";
  std::string name(authority.substr(0, end));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_allowed(std::string_view host, const AccessRules& rules) {
  constexpr std::array<std::string_view, 3> kLoopback{"localhost", "127.0.0.1", "[::1]"};
  return std::ranges::find(kLoopback, host) != kLoopback.end() || has(rules.hosts, host) || has(rules.addresses, host);
}

/// Another port of this host is another site. A proxy may ask by another name than the browser asked it.
bool is_same_site(std::string_view origin, const std::string& host, const AccessRules& rules) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) {
      const std::string_view authority = origin.substr(scheme.size());
      return authority == host || has(rules.hosts, name_of(authority));
    }
  return false;
}

/// In a time that does not depend on where they differ.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool is_json(std::string_view type) {
  return type == "application/json" || type.starts_with("application/json;");
}

/// Only an acknowledgement is posted, and it is nothing else.
std::optional<Reply> refused_word(const Request& request, const AccessRules& rules) {
  const bool is_ack = request.path == kAckPath;
  if (!is_ack && (request.method == "GET" || request.method == "HEAD")) return std::nullopt;
  if (!is_ack || request.method != "POST") {
    const std::string_view expected = is_ack ? "POST" : "GET or HEAD";
    Reply reply = text_reply(405, fmt::format("expected {}, found {}", expected, request.method));
    reply.allow = is_ack ? "POST" : "GET, HEAD";
    return reply;
  }
  if (!rules.token) return text_reply(403, "this page is for reading only: serve was started without --token");
  constexpr std::string_view kScheme = "Bearer ";
  const std::string given = request.authorization.value_or("");
  if (!given.starts_with(kScheme) || !are_equal(std::string_view(given).substr(kScheme.size()), *rules.token))
    return text_reply(403, "expected the token that serve was started with, found another one or none");
  // What a form of another site could send has another type.
  if (!is_json(request.type)) return text_reply(403, "expected a body of type application/json");
  return std::nullopt;
}

}  // namespace

std::optional<Reply> refusal(const Request& request, const AccessRules& rules) {
  if (!request.host) return text_reply(400, "expected a Host header, found none");
  if (!is_allowed(name_of(*request.host), rules))
    return text_reply(403, "this name of the host is not allowed; start serve with --allow-host NAME");
  if (request.origin && !is_same_site(*request.origin, *request.host, rules))
    return text_reply(403, "a page of another origin may not ask here");
  // A link from elsewhere opens a page; nothing else of it comes from elsewhere, but for the badge.
  if (request.fetch_site && (*request.fetch_site == "cross-site" || *request.fetch_site == "same-site") &&
      request.fetch_mode.value_or("") != "navigate" && request.path != kBadgePath)
    return text_reply(403, "a page of another site may not ask here");
  return refused_word(request, rules);
}

Expected<std::string> read_token(const std::filesystem::path& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return in_context("--token", file_error("reading", file, errno));
  if ((facts.st_mode & 077U) != 0)
    return Error{fmt::format("--token: expected a file that its owner alone may read, found mode {:o} of '{}'",
                             facts.st_mode & 0777U, file.string()),
                 fmt::format("chmod 600 {}", file.string()), ExitStatus::kUsage};
  Expected<std::string> token = read_file(file);
  if (!token) return in_context("--token", token.error());
  while (!token->empty() && std::isspace(static_cast<unsigned char>(token->back())) != 0) token->pop_back();
  const bool is_plain = std::ranges::all_of(*token, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (token->size() < kShortestToken || !is_plain)
    return Error{fmt::format("--token: expected at least {} letters and digits on one line in '{}', found {}",
                             kShortestToken, file.string(), is_plain ? fmt::format("{}", token->size()) : "others"),
                 fmt::format("(umask 077; head -c 24 /dev/urandom | base64 > {})", file.string()), ExitStatus::kUsage};
  return token;
}

}  // namespace lab::serve
