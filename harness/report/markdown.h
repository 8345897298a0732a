/// A document as Markdown, with its charts as links to SVG files in the same folder.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// Escapes `text` so that Markdown shows it literally, in a paragraph or a table cell.
std::string escape_markdown(std::string_view text);

std::string to_markdown(const Document& document);

}  // namespace lab::report
