/// Text from other programs, which may be any bytes.
#pragma once

#include <string>

namespace lab {

/// `text` as UTF-8 that a terminal can show: replaces control characters (except line ends and tabs), each byte of
/// those that change the direction of text, and each byte that is not part of valid UTF-8 with '?'.
std::string printable(std::string text);

}  // namespace lab
