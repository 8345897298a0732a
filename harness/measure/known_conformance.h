/// The executables that conformed in earlier sessions of a machine, so that unchanged ones are not checked again.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::measure {

/// What an executable calls, beside its own code. An executable that conforms with one may fail with another.
struct ConformanceHost {
  std::string kernel;
  std::string libc;
  std::string libc_build;
  friend bool operator==(const ConformanceHost&, const ConformanceHost&) = default;
};

ConformanceHost conformance_host(const results::MachineState& facts);

/// The content hashes in `file`. None if it is missing, damaged or of another host. Only executables that conform are
/// kept: one that fails is checked again, and its failure reported, in every session.
std::set<std::string> read_known_conformance(const std::filesystem::path& file, const ConformanceHost& host);

Expected<void> write_known_conformance(const std::filesystem::path& file, const ConformanceHost& host,
                                       const std::set<std::string>& hashes);

}  // namespace lab::measure
