/// What a name on the command line stands for: a result, a Google Benchmark file, or an atlas.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare.h"

namespace lab::app {

struct InputSettings {
  judge::Settings compare;
  bool independent_repetitions =
      false;  ///< of a Google Benchmark file: each is a process, interleaved with the other's
};

/// Compares one session's arms (one name), or what two names stand for. Names are paths. What cannot be read, or is not
/// of one kind, is refused with ExitStatus::kUsage.
Expected<judge::Comparison> compare_named(const std::vector<std::string>& names, const InputSettings& settings);

}  // namespace lab::app
