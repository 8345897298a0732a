/// A document as HTML: a file for each page, or one for all.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
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

/// The document as a whole page of `serve`, all of its pages one after the other. It needs live_files() beside it and
/// has no script, style or style attribute of its own but blocks of JSON. `version`: of the state that it shows, as the
/// event `hello` tells it; 0: the page asks once more when it is connected.
std::string to_live_html(const Document& document, std::uint64_t version = 0);

/// What replaces such a page's content when its address has changed: {"title", "header", "contents", "main", "footer":
/// HTML, "charts", "matrices", "replays", "data": by name}.
boost::json::object live_part(const Document& document);

/// The scripts and styles of live pages, by file name: shared_files(), the shell (live.js, live_worker.js), and every
/// module of the page's script as a file of its own, for replacing it under a running page. Made of resource(), so of
/// the folder of read_resources_from() where there is one.
std::map<std::string, std::string> live_files();

}  // namespace lab::report
