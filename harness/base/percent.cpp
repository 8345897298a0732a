#include "harness/base/percent.h"

#include <fmt/format.h>

namespace lab {

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string result;
  for (const char c : text) {
    // Not isalnum(), which asks the locale.
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          kept.find(c) != std::string_view::npos;
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace lab
