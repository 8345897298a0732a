/// machines.json in a results folder: what people know of a farm's machines and no session can say. Written by hand:
///
///   {"farm-12": {"was": ["farm-12-old"], "retired": "2026-11-01", "class": "epyc", "every_hours": 24}}
///
/// All fields may be missing. Sessions of a machine's earlier names are in the series of its present name.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::results {

struct KnownMachine {
  std::vector<std::string> was;           ///< earlier names
  std::optional<std::string> retired;     ///< the day: "2026-11-01". It is never silent from then on
  std::optional<std::string> class_name;  ///< instead of its hardware
  std::optional<double> every_hours;      ///< between two sessions; none: the usual time between them

  friend bool operator==(const KnownMachine&, const KnownMachine&) = default;
};

class KnownMachines {
 public:
  KnownMachines() = default;
  /// An error (kUsage) if one earlier name stands at two machines, or is itself one of the machines.
  static Expected<KnownMachines> of(std::map<std::string, KnownMachine> machines);

  /// The present name of a machine that a session calls `name`.
  const std::string& present(const std::string& name) const;
  /// Nothing known if it is not listed.
  const KnownMachine& at(const std::string& machine) const;
  const std::map<std::string, KnownMachine>& all() const { return machines_; }

 private:
  std::map<std::string, KnownMachine> machines_;
  std::map<std::string, std::string> present_;  // by earlier name
};

/// The file's name in the results folder.
inline constexpr const char* kMachinesName = "machines.json";

/// Nothing known without the file. An error (kUsage) names the file and what is wrong in it.
Expected<KnownMachines> load_known_machines(const std::filesystem::path& results);

}  // namespace lab::results
