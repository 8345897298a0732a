#include "harness/results/told.h"

#include <system_error>

#include "harness/base/error.h"
#include "harness/base/json_struct.h"
#include "harness/base/lock.h"
#include "harness/results/json_lines.h"

namespace lab::results {

namespace fs = std::filesystem;

LAB_JSON_STRUCT(ToldRecord, at, kind, key, (machine), (items))

Told::Told(fs::path file, File lock, bool is_first)
    : file_(std::move(file)), lock_(std::move(lock)), is_first_(is_first) {}

Expected<Told> Told::open(const fs::path& folder) {
  Expected<File> lock = lock_file(folder / "told.lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  const fs::path file = folder / kToldName;
  std::error_code missing;
  const bool is_first = !fs::exists(file, missing);
  const Expected<std::vector<ToldRecord>> records = load_json_lines<ToldRecord>(file);
  if (!records) return records.error();
  Told told(file, std::move(*lock), is_first);
  told.keep(*records);
  return told;
}

Expected<void> Told::add(const std::vector<ToldRecord>& records) {
  if (const Expected<void> added = add_lines(file_, json_lines(records)); !added) return added.error();
  keep(records);
  return {};
}

void Told::keep(const std::vector<ToldRecord>& records) {
  for (const ToldRecord& record : records) {
    for (const std::string& item : record.items) items_.emplace(record.kind, item);
    records_.push_back(record);
  }
}

}  // namespace lab::results
