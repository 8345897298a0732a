#include "harness/measure/known_conformance.h"

#include <string>
#include <vector>

#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"

namespace lab::measure {

LAB_JSON_STRUCT(ConformanceHost, kernel, libc, libc_build)

namespace {

struct KnownConformance {
  ConformanceHost host;
  std::vector<std::string> conform;
};

LAB_JSON_STRUCT(KnownConformance, host, conform)

}  // namespace

ConformanceHost conformance_host(const results::MachineState& facts) {
  return {facts.kernel, facts.libc, facts.libc_build};
}

std::set<std::string> read_known_conformance(const std::filesystem::path& file, const ConformanceHost& host) {
  const Expected<KnownConformance> known = read_json_file<KnownConformance>(file);
  if (!known || known->host != host) return {};
  return {known->conform.begin(), known->conform.end()};
}

Expected<void> write_known_conformance(const std::filesystem::path& file, const ConformanceHost& host,
                                       const std::set<std::string>& hashes) {
  return write_file(file, json::serialize(to_json(KnownConformance{host, {hashes.begin(), hashes.end()}})) + "\n");
}

}  // namespace lab::measure
