/// A document as one self-contained HTML file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// Escapes `text` for an element's content or a quoted attribute, of HTML or XML.
std::string escape_html(std::string_view text);

/// The whole page. `drawings` holds SVG by chart name: shown until the page's script has drawn the chart, and if
/// scripts are off.
std::string to_html(const Document& document, const std::map<std::string, std::string>& drawings);

}  // namespace lab::report
