#include "harness/measure/system_files.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lab::measure {

namespace fs = std::filesystem;

std::string read_trimmed(const fs::path& path) {
  const Expected<std::string> text = read_file(path);
  return text ? boost::trim_copy(*text) : "";
}

std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  const std::string text = read_trimmed(path);
  boost::split(lines, text, boost::is_any_of("\n"));
  return lines;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  const std::string trimmed = boost::trim_copy(text);
  boost::split(words, trimmed, boost::is_space(), boost::token_compress_on);
  return words;
}

}  // namespace lab::measure
