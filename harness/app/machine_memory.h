/// What earlier sessions of a machine tell a new one, in the folder `state` of the machine's results.
///
///   turns.json        when each benchmark was last measured and what it costs: a cache of the machine's results
///   conformance.json  which executables conform, so that unchanged ones are not checked again. One that fails is
///                     checked again, and its failure reported, in every session
///
/// Both may be removed at any time. A file that cannot be read is ignored, and one that cannot be written is not an
/// error: the next session knows less.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "harness/measure/turns.h"
#include "harness/results/result.h"

namespace lab::app {

class MachineMemory {
 public:
  /// Reads the state of `folder`, a machine's results, and those results that it does not know yet. Writes nothing.
  static MachineMemory open(const std::filesystem::path& folder, const results::MachineState& facts);

  const measure::PastTurns& turns() const { return turns_; }
  void save_turns() const;

  bool conformed(const std::string& hash) const { return conforming_.contains(hash); }
  /// Keeps it at once: a killed session must not check all executables again.
  void keep_conforming(const std::string& hash);

 private:
  void read_conforming();
  void read_turns();
  void read_new_results();

  std::filesystem::path folder_;
  results::MachineState facts_;
  std::set<std::string> sessions_;  ///< file names of the results in `turns_`
  measure::PastTurns turns_;
  std::set<std::string> conforming_;
};

}  // namespace lab::app
