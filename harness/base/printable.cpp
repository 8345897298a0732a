#include "harness/base/printable.h"

#include <bit>
#include <cstddef>
#include <string_view>

namespace lab {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Characters that set the direction of what follows (Unicode, "bidirectional formatting characters"): with them a name
// can show as another one, and turn round the text of the line after it.
bool turns_text(unsigned code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Bytes of the character of several bytes at the start of `text`; 0 if there is none that may be shown.
std::size_t multibyte(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const auto bytes = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(first)));
  if (bytes < 2 || bytes > 4) return 0;
  unsigned code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte_at(text, i) & 0x3f);
  }
  constexpr unsigned kFirstCode[] = {0xa0, 0x800, 0x10000};  // of 2, 3 and 4 bytes; from 0x80 on are control characters
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kFirstCode[bytes - 2] || surrogate || code > 0x10ffff || turns_text(code) ? 0 : bytes;
}

}  // namespace

std::string printable(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const unsigned byte = byte_at(text, at);
    const std::size_t bytes = byte < 0x80 ? 1 : multibyte(std::string_view(text).substr(at));
    if (bytes == 0 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) text[at] = '?';
    at += bytes == 0 ? 1 : bytes;
  }
  return text;
}

}  // namespace lab
