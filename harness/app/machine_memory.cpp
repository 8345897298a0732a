#include "harness/app/machine_memory.h"

#include <algorithm>
#include <vector>

#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/results/journal.h"

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

fs::path turns_file(const fs::path& folder) {
  return folder / "state/turns.json";
}

fs::path conformance_file(const fs::path& folder) {
  return folder / "state/conformance.json";
}

/// Creates the folder of `file`. An error shows when the file is written.
const fs::path& with_folder(const fs::path& file) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  return file;
}

}  // namespace

MachineMemory MachineMemory::open(const fs::path& folder, const results::MachineState& facts) {
  MachineMemory memory;
  memory.folder_ = folder;
  memory.host_ = measure::conformance_host(facts);
  memory.conforming_ = measure::read_known_conformance(conformance_file(folder), memory.host_);
  memory.read_turns();
  memory.read_new_results();
  return memory;
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
  for (const fs::path& path : unread) present.insert(path.filename().string());
  std::erase_if(unread, [&](const fs::path& path) { return sessions_.contains(path.filename().string()); });
  sessions_ = std::move(present);
  const auto first = unread.end() - std::min(kMostRead, std::ssize(unread));
  for (auto path = first; path != unread.end(); ++path)
    if (const Expected<results::Result> result = results::load_result(*path)) measure::remember(*result, turns_);
}

void MachineMemory::save_turns() const {
  const KeptTurns kept{{sessions_.begin(), sessions_.end()}, turns_};
  static_cast<void>(write_file(with_folder(turns_file(folder_)), json::serialize(to_json(kept)) + "\n"));
}

void MachineMemory::keep_conforming(const std::string& hash) {
  if (!conforming_.insert(hash).second) return;
  static_cast<void>(measure::write_known_conformance(with_folder(conformance_file(folder_)), host_, conforming_));
}

}  // namespace lab::app
