/// Text as a part of an address.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// `text` with "%2F" for each byte that is no letter, digit or one of `kept` (RFC 3986).
std::string percent_encoded(std::string_view text, std::string_view kept = "-._~");

}  // namespace lab
