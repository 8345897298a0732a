/// A name for contents: equal ones have equal names. Not for security.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// 32 hex digits: a UUID of version 5 (RFC 4122) of `content`.
std::string content_name(std::string_view content);

}  // namespace lab
