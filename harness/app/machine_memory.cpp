#include "harness/app/machine_memory.h"

#include <algorithm>
#include <vector>

#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// Most results that are read for one session; older ones tell nothing. One of 64 MiB takes half a second.
constexpr std::ptrdiff_t kMostRead = 20;

struct KeptTurns {
  std::vector<std::string> sessions;
  measure::PastTurns benchmarks;
};

LAB_JSON_STRUCT(KeptTurns, sessions, benchmarks)

/// What an executable calls, beside its own code. An executable that conforms with one may fail with another.
struct ConformanceHost {
  std::string kernel, libc, libc_build;
  bool operator==(const ConformanceHost&) const = default;
};
LAB_JSON_STRUCT(ConformanceHost, kernel, libc, libc_build)

struct KnownConformance {
  ConformanceHost host;
  std::vector<std::string> conform;  ///< content hashes
};
LAB_JSON_STRUCT(KnownConformance, host, conform)

ConformanceHost host_of(const results::MachineState& facts) {
  return {facts.kernel, facts.libc, facts.libc_build};
}

fs::path turns_file(const fs::path& folder) {
  return folder / "state/turns.json";
}

fs::path conformance_file(const fs::path& folder) {
  return folder / "state/conformance.json";
}

/// Writes the file, and its folder if that is missing.
template <typename T>
void keep(const fs::path& file, const T& content) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  static_cast<void>(write_file(file, json::serialize(to_json(content)) + "\n"));
}

}  // namespace

MachineMemory MachineMemory::open(const fs::path& folder, const results::MachineState& facts) {
  MachineMemory memory;
  memory.folder_ = folder;
  memory.facts_ = facts;
  memory.read_conforming();
  memory.read_turns();
  memory.read_new_results();
  return memory;
}

void MachineMemory::read_conforming() {
  const Expected<KnownConformance> known = read_json_file<KnownConformance>(conformance_file(folder_));
  if (known && known->host == host_of(facts_)) conforming_ = {known->conform.begin(), known->conform.end()};
}

void MachineMemory::read_turns() {
  const Expected<KeptTurns> kept = read_json_file<KeptTurns>(turns_file(folder_));
  if (!kept) return;
  sessions_ = {kept->sessions.begin(), kept->sessions.end()};
  turns_ = kept->benchmarks;
}

void MachineMemory::read_new_results() {
  std::vector<fs::path> unread = results::results_in(folder_);
  std::set<std::string> present;
  // A packed result is the one that was read before.
  const auto name_of = [](const fs::path& path) {
    return std::string(results::result_base(path.filename().native())) + ".json";
  };
  for (const fs::path& path : unread) present.insert(name_of(path));
  std::erase_if(unread, [&](const fs::path& path) { return sessions_.contains(name_of(path)); });
  sessions_ = std::move(present);
  const auto first = unread.end() - std::min(kMostRead, std::ssize(unread));
  for (auto path = first; path != unread.end(); ++path)
    if (const Expected<results::Result> result = results::load_result(*path)) measure::remember(*result, turns_);
}

void MachineMemory::save_turns() const {
  keep(turns_file(folder_), KeptTurns{{sessions_.begin(), sessions_.end()}, turns_});
}

void MachineMemory::keep_conforming(const std::string& hash) {
  if (!conforming_.insert(hash).second) return;
  keep(conformance_file(folder_), KnownConformance{host_of(facts_), {conforming_.begin(), conforming_.end()}});
}

}  // namespace lab::app
