/// A document as HTML: a file for each page, or one for all.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// Escapes `text` for an element's content or a quoted attribute, of HTML or XML.
std::string escape_html(std::string_view text);

/// One page of the report. `drawings` holds SVG by chart name: shown until the page's script has drawn the chart, and
/// if scripts are off. The page needs shared_files() beside it; it works from a disk, without a server.
std::string to_html(const Document& document, const Page& page, const std::map<std::string, std::string>& drawings);

/// The whole report in one file that needs no other.
std::string to_single_html(const Document& document, const std::map<std::string, std::string>& drawings);

/// The scripts and styles of all pages, by file name.
std::map<std::string, std::string> shared_files();

}  // namespace lab::report
