/// Who may ask what: a page of another site must not read the farm through a browser that can reach it, neither by a
/// name that it lets resolve to this host (DNS rebinding) nor by a request of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/serve/http.h"

namespace lab::serve {

struct AccessRules {
  /// Names under which browsers reach a proxy before the server, at whatever port; in lower case, without a port.
  std::vector<std::string> hosts = {};
  /// Names of the server itself beside localhost, 127.0.0.1 and [::1].
  std::vector<std::string> addresses = {};
  std::optional<std::string> token = {};  ///< allows to acknowledge; none: reading only
};

/// Why the request is not answered: 400, 403, 405; none if it may be.
std::optional<Reply> refusal(const Request& request, const AccessRules& rules);

/// The token in a file that its owner alone may read. An error (kUsage) if others may, or if it is shorter than
/// kShortestToken.
Expected<std::string> read_token(const std::filesystem::path& file);
inline constexpr std::size_t kShortestToken = 16;

}  // namespace lab::serve
