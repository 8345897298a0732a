/// A document as Markdown, its charts as links to SVG files beside it.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// `text` so that Markdown shows it as it is, in a paragraph or a table's cell.
std::string escape_markdown(std::string_view text);

std::string to_markdown(const Document& document);

}  // namespace lab::report
