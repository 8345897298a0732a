/// A name derived from content: equal content has equal names. Not for security.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// The version 5 UUID (RFC 4122) of `content` as 32 hex digits.
std::string content_name(std::string_view content);

}  // namespace lab
