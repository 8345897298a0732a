#include "harness/results/farm_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::results {

namespace fs = std::filesystem;

LAB_JSON_STRUCT(SubmittedJob, node, job, at, bundle, (cancelled))
LAB_JSON_STRUCT(FarmJob, job, restarts, night, node, phase, status, machine, session, delivered, said, times, ended)

namespace {

constexpr const char* kSubmittedName = "submitted.json";

struct SubmittedFile {
  std::vector<SubmittedJob> jobs;
};
LAB_JSON_STRUCT(SubmittedFile, jobs)

template <typename T>
Expected<T> load(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const std::string name = fmt::format("'{}'", file.string());
  const Expected<json::value> value = parse_printable_json(*text, name);
  if (!value) return value.error();
  Expected<T> loaded = from_json<T>(*value);
  if (!loaded) return in_context(name, loaded.error());
  return loaded;
}

}  // namespace

fs::path night_folder(const fs::path& results, const std::string& night) {
  return results / "jobs" / night;
}

Expected<std::map<std::string, SubmittedJob>> load_submitted(const fs::path& results, const std::string& night) {
  const fs::path file = night_folder(results, night) / kSubmittedName;
  std::map<std::string, SubmittedJob> jobs;
  std::error_code missing;
  if (!fs::exists(file, missing)) return jobs;
  Expected<SubmittedFile> loaded = load<SubmittedFile>(file);
  if (!loaded) return loaded.error();
  for (SubmittedJob& job : loaded->jobs) jobs.insert_or_assign(job.node, std::move(job));
  return jobs;
}

Expected<void> save_submitted(const fs::path& results, const std::string& night,
                              const std::map<std::string, SubmittedJob>& jobs) {
  std::string lines;
  for (const auto& [node, job] : jobs)
    lines += fmt::format("{}\n {}", lines.empty() ? "" : ",", json::serialize(lab::to_json(job)));
  return write_file(night_folder(results, night) / kSubmittedName, fmt::format("{{\"jobs\": [{}\n]}}\n", lines));
}

std::map<std::string, FarmJob> load_farm_jobs(const fs::path& results, const std::string& night,
                                              std::vector<std::string>& unreadable) {
  std::map<std::string, FarmJob> jobs;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(night_folder(results, night), missing)) {
    const fs::path& file = entry.path();
    // A job writes to a name with a dot before it and then renames.
    if (file.extension() != ".json" || file.filename() == kSubmittedName || file.filename().string().starts_with('.') ||
        !entry.is_regular_file(missing))
      continue;
    Expected<FarmJob> job = load<FarmJob>(file);
    if (job)
      jobs.insert_or_assign(file.stem().string(), std::move(*job));
    else
      unreadable.push_back(job.error().what);
  }
  std::ranges::sort(unreadable);
  return jobs;
}

std::vector<std::string> nights_in(const fs::path& results) {
  std::vector<std::string> nights;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(results / "jobs", missing))
    if (entry.is_directory(missing) && fs::exists(entry.path() / kSubmittedName, missing))
      nights.push_back(entry.path().filename().string());
  std::ranges::sort(nights);
  return nights;
}

}  // namespace lab::results
