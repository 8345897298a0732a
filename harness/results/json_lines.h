/// Files of records, one JSON object a line, the oldest first, to which lines are only added.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/json_fields.h"

namespace lab::results {

/// Calls `read` with each line's value and its place in words; none without the file. Strings are printable
/// (base/printable.h). An error (kUsage) names the line that is none, or is that of `read`.
Expected<void> for_each_json_line(const std::filesystem::path& file,
                                  const std::function<Expected<void>(const json::value&, const std::string&)>& read);

/// The records of the file, as fields() of Record has them.
template <typename Record>
Expected<std::vector<Record>> load_json_lines(const std::filesystem::path& file) {
  std::vector<Record> records;
  const Expected<void> read =
      for_each_json_line(file, [&](const json::value& value, const std::string& where) -> Expected<void> {
        Expected<Record> record = from_json<Record>(value);
        if (!record) return in_context(where, record.error());
        records.push_back(std::move(*record));
        return {};
      });
  if (!read) return read.error();
  return records;
}

/// Adds lines; creates a missing file. When it returns, they are on the disk; on an error nothing is added. The caller
/// holds a lock that all who add to the file take.
Expected<void> add_lines(const std::filesystem::path& file, std::string_view lines);

/// `records` as lines.
template <typename Record>
std::string json_lines(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += json::serialize(lab::to_json(record)) + "\n";
  return text;
}

}  // namespace lab::results
