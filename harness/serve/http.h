/// Requests and replies of the live page, without sockets.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::serve {

using Query = std::map<std::string, std::string>;

struct Request {
  std::string method;  ///< "GET", "HEAD", "POST" ...
  std::string path;    ///< decoded, without the leading slash and without the query
  Query query;         ///< decoded; of a repeated name the last value
  std::optional<std::string> host, origin, fetch_site, fetch_mode, if_none_match, authorization;  ///< of these headers
  std::string type;                                                                               ///< of the body
  std::string body;
};

/// The path and the query of a request's target; none if it is no valid one: not from the root, a wrong escape, a zero
/// byte or a line end.
std::optional<std::pair<std::string, Query>> parse_target(std::string_view target);

/// What a browser may do with a reply.
enum class Policy {
  kPage,    ///< our own page: no script but our files, no style but ours
  kReport,  ///< a report, whose page has a policy of its own and styles inside of elements
  kPublic,  ///< pages of others may show it: the badge
};

struct Reply {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
  Policy policy = Policy::kPage;
  std::string etag = {};      ///< with the quotes; "": the reply is not kept
  std::string location = {};  ///< of a redirection, relative
  std::string allow = {};     ///< methods, of a 405
  int retry_after = 0;        ///< seconds, of a 503
};

/// A reply of one sentence.
Reply text_reply(int status, std::string_view sentence);
Reply json_reply(std::string body);

/// `reply` as 304 if the browser has it already.
Reply unless_known(Reply reply, const std::optional<std::string>& if_none_match);

/// The reply's headers but for its length, in order.
std::vector<std::pair<std::string_view, std::string>> headers_of(const Reply& reply);

}  // namespace lab::serve
