/// Inputs of compare: a result, a Google Benchmark file, or an atlas.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/compare.h"

namespace lab::app {

struct InputSettings {
  judge::Settings compare;
  bool independent_repetitions =
      false;  ///< in a Google Benchmark file: each is a process, interleaved with the other file's
};

/// Compares the arms of one session (one name), or two inputs. Names are paths. Error with ExitStatus::kUsage if an
/// input is unreadable or the kinds differ.
Expected<judge::Comparison> compare_named(const std::vector<std::string>& names, const InputSettings& settings);

}  // namespace lab::app
